/*
 * differences.c - what differs between two runs besides their figures: options,
 * versions, machines, and how they ended.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "opt/suggest.h"
#include "results/options.h"
#include "tools/compare.h"
#include "tools/sweep_opts.h"

enum {
  DEPTH_MAX = 8,
};

/* Facts that change from moment to moment. */
static const char *const ignored_facts[] = {
  "available_bytes",
  "data_bytes", /* runs that write change it */
  "free_bytes",
  "reading_ns",
};

static bool is_among(const char *const *list, size_t n, const char *name)
{
  for (size_t i = 0; i < n; i++) {
    if (strcmp(list[i], name) == 0)
      return true;
  }
  return false;
}

static char *text_of(const json_t *value)
{
  if (!value)
    return mem_strdup("nothing");
  if (json_is_string(value))
    return mem_strdup(json_string_value(value));
  return json_dumps(value,
                    JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6));
}

static void add(struct comparisons *c, const char *what, const json_t *base,
                const json_t *other)
{
  struct difference *more = realloc(c->differences,
                                    (c->n_differences + 1) * sizeof(*more));
  struct difference *d;

  if (!more) {
    c->failed = true;
    return;
  }
  c->differences = more;
  d = &c->differences[c->n_differences++];
  d->what = mem_strdup(what);
  d->base = text_of(base);
  d->other = text_of(other);
  if (!d->what || !d->base || !d->other)
    c->failed = true;
}

static void compare_value(struct comparisons *c, const char *what,
                          const json_t *a, const json_t *b, int depth);

/* Members of both objects, each once. */
static void compare_objects(struct comparisons *c, const char *what,
                            const json_t *a, const json_t *b, int depth)
{
  struct strbuf name = { 0 };
  const char *key;
  json_t *value;

  json_object_foreach((json_t *)(uintptr_t)a, key, value)
  {
    strbuf_clear(&name);
    strbuf_addf(&name, "%s %s", what, key);
    if (!is_among(ignored_facts, ARRAY_SIZE(ignored_facts), key))
      compare_value(c, strbuf_str(&name), value, json_object_get(b, key),
                    depth);
  }
  json_object_foreach((json_t *)(uintptr_t)b, key, value)
  {
    strbuf_clear(&name);
    strbuf_addf(&name, "%s %s", what, key);
    if (!json_object_get(a, key) &&
        !is_among(ignored_facts, ARRAY_SIZE(ignored_facts), key))
      compare_value(c, strbuf_str(&name), NULL, value, depth);
  }
  strbuf_done(&name);
}

static void compare_value(struct comparisons *c, const char *what,
                          const json_t *a, const json_t *b, int depth)
{
  if (a == b || (a && b && json_equal(a, b)))
    return;
  if (depth < DEPTH_MAX && json_is_object(a) && json_is_object(b))
    compare_objects(c, what, a, b, depth + 1);
  else
    add(c, what, a, b);
}

/* Options for the destination and the name of results, and for sweeps only. */
static bool is_ignored(const char *option)
{
  return opt_rows_have(results_opts, option) ||
         opt_rows_have(sweep_opts, option) || strcmp(option, "test") == 0 ||
         strcmp(option, "label") == 0 || strcmp(option, "config-file") == 0;
}

static void compare_option(struct comparisons *c, const char *name,
                           const json_t *a, const json_t *b)
{
  struct strbuf what = { 0 };

  a = json_object_get(a, "value");
  b = json_object_get(b, "value");
  if (a == b || (a && b && json_equal(a, b)) || is_ignored(name))
    return;
  strbuf_addf(&what, "option %s", name);
  add(c, strbuf_str(&what), a, b);
  strbuf_done(&what);
}

static void compare_options(struct comparisons *c, const json_t *a,
                            const json_t *b)
{
  const char *name;
  json_t *option;

  json_object_foreach((json_t *)(uintptr_t)a, name, option)
  {
    compare_option(c, name, option, json_object_get(b, name));
  }
  json_object_foreach((json_t *)(uintptr_t)b, name, option)
  {
    if (!json_object_get(a, name))
      compare_option(c, name, NULL, option);
  }
}

/* A run that was cut short has other figures, too. */
static void compare_ends(struct comparisons *c, const json_t *a,
                         const json_t *b)
{
  a = result_at(a, "run.end_reason");
  b = result_at(b, "run.end_reason");
  if (a && b && !json_equal(a, b))
    add(c, "end of the run", a, b);
}

void differences_find(struct comparisons *c)
{
  const json_t *a = c->base->runs[0]->json, *b = c->other->runs[0]->json;
  static const char *const parts[] = { "tool", "environment", "database" };

  compare_options(c, json_object_get(a, "options"),
                  json_object_get(b, "options"));
  for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
    compare_value(c, parts[i], json_object_get(a, parts[i]),
                  json_object_get(b, parts[i]), 0);
  compare_ends(c, a, b);
}
