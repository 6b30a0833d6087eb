/*
 * compare_tool.c - `bench compare BASE NEW...`: files in, tables out.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "opt/optset.h"
#include "results/jobj.h"
#include "tools/compare.h"
#include "tools/compare_print.h"
#include "tools/tool.h"

enum format {
  FORMAT_TEXT,
  FORMAT_MARKDOWN,
  FORMAT_JSON,
};

struct compare_cfg {
  int format; /* enum format */
  double fail_if_slower;
};

static const char *const format_words[] = { "text", "markdown", "json", NULL };

static const struct opt compare_opts[] = {
  {
    OPT_WORD(struct compare_cfg, format),
    .name = "format",
    .def = "text",
    .words = format_words,
    .help = "form of the comparison {text,markdown,json}",
  },
  {
    OPT_DOUBLE(struct compare_cfg, fail_if_slower),
    .name = "fail-if-slower",
    .fmax = 100,
    .flags = OPT_OPEN_MAX,
    .show_as = "=PERCENT",
    .help = "exit status 3 if a slowdown beyond this is certain, or cannot "
            "be looked for",
  },
  OPT_END,
};

/* All of a comparison of several files. */
struct job {
  const struct compare_cfg *cfg;
  struct strbuf text;
  /* Owned; of FORMAT_JSON. */
  json_t *list, *only_in_base, *only_in_new;
  bool fail_given, slower;
  struct strbuf unknown; /* what --fail-if-slower cannot know; empty: nothing */
};

static int no_memory(struct err *err)
{
  return err_set(err, -ENOMEM, "not enough memory for the comparison");
}

/* One more of them. */
static struct strbuf *next_unknown(struct job *job)
{
  if (job->unknown.len > 0)
    strbuf_adds(&job->unknown, "; ");
  return &job->unknown;
}

/* For --fail-if-slower. */
static void judge(struct job *job, const struct comparisons *c)
{
  if (comparisons_slower(c, job->cfg->fail_if_slower / 100))
    job->slower = true;
  if (comparisons_decided(c))
    return;
  strbuf_addf(next_unknown(job), "'%s' and '%s' cannot be compared",
              c->base->path, c->other->path);
  if (c->base->values) {
    strbuf_adds(&job->unknown, " for ");
    group_describe(c->base, &job->unknown);
  }
}

static int add_comparison(struct job *job, const struct group *base,
                          const struct group *other, struct err *err)
{
  const bool markdown = job->cfg->format == FORMAT_MARKDOWN;
  struct comparisons c = { 0 };
  int rc = comparisons_init(&c, base, other, err);

  if (rc < 0)
    return rc;
  if (job->fail_given)
    judge(job, &c);
  if (job->cfg->format == FORMAT_JSON) {
    if (!json_array_add(job->list, compare_json(&c)))
      rc = no_memory(err);
  } else {
    if (base->values) {
      strbuf_adds(&job->text, markdown ? "\n### " : "\n");
      group_describe(base, &job->text);
      strbuf_adds(&job->text, "\n");
    }
    compare_print_group(base, "base", markdown, &job->text);
    compare_print_group(other, "new", markdown, &job->text);
    strbuf_adds(&job->text, "\n");
    compare_print(&c, markdown, &job->text);
    strbuf_adds(&job->text, "\n");
  }
  comparisons_done(&c);
  return rc;
}

static bool add_step(json_t *list, const struct group *g, const char *other)
{
  struct jobj o = jobj_new();

  jobj_text(&o, "file", g->path);
  jobj_text(&o, "compared_with", other);
  jobj_add(&o, "values",
           g->values ? json_incref((json_t *)(uintptr_t)g->values)
                     : json_null());
  return json_array_add(list, jobj_take(&o));
}

/* Steps that only one of the two has, for people and for programs. */
static void tell_unmatched(struct job *job, const struct groups *here,
                           const struct groups *there, json_t *list)
{
  for (size_t i = 0; i < here->n; i++) {
    if (groups_find(there, here->of[i].values))
      continue;
    strbuf_addf(&job->text, "only in %s: ", here->of[i].path);
    group_describe(&here->of[i], &job->text);
    strbuf_adds(&job->text, "\n");
    if (!add_step(list, &here->of[i], there->of[0].path))
      job->text.failed = true;
  }
}

/* A step that has failed may be one that has become slow. */
static void judge_unmatched(struct job *job, const struct groups *base,
                            const struct groups *other)
{
  for (size_t i = 0; i < base->n; i++) {
    if (groups_find(other, base->of[i].values))
      continue;
    strbuf_addf(next_unknown(job), "'%s' has no result of ", other->of[0].path);
    group_describe(&base->of[i], &job->unknown);
  }
}

