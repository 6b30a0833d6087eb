/*
 * compare_tool.c - `bench compare BASE NEW...`: files in, tables out.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/fmt.h"
#include "base/log.h"
#include "base/parse.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "opt/optset.h"
#include "results/jobj.h"
#include "results/json_parts.h"
#include "results/options.h"
#include "results/summary.h"
#include "stats/hist_sum.h"
#include "stats/slo.h"
#include "tools/compare.h"
#include "tools/compare_print.h"
#include "tools/groups.h"
#include "tools/table.h"
#include "tools/tool.h"

struct slo_table {
  const struct slo *slo; /* borrowed */
  bool steps;            /* rows name their steps; set by the first row */
  struct table table;    /* owned */
  json_t *list;          /* owned */
};

/* ---- verdicts of --slo ---- */

static int slo_group_no_memory(struct err *err)
{
  return err_set(err, -ENOMEM, "not enough memory for the verdicts");
}

static uint64_t slo_group_count_at(const json_t *json, const char *path)
{
  const double n = result_number_at(json, path);

  return n > 0 && n < 1e18 ? (uint64_t)llround(n) : 0;
}

static void slo_group_add_extremes(struct slo_sample *s, const json_t *total,
                                   uint64_t events)
{
  const uint64_t min_ns = slo_group_count_at(total, "latency_ns.min"),
                 max_ns = slo_group_count_at(total, "latency_ns.max");

  if (events == 0)
    return;
  s->min_ns = s->events == 0 || min_ns < s->min_ns ? min_ns : s->min_ns;
  s->max_ns = max_ns > s->max_ns ? max_ns : s->max_ns;
}

/* Corresponds to report_slo_sample(). */
static void slo_group_add_run(struct slo_sample *s, const struct result *r)
{
  const json_t *total = json_object_get(r->json, "totals");
  const uint64_t events = slo_group_count_at(total, "events");
  const uint64_t errors = slo_group_count_at(total, "errors");
  const uint64_t stuck = slo_group_count_at(total, "unfinished_events");
  const double mean_ns = result_number_at(total, "latency_ns.mean");

  slo_group_add_extremes(s, total, events);
  if (r->period_s > 0 && r->period_s < 1e9)
    s->period_ns += (uint64_t)llround(r->period_s * (double)NS_PER_S);
  s->events += events;
  s->errors += errors;
  s->queries += slo_group_count_at(total, "queries.total");
  s->stuck += stuck;
  s->late += stuck;
  if (json_object_get(total, "queue_length")) /* with --rate */
    s->late += errors + slo_group_count_at(total, "queue_length");
  if (events > 0 && mean_ns > 0)
    s->sum_ns += (uint64_t)llround(mean_ns * (double)events);
}

static int slo_group_add_latencies(struct hist_sum *to, const struct result *r,
                                   struct err *err)
{
  struct hist_sum *one;

  if (slo_group_count_at(r->json, "totals.events") == 0)
    return 0;
  one = result_histogram(r);
  if (!one)
    return err_set(err, -EINVAL,
                   "'%.400s' has no histogram of latencies, so --slo cannot "
                   "judge its percentiles",
                   r->path);
  hist_sum_merge(to, one);
  hist_sum_free(one);
  return 0;
}

/* All runs of a group count as a single run. -EINVAL: a percentile has a
 * limit, but a run has no readable histogram. */
static int slo_group_slo_judge(const struct slo *slo, const struct group *g,
                               struct slo_verdict *ret, struct err *err)
{
  struct hist_sum *all = slo_needs_histogram(slo) ? hist_sum_new() : NULL;
  struct slo_sample sample = { .hist = all };
  int rc = 0;

  if (slo_needs_histogram(slo) && !all)
    return slo_group_no_memory(err);
  for (size_t i = 0; i < g->n && rc == 0; i++) {
    slo_group_add_run(&sample, g->runs[i]);
    if (all)
      rc = slo_group_add_latencies(all, g->runs[i], err);
  }
  if (rc == 0)
    slo_judge(slo, &sample, ret);
  hist_sum_free(all);
  return rc;
}

static void slo_table_done(struct slo_table *t)
{
  table_done(&t->table);
  json_decref(t->list);
}

static void slo_group_add_heads(struct slo_table *t)
{
  table_cell(&t->table, "objective");
  table_cell(&t->table, "file");
  if (t->steps)
    table_cell(&t->table, "step");
  for (unsigned i = 0; i < t->slo->n; i++)
    table_cell(&t->table, t->slo->term[i].text);
  table_end_row(&t->table);
}

