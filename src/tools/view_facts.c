/*
 * view_facts.c - options and environments of a report.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "tools/table.h"
#include "tools/view.h"

enum {
  DEPTH_MAX = 8,
};

static char *value_text(const json_t *value)
{
  if (!value || json_is_null(value))
    return NULL;
  if (json_is_string(value))
    return mem_strdup(json_string_value(value));
  return json_dumps(value,
                    JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6));
}

static void value_cell(struct table *t, const json_t *value)
{
  char *text = value_text(value);

  table_cell(t, text ? text : "");
  free(text);
}

/* Of facts that all runs share, or that differ. */
struct facts_table {
  const struct view *v;
  struct table *t;
  const char *head;
  bool same;
};

static size_t columns_of(const struct facts_table *f)
{
  if (f->same)
    return 1;
  return f->v->n_runs < VIEW_RUNS_MAX ? f->v->n_runs : VIEW_RUNS_MAX;
}

static void view_facts_head_row(const struct facts_table *f)
{
  f->t->exact = true;
  table_cell(f->t, f->head);
  for (size_t i = 0; i < columns_of(f); i++)
    table_cell(f->t, f->same ? "value" : f->v->runs[i].label);
  table_end_row(f->t);
}

/* Documents have null for unknown values, or leave them out. */
static const json_t *view_facts_known(const json_t *value)
{
  return json_is_null(value) ? NULL : value;
}

static void fact_row(const struct facts_table *f, const char *name,
                     const json_t *(*get)(const json_t *run, const char *name))
{
  const json_t *first = view_facts_known(get(f->v->runs[0].run->json, name));
  bool same = true;

  for (size_t i = 1; i < f->v->n_runs && same; i++) {
    const json_t *other = view_facts_known(get(f->v->runs[i].run->json, name));

    same = first == other || (first && other && json_equal(first, other));
  }
  if (same != f->same)
    return;
  if (f->t->n == 0)
    view_facts_head_row(f);
  table_cell(f->t, name);
  for (size_t i = 0; i < columns_of(f); i++)
    value_cell(f->t, get(f->v->runs[i].run->json, name));
  table_end_row(f->t);
}

/*
 * The members of the objects at `path` in all runs, in order of appearance;
 * owned by the caller.  Of several values, the first object is used, else the
 * first value.
 */
static json_t *view_facts_union_of(const struct facts_table *f,
                                   const char *path)
{
  json_t *all = json_object();

  for (size_t i = 0; all && i < f->v->n_runs; i++) {
    const json_t *here = result_at(f->v->runs[i].run->json, path);
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)(uintptr_t)here, key, value)
    {
      const json_t *seen = json_object_get(all, key);

      if (seen && (json_is_object(seen) || !json_is_object(value)))
        continue;
      if (json_object_set(all, key, value) < 0)
        f->t->failed = true;
    }
  }
  if (!all)
    f->t->failed = true;
  return all;
}

static const json_t *view_facts_option_of(const json_t *run, const char *name)
{
  return json_object_get(json_object_get(run, "options"), name);
}

static const json_t *view_facts_option_value(const json_t *run,
                                             const char *name)
{
  return json_object_get(view_facts_option_of(run, name), "value");
}

static bool view_facts_is_given(const struct view *v, const char *name)
{
  for (size_t i = 0; i < v->n_runs; i++) {
    const char *source = result_text_at(
      view_facts_option_of(v->runs[i].run->json, name), "source");

    if (source && strcmp(source, "default") != 0)
      return true;
  }
  return false;
}

static void view_facts_add_options(const struct view *v, struct table *t,
                                   bool same)
{
  const struct facts_table f = { v, t, "option", same };
  json_t *all = view_facts_union_of(&f, "options");
  const char *name;
  json_t *option;

  json_object_foreach(all, name, option)
  {
    /* The file of a sweep's step is of no interest to readers. */
    if (view_facts_is_given(v, name) && strcmp(name, "sweep-role") != 0 &&
        strcmp(name, "sweep-place") != 0 && strcmp(name, "json") != 0 &&
        !json_is_true(json_object_get(option, "secret")))
      fact_row(&f, name, view_facts_option_value);
  }
  json_decref(all);
}

void view_same_options(const struct view *v, struct table *t)
{
  view_facts_add_options(v, t, true);
}

void view_other_options(const struct view *v, struct table *t)
{
  view_facts_add_options(v, t, false);
}

/* Facts that change from moment to moment. */
static bool view_facts_is_fleeting(const char *key)
{
  return strcmp(key, "available_bytes") == 0 ||
         strcmp(key, "free_bytes") == 0 || strcmp(key, "reading_ns") == 0 ||
         strcmp(key, "round_trip_ns") == 0;
}

static bool view_facts_is_internal(const char *key)
{
  return strstr(key, "monotonic") != NULL;
}

static void view_facts_add_leaves(const struct facts_table *f, const char *path,
                                  int depth)
{
  json_t *all = view_facts_union_of(f, path);
  const char *key;
  json_t *value;

  json_object_foreach(all, key, value)
  {
    struct strbuf below = { 0 };

    strbuf_addf(&below, "%s.%s", path, key);
    if (json_is_object(value) && depth < DEPTH_MAX)
      view_facts_add_leaves(f, strbuf_str(&below), depth + 1);
    else if (!view_facts_is_internal(key) &&
             (f->v->n_runs == 1 || !view_facts_is_fleeting(key)))
      fact_row(f, strbuf_str(&below), result_at);
    strbuf_done(&below);
  }
  json_decref(all);
}

static void view_facts_add_environment(const struct view *v, struct table *t,
                                       bool same)
{
  static const char *const parts[] = { "run", "tool", "environment",
                                       "database" };
  const struct facts_table f = { v, t, "fact", same };

  for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
    view_facts_add_leaves(&f, parts[i], 0);
}

void view_same_environment(const struct view *v, struct table *t)
{
  view_facts_add_environment(v, t, true);
}

void view_other_environment(const struct view *v, struct table *t)
{
  view_facts_add_environment(v, t, false);
}
