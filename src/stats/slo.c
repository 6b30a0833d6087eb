/*
 * slo.c - judges a run by an objective.
 */
#include "stats/slo.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "stats/binomial.h"
#include "stats/hist_sum.h"
#include "stats/report.h"

const struct slo_kind slo_kinds[] = {
  { "p", SLO_PERCENTILE, SLO_NS, false },
  { "avg", SLO_MEAN, SLO_NS, false },
  { "max", SLO_LARGEST, SLO_NS, false },
  { "errors", SLO_ERRORS, SLO_SHARE, false },
  { "tps", SLO_EVENTS, SLO_PER_S, true },
  { "qps", SLO_QUERIES, SLO_PER_S, true },
};
const size_t slo_n_kinds = ARRAY_SIZE(slo_kinds);

bool slo_needs_histogram(const struct slo *slo)
{
  for (unsigned i = 0; i < slo->n; i++) {
    if (slo->term[i].kind->measure == SLO_PERCENTILE)
      return true;
  }
  return false;
}

struct slo_sample slo_sample_of(const struct report *r,
                                const struct report_setup *setup)
{
  return (struct slo_sample){
    .period_ns = r->period_ns,
    .events = r->events,
    .errors = r->counter[COUNTER_ERROR],
    .queries = r->counter[COUNTER_READ] + r->counter[COUNTER_WRITE] +
               r->counter[COUNTER_OTHER],
    .late = r->unfinished +
            (setup->rate ? r->queue_length + r->counter[COUNTER_ERROR] : 0),
    .stuck = r->unfinished,
    .sum_ns = r->sum_ns,
    .min_ns = r->min_ns,
    .max_ns = r->max_ns,
    .hist = r->hist,
  };
}

/* How many events took longer.  A bucket counts by its middle, as it does when
 * percentiles are computed. */
static uint64_t count_beyond(const struct slo_sample *s, double limit_ns)
{
  uint64_t n = 0;

  if (!s->hist || (double)s->max_ns <= limit_ns)
    return 0;
  if ((double)s->min_ns > limit_ns)
    return s->hist->total;
  for (unsigned i = hist_sum_next(s->hist, 0); i < HIST_BUCKETS;
       i = hist_sum_next(s->hist, i + 1)) {
    if ((double)hist_middle(i) > limit_ns)
      n += hist_sum_at(s->hist, i);
  }
  return n;
}

/* Events whose latency is known by the histogram, which may lack one that a
 * worker has just counted. */
static uint64_t latencies(const struct slo_sample *s)
{
  return s->hist ? s->hist->total : 0;
}

bool slo_count(const struct slo_term *term, const struct slo_sample *s,
               uint64_t *ret_bad, uint64_t *ret_all, double *ret_share)
{
  switch (term->kind->measure) {
  case SLO_PERCENTILE:
    *ret_bad = count_beyond(s, term->limit) + s->late;
    *ret_all = latencies(s) + s->late;
    *ret_share = 1.0 - term->pct / 100.0;
    return true;
  case SLO_ERRORS:
    *ret_bad = s->errors;
    *ret_all = s->events + s->errors;
    *ret_share = term->limit;
    return true;
  default:
    return false;
  }
}

static double percentile(const struct slo_sample *s, double pct)
{
  const uint64_t known = latencies(s), all = known + s->late;
  const uint64_t rank = hist_rank(all, pct);
  double ns;

  if (all == 0)
    return NAN;
  if (rank > known)
    return INFINITY;
  /* The percentile of the known ones that has the same rank. */
  ns = (double)hist_percentile(s->hist, 100.0 * (double)rank / (double)known);
  return fmin(fmax(ns, (double)s->min_ns), (double)s->max_ns);
}

static double per_second(const struct slo_sample *s, uint64_t count)
{
  return s->period_ns > 0
           ? (double)count * (double)NS_PER_S / (double)s->period_ns
           : NAN;
}

static double ended(const struct slo_sample *s, double ns)
{
  if (s->stuck > 0)
    return INFINITY;
  return s->events > 0 ? ns : NAN;
}