static void slo_group_term_cell(struct slo_table *t, const struct slo_result *r)
{
  static const char *const marks[] = {
    [SLO_HELD] = "",
    [SLO_FAILED] = " (not held)",
    [SLO_UNKNOWN] = " (too few events)",
  };
  char value[SLO_VALUE_SIZE];

  table_cellf(&t->table, "%s%s", slo_value_text(value, r),
              marks[slo_result_state(r)]);
}

static void slo_group_add_row(struct slo_table *t, const struct group *g,
                              const struct slo_verdict *v)
{
  struct strbuf step = { 0 };

  group_describe(g, &step);
  if (t->table.n == 0) {
    t->steps = step.len > 0;
    slo_group_add_heads(t);
  }
  table_cell(&t->table, slo_state_name(v->state));
  table_cell(&t->table, g->path);
  if (t->steps)
    table_cell(&t->table, strbuf_str(&step));
  for (unsigned i = 0; i < v->n; i++)
    slo_group_term_cell(t, &v->of[i]);
  table_end_row(&t->table);
  strbuf_done(&step);
}

static bool slo_group_add_json(struct slo_table *t, const struct group *g,
                               const struct slo_verdict *v)
{
  struct jobj o = jobj_new();

  if (!t->list)
    t->list = json_array();
  jobj_text(&o, "file", g->path);
  jobj_add(&o, "values",
           g->values ? json_incref((json_t *)(uintptr_t)g->values)
                     : json_null());
  jobj_add(&o, "slo", json_slo(v));
  return jobj_array_add(t->list, jobj_take(&o));
}

/* A row per group; *ret_missed: a group missed. */
static int slo_table_add(struct slo_table *t, const struct groups *g,
                         bool *ret_missed, struct err *err)
{
  for (size_t i = 0; i < g->n; i++) {
    struct slo_verdict v;
    const int rc = slo_group_slo_judge(t->slo, &g->of[i], &v, err);

    if (rc < 0)
      return rc;
    if (v.state != SLO_HELD)
      *ret_missed = true;
    slo_group_add_row(t, &g->of[i], &v);
    if (!slo_group_add_json(t, &g->of[i], &v) || t->table.failed)
      return slo_group_no_memory(err);
  }
  return 0;
}

static void slo_table_print(const struct slo_table *t, enum table_format format,
                            struct strbuf *out)
{
  table_print(&t->table, format, out);
  strbuf_adds(out, "\n");
}

/* ---- the tool ---- */

enum format {
  FORMAT_TEXT,
  FORMAT_MARKDOWN,
  FORMAT_JSON,
};

enum inconclusive {
  INCONCLUSIVE_FAIL,
  INCONCLUSIVE_PASS,
};

struct compare_cfg {
  int format; /* enum format */
  const char *fail_if_slower;
  int inconclusive; /* enum inconclusive */
};

static const char *const format_words[] = { "text", "markdown", "json", NULL };
static const char *const inconclusive_words[] = { "fail", "pass", NULL };

/* "5" and "5%" are 0.05; 0: not a percentage. */
static double compare_tool_read_percent(const char *text)
{
  const size_t len = strlen(text);
  char number[32];
  double percent;

  if (len == 0 || len >= sizeof(number))
    return 0;
  memcpy(number, text, len + 1);
  if (number[len - 1] == '%')
    number[len - 1] = '\0';
  if (parse_double(number, &percent) < 0 || !(percent > 0 && percent < 100))
    return 0;
  return percent / 100;
}

static bool compare_tool_is_percent(const char *text)
{
  return compare_tool_read_percent(text) > 0;
}

static const struct opt compare_opts[] = {
  {
    OPT_WORD(struct compare_cfg, format),
    .name = "format",
    .def = "text",
    .words = format_words,
    .help = "form of the comparison {text,markdown,json}",
  },
  {
    OPT_STRING(struct compare_cfg, fail_if_slower),
    .name = "fail-if-slower",
    .check = compare_tool_is_percent,
    .expected = "a number of percent above 0 and below 100, such as 5%",
    .show_as = "=PERCENT",
    .help = "exit with status 3 if slower by more than PERCENT, and with 5 if "
            "inconclusive",
    .man = "Throughput counts, or mean latency if both runs had the same "
           "--rate. The status is 3 if the whole 99 % interval of the change "
           "is beyond PERCENT, and 5 if a part of it is, or if the runs cannot "
           "be compared. 5% is the same as 5. PERCENT is also the threshold of "
           "all verdicts, which is 5 without this option.",
  },
  {
    OPT_WORD(struct compare_cfg, inconclusive),
    .name = "inconclusive",
    .def = "fail",
    .words = inconclusive_words,
    .help = "whether an inconclusive result fails or passes --fail-if-slower "
            "{fail,pass}",
    .man = "With pass, the status is 0 and not 5 if the interval contains a "
           "slowdown of more than PERCENT, so only a slowdown that is certain "
           "fails. A step of the base that the new file lacks fails in either "
           "case.",
  },
  OPT_END,
};

