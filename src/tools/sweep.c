#include "tools/sweep.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/err.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "opt/optset.h"
#include "results/outfile.h"
#include "run/runner.h"
#include "stats/slo.h"
#include "tools/child.h"
#include "tools/find.h"
#include "tools/output.h"
#include "tools/sweep_internal.h"
#include "tools/sweep_opts.h"
#include "tools/table.h"

/* ---- size of the data ---- */

/* NAN: not known. */
static double sweep_data_bytes_of(const struct sweep_outcome *o)
{
  return o->result.json
           ? result_number_at(o->result.run.json, "database.data_bytes")
           : NAN;
}

static const struct sweep_outcome *
sweep_data_first_of(const struct sweep *s, const struct sweep_outcome *o)
{
  for (size_t i = 0; i < s->n_outcomes; i++) {
    const struct sweep_outcome *f = &s->outcomes[i];

    if (sweep_data_bytes_of(f) > 0 &&
        (!s->prepares || f->combination == o->combination))
      return f;
  }
  return NULL;
}

double sweep_data_change(const struct sweep *s, size_t *ret_step)
{
  double change = NAN;

  for (size_t i = 0; i < s->n_outcomes; i++) {
    const struct sweep_outcome *o = &s->outcomes[i];
    const struct sweep_outcome *first = sweep_data_first_of(s, o);
    double by;

    if (!first || first == o)
      continue;
    by = sweep_data_bytes_of(o) / sweep_data_bytes_of(first) - 1;
    if (isfinite(by) && (isnan(change) || fabs(by) > fabs(change))) {
      change = by;
      *ret_step = i + 1;
    }
  }
  return change;
}

static void sweep_data_warn(const struct sweep *s)
{
  size_t step = 0;
  const double change = sweep_data_change(s, &step);

  if (isfinite(change) && fabs(change) > SWEEP_DRIFT_SHARE)
    log_msg(LOG_WARNING,
            "the data set was %.1f %% %s before step %zu than at the start, so "
            "the steps are not comparable; restore it with --sweep-reset or "
            "--sweep-prepare=on",
            100 * fabs(change), change > 0 ? "larger" : "smaller", step);
}

/* `before`: number of a step. */
static int sweep_run_reference(struct sweep *s, size_t before, struct err *err)
{
  struct sweep_reference *r = &s->references[s->n_references];
  struct strbuf what = { 0 };
  int rc;

  *r = (struct sweep_reference){ .before = before, .outcome.repeat = 1 };
  sweep_plan_describe(&s->plan, 0, &what);
  (void)fprintf(s->text, "%s=== Reference%s%s\n\n",
                sweep_is_first(s) ? "" : "\n", what.len > 0 ? ": " : "",
                strbuf_str(&what));
  strbuf_done(&what);
  (void)fflush(s->text);
  rc = sweep_reset(s, &r->outcome, err);
  if (rc < 0 || sweep_is_over(s))
    return rc;
  s->n_references++;
  return sweep_perform(s, &r->outcome, 0, err);
}

double sweep_reference_drift(const double *figures, size_t n, size_t *ret_at)
{
  size_t first = n, at = n;
  double drift = NAN;

  for (size_t i = 0; i < n; i++) {
    if (!(figures[i] > 0))
      continue;
    if (first == n)
      first = i;
    else if (isnan(drift) ||
             fabs(figures[i] / figures[first] - 1) > fabs(drift)) {
      drift = figures[i] / figures[first] - 1;
      at = i;
    }
  }
  *ret_at = at;
  return drift;
}

static double sweep_reference_drift_of(const struct sweep *s, size_t *ret_at)
{
  double *x = calloc(s->n_references + 1, sizeof(*x));
  double drift = NAN;

  for (size_t i = 0; x && i < s->n_references; i++) {
    const struct sweep_outcome *o = &s->references[i].outcome;

    x[i] = sweep_outcome_good(o) ? o->result.run.events_per_s : NAN;
  }
  if (x)
    drift = sweep_reference_drift(x, s->n_references, ret_at);
  free(x);
  return drift;
}

