#include "stats/slo.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/err.h"
#include "base/parse.h"
#include "stats/binomial.h"
#include "stats/hist_sum.h"

static const struct slo_kind slo_kinds[] = {
  { "p", SLO_PERCENTILE, SLO_NS, false },
  { "avg", SLO_MEAN, SLO_NS, false },
  { "max", SLO_LARGEST, SLO_NS, false },
  { "errors", SLO_ERRORS, SLO_SHARE, false },
  { "tps", SLO_EVENTS, SLO_PER_S, true },
  { "qps", SLO_QUERIES, SLO_PER_S, true },
};

bool slo_needs_histogram(const struct slo *slo)
{
  for (unsigned i = 0; i < slo->n; i++) {
    if (slo->term[i].kind->measure == SLO_PERCENTILE)
      return true;
  }
  return false;
}

/* A bucket counts by its middle, as in percentiles. */
static uint64_t slo_count_beyond(const struct slo_sample *s, double limit_ns)
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

/* The histogram can lack an event that a worker has just counted. */
static uint64_t slo_latencies(const struct slo_sample *s)
{
  return s->hist ? s->hist->total : 0;
}

bool slo_count(const struct slo_term *term, const struct slo_sample *s,
               uint64_t *ret_bad, uint64_t *ret_all, double *ret_share)
{
  switch (term->kind->measure) {
  case SLO_PERCENTILE:
    *ret_bad = slo_count_beyond(s, term->limit) + s->late;
    *ret_all = slo_latencies(s) + s->late;
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

static double slo_percentile(const struct slo_sample *s, double pct)
{
  const uint64_t known = slo_latencies(s), all = known + s->late;
  const uint64_t rank = hist_rank(all, pct);
  double ns;

  if (all == 0)
    return NAN;
  if (rank > known)
    return INFINITY;
  /* The percentile of the known ones with the same rank. */
  ns = (double)hist_percentile(s->hist, 100.0 * (double)rank / (double)known);
  return fmin(fmax(ns, (double)s->min_ns), (double)s->max_ns);
}

static double slo_per_second(const struct slo_sample *s, uint64_t count)
{
  return s->period_ns > 0
           ? (double)count * (double)NS_PER_S / (double)s->period_ns
           : NAN;
}

static double slo_ended(const struct slo_sample *s, double ns)
{
  if (s->stuck > 0)
    return INFINITY;
  return s->events > 0 ? ns : NAN;
}

static double slo_value_of(const struct slo_term *t, const struct slo_sample *s)
{
  const uint64_t attempts = s->events + s->errors;

  switch (t->kind->measure) {
  case SLO_PERCENTILE:
    return slo_percentile(s, t->pct);
  case SLO_MEAN:
    return slo_ended(s, (double)s->sum_ns / (double)s->events);
  case SLO_LARGEST:
    return slo_ended(s, (double)s->max_ns);
  case SLO_ERRORS:
    return attempts > 0 ? (double)s->errors / (double)attempts : NAN;
  case SLO_EVENTS:
    return slo_per_second(s, s->events);
  case SLO_QUERIES:
    return slo_per_second(s, s->queries);
  }
  return NAN;
}

static uint64_t slo_needed_for(double share)
{
  return share > 0.0 ? (uint64_t)ceil(1.0 / share - 1e-6) : 1;
}

static void slo_weigh(struct slo_result *r, double share)
{
  const double warning = 1.0 - SLO_CONFIDENCE, all = (double)r->all;
  const double chance = r->holds
                          ? binomial_at_most(all, (double)r->bad, share)
                          : binomial_at_least(all, (double)r->bad, share);

  r->sure = r->all > 0 && chance <= warning;
  r->needed = slo_needed_for(share);
  r->enough = r->all >= r->needed || (!r->holds && r->sure);
}

static void slo_judge_term(const struct slo_term *t, const struct slo_sample *s,
                           struct slo_result *ret)
{
  double share;

  *ret = (struct slo_result){ .term = t, .value = slo_value_of(t, s) };
  ret->holds = t->kind->at_least ? ret->value >= t->limit
                                 : ret->value <= t->limit;
  if (slo_count(t, s, &ret->bad, &ret->all, &share)) {
    slo_weigh(ret, share);
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

    slo_judge_term(&slo->term[i], sample, &ret->of[i]);
    state = slo_result_state(&ret->of[i]);
    if (state == SLO_FAILED || ret->state == SLO_HELD)
      ret->state = state;
  }
}

const char *slo_state_name(enum slo_state state)
{
  static const char *const names[] = { "held", "failed", "unknown" };

  return names[state];
}

static const char *slo_unit_name(const struct slo_term *t)
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
  const char *unit = slo_unit_name(t);
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

/* ---- reading ---- */

struct unit {
  const char *name;
  double scale;
};

static const struct unit time_units[] = {
  { "ns", 1 },  { "us", 1e3 }, { "ms", 1e6 },
  { "s", 1e9 }, { "m", 60e9 }, { "h", 3600e9 },
};
static const struct unit share_units[] = { { "", 1 }, { "%", 0.01 } };
static const struct unit rate_units[] = { { "", 1 } };

static const struct {
  const struct unit *of;
  size_t n;
  double max; /* of the limit, in the unit of the kind */
  const char *expected;
} units[] = {
  [SLO_NS] = { time_units, ARRAY_SIZE(time_units), 3600e9,
               "a time with a unit, up to 1h, such as 500us, 10ms or 1.5s" },
  [SLO_SHARE] = { share_units, ARRAY_SIZE(share_units), 1,
                  "a share from 0% to 100%, such as 0.1%" },
  [SLO_PER_S] = { rate_units, ARRAY_SIZE(rate_units), 1e15,
                  "a number per second, such as 100" },
};

/* Without blanks; false: too long. */
static bool slo_copy_term(char to[SLO_TEXT_SIZE], const char *from, size_t len)
{
  size_t n = 0;

  for (size_t i = 0; i < len; i++) {
    if (isspace((unsigned char)from[i]))
      continue;
    if (n == SLO_TEXT_SIZE - 1)
      return false;
    to[n++] = from[i];
  }
  to[n] = '\0';
  return true;
}

static bool slo_read_percentile(const char *text, double *ret)
{
  return isdigit((unsigned char)*text) && parse_double(text, ret) == 0 &&
         *ret > 0.0 && *ret < 100.0;
}

static const struct slo_kind *slo_find_kind(const char *name, double *ret_pct)
{
  for (size_t i = 0; i < ARRAY_SIZE(slo_kinds); i++) {
    const struct slo_kind *k = &slo_kinds[i];

    if (k->measure != SLO_PERCENTILE && strcmp(k->name, name) == 0)
      return k;
    if (k->measure == SLO_PERCENTILE && name[0] == k->name[0] &&
        slo_read_percentile(name + 1, ret_pct))
      return k;
  }
  return NULL;
}

static bool slo_read_limit(struct slo_term *t, const char *text)
{
  const enum slo_unit kind = t->kind->unit;
  const size_t len = strspn(text, "0123456789.");
  char number[SLO_TEXT_SIZE];
  double value;

  memcpy(number, text, len); /* a part of t->text */
  number[len] = '\0';
  if (len == 0 || parse_double(number, &value) < 0)
    return false;
  for (size_t i = 0; i < units[kind].n; i++) {
    const struct unit *u = &units[kind].of[i];

    if (strcmp(text + len, u->name) != 0)
      continue;
    t->scale = u->scale;
    t->limit = value * u->scale;
    return t->limit <= units[kind].max && (kind == SLO_SHARE || value > 0.0);
  }
  return false;
}

static int slo_read_term(struct slo_term *t, struct err *err)
{
  const size_t len = strcspn(t->text, "<>=");
  const char *sign = t->text + len;
  char name[SLO_TEXT_SIZE];
  const char *wanted;

  memcpy(name, t->text, len);
  name[len] = '\0';
  t->kind = slo_find_kind(name, &t->pct);
  if (!t->kind)
    return err_set(err, -EINVAL,
                   "'%s' is not a term of an objective (expected %s)", t->text,
                   SLO_EXPECTED);
  wanted = t->kind->at_least ? ">=" : "<=";
  if (strncmp(sign, wanted, 2) != 0)
    return err_set(
      err, -EINVAL, "'%s' has no limit with '%s' (expected %s%s and %s)",
      t->text, wanted, name, wanted, units[t->kind->unit].expected);
  if (!slo_read_limit(t, sign + 2))
    return err_set(err, -EINVAL, "'%s' has no such limit (expected %s)",
                   t->text, units[t->kind->unit].expected);
  return 0;
}

static bool slo_is_repeated(const struct slo *slo, const struct slo_term *t)
{
  for (unsigned i = 0; i < slo->n; i++) {
    if (slo->term[i].kind == t->kind && slo->term[i].pct == t->pct)
      return true;
  }
  return false;
}

static int slo_add_term(struct slo *slo, const char *from, size_t len,
                        struct err *err)
{
  struct slo_term *t = &slo->term[slo->n];
  int rc;

  if (slo->n == SLO_TERMS_MAX)
    return err_set(err, -EINVAL, "there are more than %d terms",
                   (int)SLO_TERMS_MAX);
  if (!slo_copy_term(t->text, from, len))
    return err_set(err, -EINVAL, "the term '%.*s' is too long", (int)len, from);
  rc = slo_read_term(t, err);
  if (rc < 0)
    return rc;
  if (slo_is_repeated(slo, t))
    return err_set(err, -EINVAL, "'%s' has a second limit for the same figure",
                   t->text);
  slo->n++;
  return 0;
}

int slo_parse(const char *text, struct slo *ret, struct err *err)
{
  struct slo slo = { 0 };

  while (*text) {
    const size_t len = strcspn(text, ",");
    const int rc = slo_add_term(&slo, text, len, err);

    if (rc < 0)
      return rc;
    text += len;
    if (*text == ',' && *++text == '\0')
      return err_set(err, -EINVAL, "the last term is empty (expected %s)",
                     SLO_EXPECTED);
  }
  *ret = slo;
  return 0;
}