struct job {
  const struct compare_cfg *cfg;
  struct compare_summary summary;
  struct strbuf text;
  /* Owned; for FORMAT_JSON. */
  json_t *list, *only_in_base, *only_in_new, *searches;
  struct strbuf answers; /* of searches, above the rest */
  struct slo slo;        /* without terms: no --slo */
  struct slo_table verdicts;
  bool missed;
};

static int compare_tool_no_memory(struct err *err)
{
  return err_set(err, -ENOMEM, "not enough memory for the comparison");
}

static void compare_tool_add_details(struct job *job,
                                     const struct comparisons *c)
{
  const bool markdown = job->cfg->format == FORMAT_MARKDOWN;

  if (c->base->values) {
    struct strbuf step = { 0 };

    group_describe(c->base, &step);
    compare_print_line(&step, markdown ? "\n### " : "\n", markdown, &job->text);
  }
  compare_print_group(c->base, "base", markdown, &job->text);
  compare_print_group(c->other, "new", markdown, &job->text);
  strbuf_adds(&job->text, "\n");
  compare_print(c, job->summary.share, markdown, &job->text);
  strbuf_adds(&job->text, "\n");
}

static int compare_tool_add_comparison(struct job *job,
                                       const struct group *base,
                                       const struct group *other,
                                       struct err *err)
{
  struct comparisons c = { 0 };
  int rc = comparisons_init(&c, base, other, err);

  if (rc < 0)
    return rc;
  compare_summary_add(&job->summary, &c);
  if (job->cfg->format != FORMAT_JSON)
    compare_tool_add_details(job, &c);
  else if (!jobj_array_add(job->list, compare_json(&c, job->summary.share,
                                                   job->summary.gated)))
    rc = compare_tool_no_memory(err);
  comparisons_done(&c);
  return rc;
}

static bool compare_tool_add_step(json_t *list, const struct group *g,
                                  const char *other)
{
  struct jobj o = jobj_new();

  jobj_text(&o, "file", g->path);
  jobj_text(&o, "compared_with", other);
  jobj_add(&o, "values",
           g->values ? json_incref((json_t *)(uintptr_t)g->values)
                     : json_null());
  return jobj_array_add(list, jobj_take(&o));
}

static void compare_tool_tell_unmatched(struct job *job,
                                        const struct groups *here,
                                        const struct groups *there,
                                        json_t *list)
{
  for (size_t i = 0; i < here->n; i++) {
    if (groups_find(there, here->of[i].values))
      continue;
    strbuf_addf(&job->text, "only in %s: ", here->of[i].path);
    group_describe(&here->of[i], &job->text);
    strbuf_adds(&job->text, "\n");
    if (!compare_tool_add_step(list, &here->of[i], there->of[0].path))
      job->text.failed = true;
  }
}

/* A failed step can be a slow step. */
static void compare_tool_add_missing(struct job *job, const struct groups *base,
                                     const struct groups *other)
{
  for (size_t i = 0; i < base->n; i++) {
    if (!groups_find(other, base->of[i].values))
      compare_summary_add_missing(&job->summary, &base->of[i],
                                  other->of[0].path);
  }
}

static int compare_tool_files(struct job *job, const struct groups *base,
                              const struct groups *other, struct err *err)
{
  size_t matched = 0;
  int rc = 0;

  for (size_t i = 0; i < base->n && rc == 0; i++) {
    const struct group *g = groups_find(other, base->of[i].values);

    if (!g)
      continue;
    matched++;
    rc = compare_tool_add_comparison(job, &base->of[i], g, err);
  }
  if (rc == 0 && matched == 0)
    return err_set(err, -EINVAL, "'%.400s' and '%.400s' have no step in common",
                   base->of[0].path, other->of[0].path);
  compare_tool_tell_unmatched(job, base, other, job->only_in_base);
  compare_tool_tell_unmatched(job, other, base, job->only_in_new);
  if (json_array_size(job->searches) == 0) /* other steps */
    compare_tool_add_missing(job, base, other);
  return rc;
}

