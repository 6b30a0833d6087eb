/*
 * sweep_find.c - the course of a search: choose a value, run its step, judge
 * it.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "opt/optset.h"
#include "stats/slo.h"
#include "tools/find.h"
#include "tools/sweep_internal.h"
#include "tools/sweep_opts.h"

/* The longest closed loop before the search. */
#define CEILING_MAX_S 10.0
/* The part of --time that is a warm-up, unless --warmup-time is given. */
#define WARMUP_SHARE 0.1

static int no_memory(struct err *err)
{
  return err_set(err, -ENOMEM, "not enough memory for the search");
}

/* The plan of a search grows with each new value. */
static int add_value(struct sweep_plan *plan, double value, struct err *err)
{
  struct sweep_spec *spec = &plan->spec[0];
  char **values = realloc(spec->values, (spec->n + 1) * sizeof(*values));
  struct strbuf text = { 0 };

  if (!values)
    return no_memory(err);
  spec->values = values;
  strbuf_addf(&text, "%.10g", value);
  values[spec->n] = text.failed ? NULL : mem_strdup(strbuf_str(&text));
  strbuf_done(&text);
  if (!values[spec->n])
    return no_memory(err);
  plan->n_combinations = ++spec->n;
  return 0;
}

int sweep_find_plan(struct sweep_plan *ret, const struct sweep_cfg *cfg,
                    struct err *err)
{
  struct sweep_plan plan = { .n_specs = 1, .repeats = 1 };
  int rc;

  plan.spec[0].option = mem_strdup(
    search_what_name((enum search_what)cfg->find));
  if (!plan.spec[0].option)
    return no_memory(err);
  rc = add_value(&plan, cfg->find == SEARCH_RATE ? 0 : 1, err);
  if (rc < 0)
    sweep_plan_done(&plan);
  else
    *ret = plan;
  return rc;
}

/* The number of the combination with this value, which may be new. */
static int find_combination(struct sweep_plan *plan, double value, size_t *ret,
                            struct err *err)
{
  for (size_t i = 0; i < plan->n_combinations; i++) {
    *ret = i;
    if (strtod(plan->spec[0].values[i], NULL) == value)
      return 0;
  }
  *ret = plan->n_combinations;
  return add_value(plan, value, err);
}

static bool is_given(const struct sweep *s, const char *option)
{
  const struct opt_entry *e = optset_find(s->in->set, option);

  return e && e->given;
}

/* The options of a step that are not those of the user. */
static void set_options(struct sweep *s, const struct find *f)
{
  const double time_s = s->in->time_s;
  const bool closed = f->rules.what == SEARCH_RATE && f->search.value == 0;
  const double length_s = closed ? fmin(time_s, CEILING_MAX_S) : time_s;

  strbuf_clear(&s->extra);
  strbuf_addf(&s->extra, "--time=%.10g\n", length_s);
  if (!is_given(s, "warmup-time"))
    strbuf_addf(&s->extra, "--warmup-time=%.10g\n",
                fmax(round(length_s * WARMUP_SHARE * 1000) / 1000, 0.001));
  strbuf_addf(&s->extra, "--slo-until-decided=%s\n", closed ? "off" : "on");
}

/* What makes the figures of a step doubtful, by its code.  sweep_doubts() has
 * the words. */
static void print_codes(const struct sweep *s, const json_t *json)
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

/* A rate is one of these threads or clients, and one thread has one event at a
 * time. */
static void print_title(const struct sweep *s)
{
  const char *what = is_given(s, "clients") ? "clients" : "threads";
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

/* The name of the figure that the first limit of time is about. */
static void print_header(const struct sweep *s)
{
  struct err ignored = { "" };
  const char *name = "latency";
  struct slo slo = { 0 };
  int len = (int)strlen(name);

  if (slo_parse(s->find.objective, &slo, &ignored) == 0) {
    for (unsigned i = slo.n; i > 0; i--) {
      if (slo.term[i - 1].kind->unit != SLO_NS)
        continue;
      name = slo.term[i - 1].text;
      len = (int)strcspn(name, "<");
    }
  }
  (void)fprintf(s->text, "step  %-9s  %-13s  %-7s  %19s  %13.*s  %9s\n",
                "phase", search_what_name(s->find.rules.what), "verdict",
                "throughput", len, name, "measured");
}

static void print_step(const struct sweep *s, const struct find *f)
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
  print_codes(s, result->json);
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

static int run_step(struct sweep *s, struct find *f, struct err *err)
{
  size_t combination = 0;
  int rc = find_combination(&s->plan, f->search.value, &combination, err);

  if (rc < 0)
    return rc;
  set_options(s, f);
  if (s->extra.failed)
    return no_memory(err);
  rc = sweep_step(s, combination, f->n + 1, err);
  if (rc == 0 && !sweep_is_over(s)) {
    const struct sweep_outcome *o = &s->outcomes[s->n_outcomes - 1];
    const struct result *run = o->result.json ? &o->result.run : NULL;

    if (o->failed)
      find_judge_failed(f, f->search.phase, f->search.value, run);
    else
      find_judge(f, f->search.phase, f->search.value, run);
    print_step(s, f);
  }
  return rc;
}

int sweep_find_steps(struct sweep *s, struct err *err)
{
  struct find *f = &s->find;
  int rc = 0;

  s->outcomes = calloc(SEARCH_STEPS_MAX, sizeof(*s->outcomes));
  if (!s->outcomes)
    return no_memory(err);
  print_title(s);
  print_header(s);
  for (;;) {
    find_choose(f);
    if (rc < 0 || sweep_is_over(s) || f->search.end != SEARCH_GOES_ON)
      return rc;
    if (f->n > 0 && s->in->cfg->pause_s > 0)
      children_pause(&s->children, s->in->cfg->pause_s);
    if (!sweep_is_over(s))
      rc = run_step(s, f, err);
  }
}

void sweep_find_print(const struct sweep *s)
{
  struct strbuf out = { 0 };

  find_say(&s->find, &out);
  sweep_doubts(s, "\nWhy figures are doubtful (!):\n", TABLE_TEXT, &out);
  (void)fprintf(s->text, "\n%s", strbuf_str(&out));
  (void)fflush(s->text);
  strbuf_done(&out);
}
