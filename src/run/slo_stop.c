#include "run/slo_stop.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/minmax.h"
#include "run/arrivals.h"
#include "run/plan.h"
#include "run/run.h"
#include "stats/decision.h"
#include "stats/hist_sum.h"
#include "stats/trend.h"

enum {
  PAST_MOMENTS = 4096, /* of arrivals */
};

struct slo_stop_arrivals {
  uint64_t at_ns, n;
};

/* {0} is empty. */
struct slo_stop_past {
  struct slo_stop_arrivals of[PAST_MOMENTS]; /* next: [n % PAST_MOMENTS] */
  uint64_t n;
};

/* ---- overdue arrivals ---- */

/* Returns the number of arrivals taken. */
static uint64_t slo_stop_past_note(struct slo_stop_past *p, struct run *run,
                                   uint64_t now_ns)
{
  const uint64_t waiting = arrivals_waiting(run, now_ns);
  const uint64_t all = arrivals_count(run);

  p->of[p->n++ % PAST_MOMENTS] = (struct slo_stop_arrivals){ now_ns, all };
  return all > waiting ? all - waiting : 0;
}

/* Due longer ago than the limit, but not taken.  A negative limit: all. */
static uint64_t slo_stop_past_overdue(const struct slo_stop_past *p,
                                      uint64_t now_ns, uint64_t taken,
                                      double limit_ns)
{
  for (uint64_t i = p->n; i > 0 && i + PAST_MOMENTS > p->n; i--) {
    const struct slo_stop_arrivals *a = &p->of[(i - 1) % PAST_MOMENTS];

    if ((double)(now_ns - a->at_ns) > limit_ns)
      return a->n > taken ? a->n - taken : 0;
  }
  return 0;
}

/* ---- the objective ---- */

/* Minimum, unless too short. */
#define INTERVALS 100
#define INTERVAL_MIN_NS (20 * NS_PER_MS)
#define INTERVAL_MAX_NS NS_PER_S

/* Times the warm-up. */
#define SETTLE_TIMES 2

struct slo_stop {
  struct run *run;
  const struct slo *slo;
  uint64_t interval_ns;

  bool measured;
  bool settled; /* looks count */
  bool decided;
  uint64_t measured_ns, base_ns;
  struct run_totals base;        /* at base_ns */
  struct hist_sum *before, *now; /* owned; at base_ns, and since */
  struct trend rate, latency;

  struct slo_stop_past past;

  struct decision term[SLO_TERMS_MAX];
  struct decision_cell seen[SLO_TERMS_MAX]; /* added so far */
  struct decision_result result;
};

int slo_stop_new(struct slo_stop **ret, struct run *run, struct err *err)
{
  const struct plan *plan = run->plan;
  struct slo_stop *j = calloc(1, sizeof(*j));
  uint64_t interval = INTERVAL_MAX_NS;

  if (j) {
    j->before = hist_sum_new();
    j->now = hist_sum_new();
  }
  if (!j || !j->before || !j->now) {
    slo_stop_free(j);
    return err_set(err, -ENOMEM, "cannot allocate the judge of the run");
  }
  if (plan->time_ns != PLAN_NO_LIMIT)
    interval = plan->time_ns / INTERVALS;
  interval = min_u64(interval, INTERVAL_MAX_NS);
  j->interval_ns = interval > INTERVAL_MIN_NS ? interval : INTERVAL_MIN_NS;
  j->run = run;
  j->slo = &plan->report.slo;
  *ret = j;
  return 0;
}

void slo_stop_free(struct slo_stop *j)
{
  if (!j)
    return;
  hist_sum_free(j->before);
  hist_sum_free(j->now);
  free(j);
}

uint64_t slo_stop_interval_ns(const struct slo_stop *j)
{
  return j->interval_ns;
}

static void slo_stop_note_trend(struct slo_stop *j, uint64_t now_ns,
                                const struct run_totals *now)
{
  if (j->rate.n == 0) {
    trend_start(&j->rate, now_ns, now->events);
    trend_start(&j->latency, now->events, now->sum_ns);
    return;
  }
  trend_note(&j->rate, now_ns, now->events);
  trend_note(&j->latency, now->events, now->sum_ns);
}

static bool slo_stop_is_steady(const struct slo_stop *j)
{
  double change;

  return !trend_find(&j->rate, &change) && !trend_find(&j->latency, &change);
}

void slo_stop_measure_from(struct slo_stop *j, uint64_t now_ns)
{
  j->measured = true;
  j->measured_ns = now_ns;
}

/* From now on, everything counts. */
static void slo_stop_settle(struct slo_stop *j, uint64_t now_ns,
                            const struct run_totals *now)
{
  const struct plan *plan = j->run->plan;
  const double planned = plan->time_ns == PLAN_NO_LIMIT
                           ? 0
                           : plan->rate * (double)plan->time_ns /
                               (double)NS_PER_S;

  j->settled = true;
  j->base = *now;
  j->base_ns = now_ns;
  hist_sum_clear(j->before);
  recorders_latencies(&j->run->recorders, j->before);
  for (unsigned i = 0; i < j->slo->n; i++) {
    const struct slo_term *t = &j->slo->term[i];
    const struct slo_sample none = { 0 };
    uint64_t bad, all;
    double share;

    if (slo_count(t, &none, &bad, &all, &share))
      decision_init(&j->term[i], share, planned);
  }
}

static void slo_stop_try_to_settle(struct slo_stop *j, uint64_t now_ns)
{
  const struct run_totals now = run_totals(j->run);

  slo_stop_note_trend(j, now_ns, &now);
  if (j->measured &&
      (slo_stop_is_steady(j) ||
       now_ns - j->measured_ns >= SETTLE_TIMES * j->run->plan->warmup_ns))
    slo_stop_settle(j, now_ns, &now);
}