static int compare_tool_with(struct job *job, const struct groups *base,
                             const struct result_file *base_file,
                             const char *path, struct err *err)
{
  struct result_file file = { 0 };
  struct groups groups = { 0 };
  int rc = result_load(&file, path, err);

  if (rc == 0)
    rc = result_file_check_pair(base_file, &file, err);
  if (rc == 0)
    rc = groups_init(&groups, &file, err);
  if (rc == 0)
    rc = compare_search(base_file, &file,
                        job->summary.markdown ? TABLE_MARKDOWN : TABLE_TEXT,
                        &job->answers, job->searches, err);
  if (rc == 0)
    rc = compare_tool_files(job, base, &groups, err);
  if (rc == 0 && job->slo.n > 0)
    rc = slo_table_add(&job->verdicts, &groups, &job->missed, err);
  groups_done(&groups);
  result_file_done(&file);
  return rc;
}

static int compare_tool_add_text(const char *text, size_t len, void *to)
{
  strbuf_add(to, text, len);
  return ((struct strbuf *)to)->failed ? -1 : 0;
}

static int compare_tool_make_json(struct job *job, struct strbuf *out,
                                  struct err *err)
{
  const struct compare_summary *s = &job->summary;
  struct jobj o = jobj_new();
  json_t *all;
  int rc;

  jobj_text(&o, "schema", "bench-compare/1");
  jobj_real(&o, "confidence", BOOT_CONFIDENCE);
  jobj_real(&o, "threshold", s->share);
  jobj_add(&o, "comparisons", json_incref(job->list));
  jobj_add(&o, "only_in_base", json_incref(job->only_in_base));
  jobj_add(&o, "only_in_new", json_incref(job->only_in_new));
  if (json_array_size(job->searches) > 0)
    jobj_add(&o, "searches", json_incref(job->searches));
  if (job->verdicts.list)
    jobj_add(&o, "objective", json_incref(job->verdicts.list));
  if (s->gated) {
    jobj_bool(&o, "slower", s->slower > 0);
    jobj_bool(&o, "undecided", s->unknown + s->missing > 0);
  }
  all = jobj_take(&o);
  if (!all)
    return compare_tool_no_memory(err);
  rc = json_dump_callback(all, compare_tool_add_text, out,
                          JSON_INDENT(1) | JSON_REAL_PRECISION(15));
  strbuf_adds(out, "\n");
  json_decref(all);
  return rc < 0 ? compare_tool_no_memory(err) : 0;
}

static int compare_tool_gate_status(const struct job *job)
{
  const struct compare_summary *s = &job->summary;
  const bool passes = job->cfg->inconclusive == INCONCLUSIVE_PASS;

  if (s->slower > 0)
    return TOOL_SLOWER;
  return s->missing + (passes ? 0 : s->unknown) > 0 ? TOOL_UNDECIDED : TOOL_OK;
}

/* For logs that show nothing else. */
static void compare_tool_say_failed(const struct job *job)
{
  const struct compare_summary *s = &job->summary;

  if (compare_tool_gate_status(job) != TOOL_OK)
    log_msg(LOG_WARNING,
            "--fail-if-slower=%s failed: %u slower and %u inconclusive of %u "
            "comparison%s",
            job->cfg->fail_if_slower, s->slower, s->unknown + s->missing,
            s->all, fmt_plural(s->all));
}

/* To `file`, or to stdout (NULL), whose errors are reported at the end. */
static int compare_tool_print(struct job *job, const char *file,
                              struct err *err)
{
  struct strbuf out = { 0 }, shown = { 0 };
  int rc = 0;

  if (job->cfg->format == FORMAT_JSON) {
    rc = compare_tool_make_json(job, &out, err);
  } else {
    strbuf_add(&out, strbuf_str(&job->answers), job->answers.len);
    compare_summary_print(&job->summary, &out);
    compare_explain(&out);
    if (job->slo.n > 0) {
      strbuf_adds(&out, "\n");
      slo_table_print(&job->verdicts,
                      job->summary.markdown ? TABLE_MARKDOWN : TABLE_TEXT,
                      &out);
    }
    strbuf_adds(&out, "\n");
    strbuf_add(&out, strbuf_str(&job->text), job->text.len);
  }
  if (rc == 0 && (job->text.failed || job->answers.failed ||
                  job->summary.lines.failed || out.failed))
    rc = compare_tool_no_memory(err);
  if (rc == 0) {
    /* Results can contain any text; JSON escapes control characters. */
    utf8_add_shown(&shown, strbuf_str(&out), out.len, "\n\t");
    if (file) {
      summary_machine(&shown);
      rc = summary_write(file, &shown, err);
    } else {
      log_put(strbuf_str(&shown), shown.len);
      compare_tool_say_failed(job);
    }
  }
  strbuf_done(&shown);
  strbuf_done(&out);
  return rc;
}