static double value_of(const struct slo_term *t, const struct slo_sample *s)
{
  const uint64_t attempts = s->events + s->errors;

  switch (t->kind->measure) {
  case SLO_PERCENTILE:
    return percentile(s, t->pct);
  case SLO_MEAN:
    return ended(s, (double)s->sum_ns / (double)s->events);
  case SLO_LARGEST:
    return ended(s, (double)s->max_ns);
  case SLO_ERRORS:
    return attempts > 0 ? (double)s->errors / (double)attempts : NAN;
  case SLO_EVENTS:
    return per_second(s, s->events);
  case SLO_QUERIES:
    return per_second(s, s->queries);
  }
  return NAN;
}

/* The attempts of which one may break the limit. */
static uint64_t needed_for(double share)
{
  return share > 0.0 ? (uint64_t)ceil(1.0 / share - 1e-6) : 1;
}

static void weigh(struct slo_result *r, double share)
{
  const double doubt = 1.0 - SLO_CONFIDENCE, all = (double)r->all;
  const double chance = r->holds
                          ? binomial_at_most(all, (double)r->bad, share)
                          : binomial_at_least(all, (double)r->bad, share);

  r->sure = r->all > 0 && chance <= doubt;
  r->needed = needed_for(share);
  r->enough = r->all >= r->needed || (!r->holds && r->sure);
}

static void judge(const struct slo_term *t, const struct slo_sample *s,
                  struct slo_result *ret)
{
  double share;

  *ret = (struct slo_result){ .term = t, .value = value_of(t, s) };
  ret->holds = t->kind->at_least ? ret->value >= t->limit
                                 : ret->value <= t->limit;
  if (slo_count(t, s, &ret->bad, &ret->all, &share)) {
    weigh(ret, share);
    return;
  }
  ret->enough = ret->sure = !isnan(ret->value);
  ret->needed = 1;
}

enum slo_state slo_result_state(const struct slo_result *r)
{
  if (!r->enough)
    return SLO_UNKNOWN;
  return r->holds ? SLO_HELD : SLO_FAILED;
}

void slo_judge(const struct slo *slo, const struct slo_sample *sample,
               struct slo_verdict *ret)
{
  ret->state = SLO_HELD;
  ret->n = slo->n;
  for (unsigned i = 0; i < slo->n; i++) {
    enum slo_state state;

    judge(&slo->term[i], sample, &ret->of[i]);
    state = slo_result_state(&ret->of[i]);
    if (state == SLO_FAILED || ret->state == SLO_HELD)
      ret->state = state;
  }
}

void slo_judge_report(const struct report *r, const struct report_setup *setup,
                      struct slo_verdict *ret)
{
  const struct slo_sample s = slo_sample_of(r->total ? r->total : r, setup);

  slo_judge(&setup->slo, &s, ret);
}

const char *slo_state_name(enum slo_state state)
{
  static const char *const names[] = { "held", "failed", "unknown" };

  return names[state];
}

static const char *unit_name(const struct slo_term *t)
{
  static const struct {
    enum slo_unit unit;
    double scale;
    const char *name;
  } names[] = {
    { SLO_NS, 1, "ns" },  { SLO_NS, 1e3, "us" },    { SLO_NS, 1e6, "ms" },
    { SLO_NS, 1e9, "s" }, { SLO_NS, 60e9, "m" },    { SLO_NS, 3600e9, "h" },
    { SLO_SHARE, 1, "" }, { SLO_SHARE, 0.01, "%" }, { SLO_PER_S, 1, "per s" },
  };

  for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
    if (names[i].unit == t->kind->unit && names[i].scale == t->scale)
      return names[i].name;
  }
  return "";
}

const char *slo_value_text(char buf[SLO_VALUE_SIZE], const struct slo_result *r)
{
  const struct slo_term *t = r->term;
  const double shown = r->value / t->scale, limit = t->limit / t->scale;
  const char *unit = unit_name(t);
  char number[32];

  if (!isfinite(r->value)) {
    (void)snprintf(buf, SLO_VALUE_SIZE, "%s",
                   isnan(r->value) ? "none" : "unfinished");
    return buf;
  }
  for (int digits = 4; digits <= 17; digits++) {
    double back;

    (void)snprintf(number, sizeof(number), "%.*g", digits, shown);
    back = strtod(number, NULL);
    if ((t->kind->at_least ? back >= limit : back <= limit) == r->holds)
      break;
  }
  (void)snprintf(buf, SLO_VALUE_SIZE, "%s%s%s", number, *unit ? " " : "", unit);
  return buf;
}