static struct slo_sample slo_stop_sample_of(struct slo_stop *j, uint64_t now_ns,
                                            uint64_t unfinished)
{
  const struct run_totals now = run_totals(j->run);
  struct slo_sample s = {
    .period_ns = now_ns - j->base_ns,
    .events = now.events - j->base.events,
    .errors = now.errors - j->base.errors,
    .queries = now.queries - j->base.queries,
    .sum_ns = now.sum_ns - j->base.sum_ns,
    .late = unfinished,
    .stuck = unfinished,
    .max_ns = UINT64_MAX, /* the histogram decides */
    .hist = j->now,
  };

  if (arrivals_any(j->run))
    s.late += s.errors;
  hist_sum_clear(j->now);
  recorders_latencies(&j->run->recorders, j->now);
  hist_sum_sub(j->now, j->now, j->before);
  return s;
}

/* A share of events. */
static enum decision_verdict
slo_stop_decide_share(struct slo_stop *j, unsigned i,
                      const struct slo_sample *s,
                      const struct decision_waiting *waiting, bool last)
{
  struct decision_cell *seen = &j->seen[i];
  struct decision_cell all = { 0 };
  double share;

  (void)slo_count(&j->slo->term[i], s, &all.late, &all.events, &share);
  decision_add(&j->term[i], all.events - seen->events, all.late - seen->late);
  *seen = all;
  return decision_verdict(&j->term[i], waiting, last);
}

static bool counts_events(const struct slo_term *t)
{
  return t->kind->measure == SLO_PERCENTILE || t->kind->measure == SLO_ERRORS;
}

/* After the terms that count events. */
static enum decision_verdict slo_stop_decide_value(const struct slo_stop *j,
                                                   const struct slo_result *r,
                                                   enum decision_verdict others,
                                                   bool last)
{
  if (slo_result_state(r) == SLO_FAILED &&
      (r->term->kind->measure == SLO_LARGEST || last))
    return DECISION_FAILED;
  if (others == DECISION_OPEN && !last)
    return DECISION_OPEN;
  if (j->result.intervals < DECISION_INTERVALS_MIN)
    return DECISION_OPEN;
  return slo_result_state(r) == SLO_HELD ? DECISION_HELD : DECISION_FAILED;
}

static enum decision_verdict slo_stop_worse(enum decision_verdict a,
                                            enum decision_verdict b)
{
  if (a == DECISION_FAILED || b == DECISION_FAILED)
    return DECISION_FAILED;
  return a == DECISION_OPEN || b == DECISION_OPEN ? DECISION_OPEN
                                                  : DECISION_HELD;
}

static void slo_stop_decide(struct slo_stop *j, uint64_t now_ns,
                            uint64_t unfinished, bool last)
{
  const uint64_t taken = arrivals_any(j->run)
                           ? slo_stop_past_note(&j->past, j->run, now_ns)
                           : 0;
  const struct slo_sample s = slo_stop_sample_of(j, now_ns, unfinished);
  struct decision_result *result = &j->result;
  enum decision_verdict all = DECISION_HELD;
  struct slo_verdict values;
  bool counting = false;

  slo_judge(j->slo, &s, &values);
  result->intervals++;
  result->decided_ns = now_ns - j->measured_ns;
  for (unsigned i = 0; i < j->slo->n; i++) {
    const struct slo_term *t = &j->slo->term[i];
    struct decision_waiting waiting = { 0 };

    if (!counts_events(t))
      continue;
    if (arrivals_any(j->run) && t->kind->measure == SLO_PERCENTILE) {
      waiting.all = slo_stop_past_overdue(&j->past, now_ns, taken, -1);
      waiting.late = slo_stop_past_overdue(&j->past, now_ns, taken, t->limit);
    }
    counting = true;
    result->of[i].waiting = waiting.all;
    result->of[i].verdict = slo_stop_decide_share(j, i, &s, &waiting, last);
    all = slo_stop_worse(all, result->of[i].verdict);
  }
  for (unsigned i = 0; i < j->slo->n; i++) {
    if (!counts_events(&j->slo->term[i]))
      result->of[i].verdict = slo_stop_decide_value(
        j, &values.of[i], counting ? all : DECISION_OPEN, last);
  }
  for (unsigned i = 0; i < j->slo->n; i++)
    all = slo_stop_worse(all, result->of[i].verdict);
  result->verdict = all;
  j->decided = all != DECISION_OPEN;
}

bool slo_stop_look(struct slo_stop *j, uint64_t now_ns)
{
  if (j->settled && !j->decided)
    slo_stop_decide(j, now_ns, 0, false);
  else if (!j->settled)
    slo_stop_try_to_settle(j, now_ns);
  return j->decided;
}

void slo_stop_end(struct slo_stop *j, uint64_t now_ns, uint64_t unfinished)
{
  struct decision_result *result = &j->result;

  if (j->settled && !j->decided)
    slo_stop_decide(j, now_ns > j->base_ns ? now_ns : j->base_ns, unfinished,
                    true);
  if (j->settled)
    result->settled_ns = j->base_ns - j->measured_ns;
  result->n = j->slo->n;
  for (unsigned i = 0; i < j->slo->n; i++) {
    struct decision_term *t = &result->of[i];

    t->term = &j->slo->term[i];
    t->events = j->term[i].total.events;
    t->late = j->term[i].total.late;
    t->inflation = counts_events(t->term) ? decision_inflation(&j->term[i]) : 1;
    t->clusters = decision_clusters(&j->term[i]);
  }
}

const struct decision_result *slo_stop_result(const struct slo_stop *j)
{
  return &j->result;
}