static int compare_tool_all(struct job *job, const struct tool_args *args,
                            const char *to_file, struct err *err)
{
  struct result_file file = { 0 };
  struct groups base = { 0 };
  bool ignored; /* the base can lack it */
  int rc = result_load(&file, args->files[0], err);

  if (rc == 0)
    rc = groups_init(&base, &file, err);
  if (rc == 0 && job->slo.n > 0)
    rc = slo_table_add(&job->verdicts, &base, &ignored, err);
  for (size_t i = 1; i < args->n_files && rc == 0; i++)
    rc = compare_tool_with(job, &base, &file, args->files[i], err);
  if (rc == 0)
    rc = compare_tool_print(job, to_file, err);
  groups_done(&base);
  result_file_done(&file);
  return rc;
}

static void compare_tool_job_init(struct job *job, const struct tool_args *args)
{
  const struct compare_cfg *cfg = args->cfg;
  const bool gated = optset_find(args->set, "fail-if-slower")->given;

  *job = (struct job){
    .cfg = cfg,
    .summary = { .share = gated ? compare_tool_read_percent(cfg->fail_if_slower)
                                : VERDICT_SHARE,
                 .gated = gated,
                 .files = args->n_files > 2,
                 .markdown = cfg->format == FORMAT_MARKDOWN },
    .list = json_array(),
    .only_in_base = json_array(),
    .only_in_new = json_array(),
    .searches = json_array(),
  };
  job->verdicts.slo = &job->slo;
}

static void compare_tool_job_done(struct job *job)
{
  compare_summary_done(&job->summary);
  strbuf_done(&job->text);
  json_decref(job->list);
  json_decref(job->only_in_base);
  json_decref(job->only_in_new);
  json_decref(job->searches);
  strbuf_done(&job->answers);
  slo_table_done(&job->verdicts);
}

static int compare_tool_write_summary(const struct job *shown,
                                      const struct tool_args *args,
                                      struct err *err)
{
  const struct compare_cfg cfg = {
    .format = FORMAT_MARKDOWN,
    .fail_if_slower = shown->cfg->fail_if_slower,
    .inconclusive = shown->cfg->inconclusive,
  };
  struct tool_args again = *args;
  struct job job;
  int rc;

  again.cfg = &cfg;
  compare_tool_job_init(&job, &again);
  job.slo = shown->slo;
  rc = !job.list || !job.only_in_base || !job.only_in_new || !job.searches
         ? compare_tool_no_memory(err)
         : compare_tool_all(&job, &again, results_summary(args->results), err);
  compare_tool_job_done(&job);
  return rc;
}

static int compare_tool_run_compare(const struct tool_args *args,
                                    struct err *err)
{
  struct job job;
  int rc, status = TOOL_OK;

  compare_tool_job_init(&job, args);
  (void)slo_parse(args->objective, &job.slo, err); /* checked before */
  if (args->n_files < 2)
    rc = err_set(err, -EINVAL, "compare needs two files or more");
  else if (!job.list || !job.only_in_base || !job.only_in_new || !job.searches)
    rc = compare_tool_no_memory(err);
  else
    rc = compare_tool_all(&job, args, NULL, err);
  if (rc < 0)
    status = rc == -ENOMEM ? TOOL_FAILED : TOOL_BAD_INPUT;
  else if (*results_summary(args->results) &&
           compare_tool_write_summary(&job, args, err) < 0)
    status = TOOL_FAILED;
  else if (compare_tool_gate_status(&job) == TOOL_SLOWER)
    status = TOOL_SLOWER;
  else if (job.missed)
    status = TOOL_MISSED;
  else
    status = compare_tool_gate_status(&job);
  compare_tool_job_done(&job);
  return status;
}

const struct tool tool_compare = {
  .name = "compare",
  .summary = "compare results: what changed, and how certain that is",
  .usage = "BASE.json NEW.json [...] [--slo=TERMS] [--summary=FILE.md]",
  .opts = compare_opts,
  .cfg_size = sizeof(struct compare_cfg),
  .run = compare_tool_run_compare,
};