static void sweep_references_table(const struct sweep *s, struct strbuf *out)
{
  size_t at = 0;
  const double drift = sweep_reference_drift_of(s, &at);
  struct strbuf what = { 0 };

  if (s->n_references == 0 || s->in->cfg->format == TABLE_CSV)
    return;
  sweep_plan_describe(&s->plan, 0, &what);
  strbuf_addf(out, "reference: %s, events/s", strbuf_str(&what));
  strbuf_done(&what);
  for (size_t i = 0; i < s->n_references; i++) {
    const struct sweep_outcome *o = &s->references[i].outcome;

    if (sweep_outcome_good(o))
      strbuf_addf(out, "%s %.2f", i > 0 ? "," : "", o->result.run.events_per_s);
    else
      strbuf_addf(out, "%s failed", i > 0 ? "," : "");
  }
  if (isfinite(drift))
    strbuf_addf(out, " (%+.1f %%)", 100 * drift);
  strbuf_adds(out, "\n");
}

static void sweep_references_warn(const struct sweep *s)
{
  size_t at = 0;
  const double drift = sweep_reference_drift_of(s, &at);

  if (isfinite(drift) && fabs(drift) > SWEEP_DRIFT_SHARE)
    log_msg(
      LOG_WARNING,
      "the reference step has drifted by %+.1f %% (%s step %zu), so the steps "
      "are not comparable; use --sweep-reset, --settle or a longer --time",
      100 * drift,
      s->references[at].before <= s->n_outcomes ? "before" : "after",
      s->references[at].before <= s->n_outcomes ? s->references[at].before
                                                : s->n_outcomes);
}

/* ---- search ---- */

/* The longest closed loop before the search. */
#define CEILING_MAX_S 10.0
/* The warm-up's share of --time, unless --warmup-time is given. */
#define WARMUP_SHARE 0.1

/* A new value makes the plan grow. */
static int sweep_find_combination(struct sweep *s, double value, size_t *ret,
                                  struct err *err)
{
  char text[32];

  for (size_t i = 0; i < s->plan.n_combinations; i++) {
    *ret = i;
    if (strtod(s->plan.spec[0].values[i], NULL) == value)
      return 0;
  }
  *ret = s->plan.n_combinations;
  (void)snprintf(text, sizeof(text), "%.10g", value);
  return sweep_plan_add(&s->plan, search_what_name(s->find.rules.what), text,
                        err);
}

static bool sweep_find_is_given(const struct sweep *s, const char *option)
{
  const struct opt_entry *e = optset_find(s->in->set, option);

  return e && e->given;
}

static void sweep_find_set_options(struct sweep *s, const struct find *f)
{
  const double time_s = s->in->time_s;
  const bool closed = f->rules.what == SEARCH_RATE && f->search.value == 0;
  const double length_s = closed ? fmin(time_s, CEILING_MAX_S) : time_s;

  strbuf_clear(&s->extra);
  strbuf_addf(&s->extra, "--time=%.10g\n", length_s);
  if (!sweep_find_is_given(s, "warmup-time"))
    strbuf_addf(&s->extra, "--warmup-time=%.10g\n",
                fmax(round(length_s * WARMUP_SHARE * 1000) / 1000, 0.001));
  strbuf_addf(&s->extra, "--slo-until-decided=%s\n", closed ? "off" : "on");
}

/* Codes of doubts; sweep_doubts() has the words. */
static void sweep_find_print_codes(const struct sweep *s, const json_t *json)
{
  const json_t *list = json_object_get(json, "warnings");
  const char *before = "  ! ";

  for (size_t i = 0; i < json_array_size(list); i++) {
    const char *code = sweep_doubt(json_array_get(list, i));

    if (!code)
      continue;
    (void)fprintf(s->text, "%s%s", before, code);
    before = ", ";
  }
}

/* A thread has one event at a time, which limits the rate. */
static void sweep_find_print_title(const struct sweep *s)
{
  const char *what = sweep_find_is_given(s, "clients") ? "clients" : "threads";
  const struct opt_entry *e = optset_find(s->in->set, what);
  const char *n = e ? opt_get_string(e) : "";

  (void)fprintf(s->text, "Searching for the highest %s that holds %s",
                find_noun(&s->find), s->find.objective);
  if (s->find.rules.what == SEARCH_RATE && *n && !s->in->own_clients)
    (void)fprintf(s->text, ", with %s %.*s%s", n, (int)strlen(what) - 1, what,
                  strcmp(n, "1") == 0
                    ? ", which has one event at a time; give more --threads or "
                      "--clients unless that is meant"
                    : "s");
  (void)fputs("\n\n", s->text);
}