/* All steps that both files have. */
static int compare_files(struct job *job, const struct groups *base,
                         const struct groups *other, struct err *err)
{
  size_t matched = 0;
  int rc = 0;

  for (size_t i = 0; i < base->n && rc == 0; i++) {
    const struct group *g = groups_find(other, base->of[i].values);

    if (!g)
      continue;
    matched++;
    rc = add_comparison(job, &base->of[i], g, err);
  }
  if (rc == 0 && matched == 0)
    return err_set(err, -EINVAL, "'%.400s' and '%.400s' have no step in common",
                   base->of[0].path, other->of[0].path);
  tell_unmatched(job, base, other, job->only_in_base);
  tell_unmatched(job, other, base, job->only_in_new);
  if (job->fail_given)
    judge_unmatched(job, base, other);
  return rc;
}

static int compare_with(struct job *job, const struct groups *base,
                        const char *path, struct err *err)
{
  struct result_file file = { 0 };
  struct groups groups = { 0 };
  int rc = result_load(&file, path, err);

  if (rc == 0)
    rc = groups_init(&groups, &file, err);
  if (rc == 0)
    rc = compare_files(job, base, &groups, err);
  groups_done(&groups);
  result_file_done(&file);
  return rc;
}

static int add_text(const char *text, size_t len, void *to)
{
  strbuf_add(to, text, len);
  return ((struct strbuf *)to)->failed ? -1 : 0;
}

/* The comparison as JSON, instead of the text. */
static int make_json(struct job *job, struct err *err)
{
  struct jobj o = jobj_new();
  json_t *all;
  int rc;

  jobj_text(&o, "schema", "bench-compare/1");
  jobj_real(&o, "confidence", BOOT_CONFIDENCE);
  jobj_add(&o, "comparisons", json_incref(job->list));
  jobj_add(&o, "only_in_base", json_incref(job->only_in_base));
  jobj_add(&o, "only_in_new", json_incref(job->only_in_new));
  if (job->fail_given) {
    jobj_bool(&o, "slower", job->slower);
    jobj_bool(&o, "undecided", job->unknown.len > 0);
  }
  all = jobj_take(&o);
  if (!all)
    return no_memory(err);
  strbuf_clear(&job->text);
  rc = json_dump_callback(all, add_text, &job->text,
                          JSON_INDENT(1) | JSON_REAL_PRECISION(15));
  strbuf_adds(&job->text, "\n");
  json_decref(all);
  return rc < 0 ? no_memory(err) : 0;
}

/* Whether it could be written is looked at when the program ends. */
static int print(struct job *job, struct err *err)
{
  struct strbuf shown = { 0 };
  int rc = 0;

  if (job->cfg->format == FORMAT_JSON)
    rc = make_json(job, err);
  else
    compare_explain(&job->text);
  if (rc == 0 && (job->text.failed || job->unknown.failed))
    rc = no_memory(err);
  if (rc < 0)
    return rc;
  /* Labels and settings in results may be anybody's; JSON escapes them. */
  utf8_add_shown(&shown, strbuf_str(&job->text), job->text.len, "\n\t");
  log_put(strbuf_str(&shown), shown.len);
  strbuf_done(&shown);
  if (job->unknown.len > 0)
    log_msg(LOG_WARNING, "--fail-if-slower cannot tell: %s",
            strbuf_str(&job->unknown));
  return 0;
}

static int compare_all(struct job *job, const struct tool_args *args,
                       struct err *err)
{
  struct result_file file = { 0 };
  struct groups base = { 0 };
  int rc = result_load(&file, args->files[0], err);

  if (rc == 0)
    rc = groups_init(&base, &file, err);
  for (size_t i = 1; i < args->n_files && rc == 0; i++)
    rc = compare_with(job, &base, args->files[i], err);
  if (rc == 0)
    rc = print(job, err);
  groups_done(&base);
  result_file_done(&file);
  return rc;
}

static int run_compare(const struct tool_args *args, struct err *err)
{
  struct job job = {
    .cfg = args->cfg,
    .list = json_array(),
    .only_in_base = json_array(),
    .only_in_new = json_array(),
    .fail_given = optset_find(args->set, "fail-if-slower")->given,
  };
  int rc, status = TOOL_OK;

  if (args->n_files < 2)
    rc = err_set(err, -EINVAL, "compare needs two files or more");
  else if (!job.list || !job.only_in_base || !job.only_in_new)
    rc = no_memory(err);
  else
    rc = compare_all(&job, args, err);
  if (rc < 0)
    status = rc == -ENOMEM ? TOOL_FAILED : TOOL_BAD_INPUT;
  else if (job.slower || job.unknown.len > 0)
    status = TOOL_SLOWER;
  strbuf_done(&job.text);
  strbuf_done(&job.unknown);
  json_decref(job.list);
  json_decref(job.only_in_base);
  json_decref(job.only_in_new);
  return status;
}

const struct tool tool_compare = {
  .name = "compare",
  .summary = "compare results: what changed, and how certain that is",
  .usage = "BASE.json NEW.json [MORE.json ...]",
  .opts = compare_opts,
  .cfg_size = sizeof(struct compare_cfg),
  .run = run_compare,
};
