/*
 * find.c - what the steps of a search have shown.
 */
#include "tools/find.h"

#include <math.h>
#include <string.h>

#include "base/err.h"
#include "run/runner.h"
#include "stats/decision.h"
#include "stats/slo.h"
#include "tools/result.h"

/* A client that offers less than this share of the rate is the limit; by
 * chance the arrivals vary by some standard deviations. */
#define OFFERED_MIN 0.99
#define OFFERED_SIGMAS 4

void find_set_objective(struct find *f, const char *objective)
{
  const struct slo_sample none = { 0 };
  struct err ignored = { "" };
  struct slo slo = { 0 };

  f->objective = objective;
  f->rules.events_min = 0;
  if (slo_parse(objective, &slo, &ignored) < 0)
    return;
  for (unsigned i = 0; i < slo.n; i++) {
    uint64_t bad, all;
    double share;

    if (slo_count(&slo.term[i], &none, &bad, &all, &share))
      f->rules.events_min = fmax(f->rules.events_min,
                                 decision_events_min(share));
  }
}

/* By the name of a decision; NULL: there was none. */
static enum search_verdict verdict_named(const char *name)
{
  if (!name)
    return SEARCH_OPEN;
  if (strcmp(name, "held") == 0)
    return SEARCH_HELD;
  return strcmp(name, "failed") == 0 ? SEARCH_FAILED : SEARCH_OPEN;
}

static enum search_verdict verdict_in(const struct result *run)
{
  return verdict_named(result_text_at(run->json, "decision.verdict"));
}

/* Has the run a warning that the client was busy with itself? */
static bool client_is_busy(const struct result *run)
{
  const json_t *list = json_object_get(run->json, "warnings");

  for (size_t i = 0; i < json_array_size(list); i++) {
    const char *code = result_text_at(json_array_get(list, i), "code");

    if (code && strncmp(code, "client_", strlen("client_")) == 0)
      return true;
  }
  return false;
}

/* Members of a mix with rates of their own have arrivals beside those of the
 * rate.  Nothing becomes due while the last events end, which may take long. */
static bool offers_less(const struct result *run, double rate)
{
  const double all = result_number_at(run->json, "rate.arrivals");
  const double others = result_number_at(run->json, "rate.member_arrivals");
  const double arrivals = isfinite(others) ? all - others : all;
  const double wanted = rate * result_number_at(run->json, "rate.offered_s");

  return arrivals < OFFERED_MIN * wanted - OFFERED_SIGMAS * sqrt(wanted);
}

static enum search_verdict judge(const struct search_rules *rules, double value,
                                 const struct result *run)
{
  const char *end = run ? result_text_at(run->json, "run.end_reason") : NULL;
  const bool open_loop = rules->what == SEARCH_RATE && value > 0;

  if (!end)
    return SEARCH_NO_RESULT;
  if (strcmp(end, "forced") == 0)
    return SEARCH_FROZEN;
  if (verdict_in(run) == SEARCH_HELD)
    return SEARCH_HELD;
  if (value > 0 &&
      (client_is_busy(run) || (open_loop && offers_less(run, value))))
    return SEARCH_CLIENT;
  return verdict_in(run);
}

/* The first term with a limit of time. */
static void read_latency(struct find *f, double *ret_ns,
                         const struct result *run)
{
  const json_t *terms = run ? result_at(run->json, "slo.terms") : NULL;

  *ret_ns = NAN;
  for (size_t i = 0; i < json_array_size(terms); i++) {
    const json_t *t = json_array_get(terms, i);
    const char *unit = result_text_at(t, "unit");

    if (!unit || strcmp(unit, "ns") != 0)
      continue;
    f->limit_ns = result_number_at(t, "limit");
    *ret_ns = result_number_at(t, "value");
    if (!isfinite(*ret_ns))
      *ret_ns = INFINITY;
    return;
  }
}

static void add_step(struct find *f, enum search_phase phase, double value,
                     enum search_verdict verdict, const struct result *run)
{
  f->step[f->n] = (struct search_step){
    .phase = phase,
    .value = value,
    .verdict = verdict,
    .events = run && isfinite(run->events) ? run->events : 0,
    .throughput = run && isfinite(run->events_per_s) ? run->events_per_s : 0,
  };
  read_latency(f, &f->latency_ns[f->n], run);
  f->n++;
}

/* Is it the same again that was not decided the last time? */
static bool repeats(const struct find *f, enum search_phase phase, double value)
{
  size_t i = f->n;

  while (i > 0 && f->step[i - 1].phase == SEARCH_REFERENCE)
    i--;
  return i > 0 && f->step[i - 1].phase == phase &&
         f->step[i - 1].value == value && f->step[i - 1].verdict == SEARCH_OPEN;
}