/* The last column is the first term with a limit of time. */
static void sweep_find_print_header(const struct sweep *s)
{
  const struct slo *slo = &s->find.slo;
  const char *name = "latency";
  int len = (int)strlen(name);

  for (unsigned i = slo->n; i > 0; i--) {
    if (slo->term[i - 1].kind->unit != SLO_NS)
      continue;
    name = slo->term[i - 1].text;
    len = (int)strcspn(name, "<");
  }
  (void)fprintf(s->text, "step  %-9s  %-13s  %-7s  %19s  %13.*s  %9s\n",
                "phase", search_what_name(s->find.rules.what), "verdict",
                "throughput", len, name, "measured");
}

static void sweep_find_print_step(const struct sweep *s, const struct find *f)
{
  const size_t i = f->n - 1;
  const struct search_step *step = &f->step[i];
  const struct result_file *result = &s->outcomes[s->n_outcomes - 1].result;
  const bool is_free = f->rules.what == SEARCH_RATE && step->value == 0;
  const bool has_run = result->json && isfinite(result->run.period_s);
  struct strbuf value = { 0 };

  if (is_free)
    strbuf_adds(&value, "closed loop");
  else
    find_value(f, step->value, &value);
  (void)fprintf(s->text, "%4zu  %-9s  %-13s  %-7s", f->n,
                search_phase_name(step->phase), strbuf_str(&value),
                is_free ? "" : search_verdict_name(step->verdict));
  if (has_run)
    (void)fprintf(s->text, "  %10.2f events/s", step->throughput);
  if (f->latency_ns[i] > 0 && isfinite(f->latency_ns[i]))
    (void)fprintf(s->text, "  %10.3f ms", f->latency_ns[i] / 1e6);
  else if (has_run)
    (void)fprintf(s->text, "  %10s   ", "-");
  if (has_run)
    (void)fprintf(s->text, "  %7.1f s", result->run.period_s);
  sweep_find_print_codes(s, result->json);
  (void)fputs("\n", s->text);
  (void)fflush(s->text);
  strbuf_done(&value);
}

bool sweep_find_explained(const struct sweep *s, const struct sweep_outcome *o)
{
  for (size_t i = 0; i < s->find.n; i++) {
    if (s->find.step[i].verdict == SEARCH_REFUSED)
      return o->result.json && find_never_began(&o->result.run);
  }
  return false;
}

static int sweep_find_run_step(struct sweep *s, struct find *f, struct err *err)
{
  size_t combination = 0;
  int rc = sweep_find_combination(s, f->search.value, &combination, err);

  if (rc < 0)
    return rc;
  sweep_find_set_options(s, f);
  if (s->extra.failed)
    return sweep_no_memory(err);
  rc = sweep_step(s, combination, f->n + 1, err);
  if (rc == 0 && !sweep_is_over(s)) {
    const struct sweep_outcome *o = &s->outcomes[s->n_outcomes - 1];
    const struct result *run = o->result.json ? &o->result.run : NULL;

    if (o->failed)
      find_judge_failed(f, f->search.phase, f->search.value, run);
    else
      find_judge(f, f->search.phase, f->search.value, run);
    sweep_find_print_step(s, f);
  }
  return rc;
}

static int sweep_find_steps(struct sweep *s, struct err *err)
{
  struct find *f = &s->find;
  int rc = 0;

  s->outcomes = calloc(SEARCH_STEPS_MAX, sizeof(*s->outcomes));
  if (!s->outcomes)
    return sweep_no_memory(err);
  sweep_find_print_title(s);
  sweep_find_print_header(s);
  for (;;) {
    find_choose(f);
    if (rc < 0 || sweep_is_over(s) || f->search.end != SEARCH_GOES_ON)
      return rc;
    if (f->n > 0 && s->in->cfg->pause_s > 0)
      children_pause(&s->children, s->in->cfg->pause_s);
    if (!sweep_is_over(s))
      rc = sweep_find_run_step(s, f, err);
  }
}

static void sweep_find_print(const struct sweep *s)
{
  struct strbuf out = { 0 };

  find_say(&s->find, &out);
  sweep_doubts(s, "\nWarnings of the steps (!):\n", TABLE_TEXT, &out);
  (void)fprintf(s->text, "\n%s", strbuf_str(&out));
  (void)fflush(s->text);
  strbuf_done(&out);
}

static void sweep_pause_between(struct sweep *s)
{
  if (!sweep_is_first(s) && s->in->cfg->pause_s > 0)
    children_pause(&s->children, s->in->cfg->pause_s);
}

/*
 * If nobody reads the table and no file is written, the sweep ends as if by the
 * closed pipe, but removes its temporary files.
 */
static void sweep_look_for_reader(struct sweep *s)
{
  if (!*s->in->json && !*s->in->summary && s->in->n_files == 0 &&
      s->children.signal == 0 && log_is_unread())
    s->children.signal = SIGPIPE;
}

static int sweep_run_steps(struct sweep *s, struct err *err)
{
  const size_t all = sweep_steps(s);
  const size_t every = (size_t)s->in->cfg->reference_every;
  const size_t references = every > 0 ? (all + every - 1) / every + 1 : 0;

  /* A plan has steps.
   * NOLINTNEXTLINE(clang-analyzer-optin.portability.UnixAPI) */
  s->outcomes = calloc(all, sizeof(*s->outcomes));
  s->references = calloc(references + 1, sizeof(*s->references));
  if (!s->outcomes || !s->references)
    return sweep_no_memory(err);
  for (size_t i = 0; i <= all && !sweep_is_over(s); i++) {
    int rc = 0;

    if (every > 0 && (i % every == 0 || i == all)) {
      sweep_pause_between(s);
      if (!sweep_is_over(s))
        rc = sweep_run_reference(s, i + 1, err);
    }
    if (rc == 0 && i < all && !sweep_is_over(s))
      sweep_pause_between(s);
    if (rc == 0 && i < all && !sweep_is_over(s))
      rc = sweep_step(s, i % s->plan.n_combinations,
                      i / s->plan.n_combinations + 1, err);
    if (rc < 0)
      return rc;
    sweep_look_for_reader(s);
    if (i < s->n_outcomes && s->outcomes[i].failed && s->in->cfg->stop_on_error)
      break;
  }
  return 0;
}

static int sweep_write_document(struct sweep *s, struct err *err)
{
  struct whole_file *f = &s->document;
  struct outfile_hold hold;
  json_t *json = sweep_document(s);
  int rc = json ? 0 : sweep_no_memory(err);

  if (rc == 0 && !s->in->as_sysbench && s->steps_ns >= NS_PER_S)
    (void)output_keep(json);
  if (rc == 0 && *s->in->json && !f->stream)
    rc = whole_file_open(f, s->in->json, err);
  if (rc == 0 && f->stream) {
    whole_file_hold(f, &hold);
    if (!output_json(json, f->stream))
      rc = err_sys(err, "cannot write to '%s',", s->in->json);
    outfile_release(&hold);
    if (rc == 0)
      rc = whole_file_commit(f, err);
  }
  json_decref(json);
  if (rc < 0)
    whole_file_abort(f);
  return rc;
}

static int sweep_conclude(struct sweep *s, struct err *err)
{
  struct strbuf out = { 0 };
  int rc = 0;

  if (sweep_finds(s)) {
    sweep_find_print(s);
  } else if (s->n_outcomes > 0) {
    if (sweep_has_parts(s))
      sweep_parts_table(s, &out);
    else
      sweep_table(s, (enum table_format)s->in->cfg->format, &out);
    sweep_references_table(s, &out);
    if (out.failed)
      rc = sweep_no_memory(err);
    else
      (void)fprintf(s->text, "\n%s", strbuf_str(&out));
    (void)fflush(s->text);
    sweep_references_warn(s);
    sweep_data_warn(s);
  }
  strbuf_done(&out);
  if (rc == 0)
    rc = sweep_write_document(s, err);
  if (rc == 0 && *s->in->summary)
    rc = sweep_write_summary(s, err);
  return rc;
}