/* Is it about the objective, and not about the client or the server? */
static bool is_judgement(enum search_verdict verdict)
{
  return verdict == SEARCH_HELD || verdict == SEARCH_FAILED ||
         verdict == SEARCH_OPEN;
}

/* Add the terms of a run that count events to the pool. */
static void add_to_pool(struct find *f, const struct slo *slo,
                        const struct result *run)
{
  const json_t *terms = result_at(run->json, "decision.terms");

  for (unsigned i = 0; i < slo->n; i++) {
    const json_t *t = json_array_get(terms, i);

    decision_pool_add(
      &f->pool[i],
      &(struct decision_run){
        .intervals = result_number_at(run->json, "decision.intervals"),
        .events = result_number_at(t, "attempts"),
        .late = result_number_at(t, "beyond"),
        .waiting = result_number_at(t, "waiting"),
        .inflation = result_number_at(t, "inflation"),
        .clusters = result_number_at(t, "clusters"),
      });
  }
}

/* The verdict of all runs in the pool on a term, and how many more are missing
 * if it is open.  A term that counts no events is decided by each run alone. */
static enum search_verdict judge_term(const struct decision_pool *pool,
                                      const struct slo_term *term,
                                      const json_t *last, double *ret_missing)
{
  const struct slo_sample none = { 0 };
  uint64_t bad, all;
  double share;

  if (!slo_count(term, &none, &bad, &all, &share)) {
    *ret_missing = INFINITY;
    return verdict_named(result_text_at(last, "verdict"));
  }
  *ret_missing = decision_pool_missing(pool, share);
  return verdict_named(decision_name(decision_pool_verdict(pool, share)));
}

/* The verdict of all runs in the pool, to which `run` comes. */
static enum search_verdict judge_pool(struct find *f, const struct result *run,
                                      double *ret_missing)
{
  const json_t *terms = result_at(run->json, "decision.terms");
  enum search_verdict all = SEARCH_HELD;
  struct err ignored = { "" };
  struct slo slo = { 0 };

  *ret_missing = INFINITY;
  if (slo_parse(f->objective, &slo, &ignored) < 0 ||
      json_array_size(terms) != slo.n)
    return SEARCH_OPEN;
  *ret_missing = 0;
  add_to_pool(f, &slo, run);
  for (unsigned i = 0; i < slo.n; i++) {
    double missing;
    const enum search_verdict one = judge_term(
      &f->pool[i], &slo.term[i], json_array_get(terms, i), &missing);

    if (one == SEARCH_FAILED)
      all = SEARCH_FAILED;
    else if (one == SEARCH_OPEN && all == SEARCH_HELD)
      all = SEARCH_OPEN;
    if (one == SEARCH_OPEN)
      *ret_missing = fmax(*ret_missing, missing);
  }
  return all;
}

void find_judge(struct find *f, enum search_phase phase, double value,
                const struct result *run)
{
  enum search_verdict verdict = judge(&f->rules, value, run);
  double missing = 0;

  if (phase != SEARCH_REFERENCE && is_judgement(verdict)) {
    const bool again = repeats(f, phase, value);
    enum search_verdict all;

    if (!again)
      memset(f->pool, 0, sizeof(f->pool));
    all = judge_pool(f, run, &missing);
    if (again)
      verdict = all;
  }
  add_step(f, phase, value, verdict, run);
  if (verdict == SEARCH_OPEN)
    f->step[f->n - 1].missing = missing;
}

bool find_never_began(const struct result *run)
{
  const char *end = result_text_at(run->json, "run.end_reason");

  return end && strcmp(end, "error") == 0 &&
         json_is_null(json_object_get(run->json, "totals"));
}

/* One client would not have started either if it were not for the number, and
 * that one was tried first. */
void find_judge_failed(struct find *f, enum search_phase phase, double value,
                       const struct result *run)
{
  const bool refused = f->rules.what != SEARCH_RATE && value > 1 && run &&
                       find_never_began(run);

  add_step(f, phase, value, refused ? SEARCH_REFUSED : SEARCH_NO_RESULT, NULL);
}

void find_choose(struct find *f)
{
  search_next(&f->rules, f->step, f->n, &f->search);
}

int find_status(const struct find *f)
{
  switch (f->search.end) {
  case SEARCH_FOUND:
    return EXIT_OK;
  case SEARCH_NOWHERE:
    return SLO_EXIT_STATUS;
  case SEARCH_STEP_END:
    return EXIT_FAILED;
  default:
    return FIND_EXIT_NO_ANSWER;
  }
}