static int sweep_make_plan(struct sweep *s, struct err *err)
{
  const struct sweep_cfg *cfg = s->in->cfg;
  size_t first;
  int rc = 0;

  if (sweep_finds(s))
    return sweep_find_combination(s, cfg->find == SEARCH_RATE ? 0 : 1, &first,
                                  err);
  if (!sweep_has_parts(s))
    return sweep_plan_init(&s->plan, s->in->set, s->in->test, cfg->sweeps,
                           cfg->repeat, err);
  for (size_t i = 0; i < s->in->n_parts && rc == 0; i++)
    rc = sweep_plan_add(&s->plan, "part", s->in->parts[i].name, err);
  return rc;
}

static int sweep_begin(struct sweep *s, struct err *err)
{
  const struct sweep_cfg *cfg = s->in->cfg;
  int rc;

  if (s->in->command && strcmp(s->in->command, "run") != 0)
    return err_set(err, -EINVAL,
                   "the command '%.100s' cannot be used with %s (expected run)",
                   s->in->command, sweep_option_names(cfg));
  rc = sweep_make_plan(s, err);
  if (rc < 0)
    return rc;
  s->prepares = cfg->prepare == SWEEP_PREPARE_ON ||
                (cfg->prepare == SWEEP_PREPARE_AUTO && s->plan.shapes_data);
  if (*s->in->json)
    rc = whole_file_probe(&s->document, s->in->json, err);
  if (rc == 0)
    rc = sweep_check_files(s, err);
  if (rc == 0 && *s->in->summary)
    rc = sweep_check_file(s->in->summary, err);
  if (rc == 0)
    rc = children_begin(&s->children,
                        sweep_has_parts(s) ? "this ends after the present part"
                                           : "the sweep ends after this step",
                        err);
  if (rc == 0 && !sweep_has_parts(s))
    rc = sweep_check_steps(s, err);
  if (rc == 0 && s->prepares && cfg->prepare == SWEEP_PREPARE_AUTO &&
      !sweep_has_parts(s) && s->children.signal == 0)
    rc = sweep_check_data(s, err);
  if (rc == 0)
    rc = child_scratch(s->in->json, &s->folder, err);
  return rc;
}

static void sweep_end(struct sweep *s)
{
  children_end(&s->children);
  whole_file_abort(&s->document);
  for (size_t i = 0; i < s->n_outcomes; i++)
    result_file_done(&s->outcomes[i].result);
  for (size_t i = 0; i < s->n_references; i++)
    result_file_done(&s->references[i].outcome.result);
  free(s->outcomes);
  free(s->references);
  strbuf_done(&s->extra);
  child_scratch_remove(s->folder);
  sweep_plan_done(&s->plan);
}

static int sweep_status_of(const struct sweep *s)
{
  int status = EXIT_OK;

  if (s->children.signal != 0)
    return EXIT_SIGNAL + s->children.signal;
  if (s->reset_status != 0)
    return s->reset_status;
  if (sweep_finds(s))
    return find_status(&s->find);
  for (size_t i = 0; i < s->n_outcomes; i++) {
    if (s->outcomes[i].failed)
      return EXIT_FAILED;
    if (s->outcomes[i].missed)
      status = SLO_EXIT_STATUS;
  }
  for (size_t i = 0; i < s->n_references; i++) {
    if (s->references[i].outcome.failed)
      return EXIT_FAILED;
  }
  return status;
}

int sweep_run(const struct sweep_input *in)
{
  struct sweep s = {
    .in = in,
    .text = strcmp(in->json, "-") == 0 ? stderr : stdout,
  };
  struct err err = { "" };
  int status, rc;

  if (in->n_parts == 0) {
    s.find.rules = sweep_rules(in->cfg);
    find_set_objective(&s.find, in->objective);
  }
  rc = sweep_begin(&s, &err);
  if (rc == 0)
    rc = sweep_finds(&s) ? sweep_find_steps(&s, &err)
                         : sweep_run_steps(&s, &err);
  if (s.n_outcomes > 0) {
    struct err last = { "" };

    if (sweep_conclude(&s, &last) < 0 && rc == 0) {
      rc = -EIO;
      err = last;
    }
  }
  status = rc < 0 ? EXIT_FAILED : sweep_status_of(&s);
  if (rc < 0 && err.text[0])
    log_msg(LOG_FATAL, "%s", err.text);
  sweep_end(&s);
  return status;
}
