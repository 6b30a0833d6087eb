/*
 * test_slo.c - objectives: what is read, and the verdicts on samples whose
 * latencies are known.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/err.h"
#include "stats/binomial.h"
#include "stats/hist_sum.h"
#include "stats/rand/rng.h"
#include "stats/slo.h"
#include "tests/unit/tap.h"

/* ---- binomial tails ---- */

/* The sum of the terms, for comparison. */
static double tail(unsigned n, unsigned k, double q)
{
  double term = pow(1 - q, n), sum = term;

  for (unsigned i = 1; i <= k; i++) {
    term *= (double)(n - i + 1) / i * q / (1 - q);
    sum += term;
  }
  return sum;
}

static void test_binomial(void)
{
  bool close = true, whole = true;

  for (unsigned n = 1; n <= 300; n += 13) {
    for (unsigned k = 0; k < n; k++) {
      const double want = tail(n, k, 0.07), got = binomial_at_most(n, k, 0.07);

      close &= fabs(got - want) < 1e-10;
      whole &= fabs(got + binomial_at_least(n, k + 1, 0.07) - 1) < 1e-10;
    }
  }
  OK(close, "tails are the sums of their terms");
  OK(whole, "both tails together are everything");
  OK(binomial_at_most(1e8, 1e6 - 3000, 0.01) < 0.01 &&
       binomial_at_most(1e8, 1e6, 0.01) > 0.4,
     "a hundred million trials");
}

/* ---- reading ---- */

static const struct {
  const char *text;
  double limit, pct; /* of the last term */
  unsigned n;
} good[] = {
  { "p99<=10ms", 10e6, 99, 1 },
  { "p99.9<=1.5s", 1.5e9, 99.9, 1 },
  { "p50<=800us", 800e3, 50, 1 },
  { "avg<=70ns", 70, 0, 1 },
  { "max<=1m", 60e9, 0, 1 },
  { "max<=1h", 3600e9, 0, 1 },
  { "errors<=0.1%", 0.001, 0, 1 },
  { "errors<=0", 0, 0, 1 },
  { "errors<=100%", 1, 0, 1 },
  { "tps>=1000", 1000, 0, 1 },
  { "qps>=0.5", 0.5, 0, 1 },
  { "p99<=10ms,errors<=0.1%", 0.001, 0, 2 },
  { " p99 <= 10 ms , p50<=1ms ", 1e6, 50, 2 },
  { "", 0, 0, 0 },
};

static const struct {
  const char *text, *message;
} bad[] = {
  { "p99<=10", "'p99<=10' has no such limit (expected a time with a unit" },
  { "p99<=2h", "'p99<=2h' has no such limit (expected a time with a unit, up" },
  { "p99<=0ms", "'p99<=0ms' has no such limit" },
  { "p99<=-1ms", "'p99<=-1ms' has no such limit" },
  { "p99<=1e3ms", "'p99<=1e3ms' has no such limit" },
  { "p99<=10msec", "'p99<=10msec' has no such limit" },
  { "p99>=10ms",
    "'p99>=10ms' has no limit with '<=' (expected p99<= and a time" },
  { "p99<10ms", "'p99<10ms' has no limit with '<=' (expected p99<= and" },
  { "p99", "'p99' has no limit with '<=' (expected p99<= and" },
  { "p100<=1s", "'p100<=1s' is not a term of an objective" },
  { "p0<=1s", "'p0<=1s' is not a term of an objective" },
  { "p<=1s", "'p<=1s' is not a term of an objective" },
  { "p 99x<=1s", "'p99x<=1s' is not a term of an objective" },
  { "latency<=1s", "'latency<=1s' is not a term of an objective" },
  { "errors<=101%", "'errors<=101%' has no such limit (expected a share" },
  { "tps<=10",
    "'tps<=10' has no limit with '>=' (expected tps>= and a number" },
  { "tps>=0", "'tps>=0' has no such limit" },
  { "p99<=1ms,", "the last term is empty" },
  { ",p99<=1ms", "'' is not a term of an objective" },
  { "p99<=1ms,p99<=2ms", "'p99<=2ms' has a second limit for the same figure" },
  { "p99.00000000000000000000000000000000000000000000000000<=1s",
    "the term 'p99.0000" },
};

static void test_reading(void)
{
  struct err err;

  for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
    struct slo s = { .n = 77 };
    const int rc = slo_parse(good[i].text, &s, &err);

    OK(rc == 0 && s.n == good[i].n, good[i].text);
    if (rc == 0 && s.n > 0)
      OK(fabs(s.term[s.n - 1].limit - good[i].limit) <= 1e-12 * good[i].limit &&
           s.term[s.n - 1].pct == good[i].pct,
         "with its limit");
  }
  for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
    struct slo s = { .n = 77 };

    OK(slo_parse(bad[i].text, &s, &err) == -EINVAL && s.n == 77 &&
         strncmp(err.text, bad[i].message, strlen(bad[i].message)) == 0,
       bad[i].text);
    printf("# %s\n", err.text);
  }
}

/* ---- judging ---- */

/* `n` events of so many nanoseconds each, added to a sample. */
static void add(struct slo_sample *s, struct hist_sum *h, uint64_t n,
                uint64_t ns)
{
  hist_sum_put(h, hist_index(ns), n);
  s->min_ns = s->events == 0 || ns < s->min_ns ? ns : s->min_ns;
  s->max_ns = ns > s->max_ns ? ns : s->max_ns;
  s->events += n;
  s->sum_ns += n * ns;
  s->hist = h;
}

static struct slo_verdict verdict;
static struct slo objective;
static char shown[SLO_VALUE_SIZE];

/* The state of an objective, whose first term is described. */
static enum slo_state judge(const char *text, const struct slo_sample *s)
{
  struct err err;

  MUST(slo_parse(text, &objective, &err) == 0);
  slo_judge(&objective, s, &verdict);
  if (verdict.n > 0)
    (void)slo_value_text(shown, &verdict.of[0]);
  return verdict.state;
}

static void test_percentiles(void)
{
  struct hist_sum *h = hist_sum_new();
  struct slo_sample s = { .period_ns = 10 * NS_PER_S };

  MUST(h);
  OK(judge("p99<=1ms", &s) == SLO_UNKNOWN, "nothing is known without events");
  OK_STR(shown, "none", "and there is no value");
  add(&s, h, 990, NS_PER_MS);
  add(&s, h, 10, 20 * NS_PER_MS);
  OK(judge("p99<=1.01ms", &s) == SLO_HELD, "one percent may be late");
  OK(verdict.of[0].bad == 10 && verdict.of[0].all == 1000 &&
       verdict.of[0].needed == 100 && !verdict.of[0].sure,
     "and is counted; it may have been chance");
  OK(judge("p97<=1.01ms", &s) == SLO_HELD && verdict.of[0].sure,
     "it is no chance if three percent may be late");
  OK(judge("p90<=1us", &s) == SLO_FAILED && verdict.of[0].sure &&
       verdict.of[0].bad == 1000,
     "all are late");
  OK(judge("p99.1<=1.01ms", &s) == SLO_FAILED, "but not more");
  OK_STR(shown, "20 ms", "and the value is that of the late ones");
  OK(judge("max<=20ms", &s) == SLO_HELD &&
       judge("max<=19.9ms", &s) == SLO_FAILED,
     "the largest is exact");
  OK(judge("avg<=1.19ms", &s) == SLO_HELD &&
       judge("avg<=1.18ms", &s) == SLO_FAILED,
     "so is the mean");
  OK(judge("p99.99<=1s", &s) == SLO_UNKNOWN && verdict.of[0].holds &&
       verdict.of[0].needed == 10000,
     "a thousand events say nothing of one in ten thousand");
  OK(judge("p99.95<=20ms,p50<=1us", &s) == SLO_FAILED,
     "a term that fails decides, even after one that is unknown");
  OK(judge("p50<=1us,p99.99<=20ms", &s) == SLO_FAILED, "and before it");

  s.late = 1;
  OK(judge("p99<=1.01ms", &s) == SLO_FAILED && verdict.of[0].bad == 11 &&
       verdict.of[0].all == 1001,
     "an event that has not ended is late, too");
  OK(judge("max<=20ms", &s) == SLO_HELD,
     "but has no latency if it has not begun");
  s.late = 20;
  OK(judge("p99<=1h", &s) == SLO_FAILED, "no limit is late enough for it");
  OK_STR(shown, "unfinished", "there is no such value");
  s.stuck = 1;
  OK(judge("max<=1h", &s) == SLO_FAILED && judge("avg<=1h", &s) == SLO_FAILED,
     "an event that hangs is later than any limit");
  hist_sum_free(h);
}

/* Few events, but no chance. */
static void test_certain(void)
{
  struct hist_sum *h = hist_sum_new();
  struct slo_sample s = { .period_ns = NS_PER_S };

  MUST(h);
  add(&s, h, 10, NS_PER_S);
  OK(judge("p99<=1ms", &s) == SLO_FAILED && verdict.of[0].enough,
     "ten of ten late events are enough to fail");
  add(&s, h, 40, NS_PER_MS / 2);
  OK(judge("p99<=2s", &s) == SLO_UNKNOWN, "fifty events in time are not");
  s = (struct slo_sample){ .period_ns = NS_PER_S };
  hist_sum_clear(h);
  add(&s, h, 49, NS_PER_MS / 2);
  add(&s, h, 1, NS_PER_S);
  OK(judge("p99<=1ms", &s) == SLO_UNKNOWN, "one of fifty may be chance");
  hist_sum_free(h);
}

static void test_shares(void)
{
  struct slo_sample s = {
    .period_ns = 10 * NS_PER_S, .events = 9990, .errors = 10, .queries = 50000
  };

  OK(judge("errors<=0.1%", &s) == SLO_HELD, "errors are shares of attempts");
  OK_STR(shown, "0.1 %", "in the unit of the limit");
  OK(judge("errors<=0.0999%", &s) == SLO_FAILED, "too many of them");
  OK_STR(shown, "0.1 %", "with digits that show it");
  OK(judge("errors<=0%", &s) == SLO_FAILED && verdict.of[0].sure,
     "none are allowed");
  s.errors = 0;
  OK(judge("errors<=0%", &s) == SLO_HELD, "and there are none");
  OK(judge("tps>=999", &s) == SLO_HELD && judge("tps>=1000", &s) == SLO_FAILED,
     "events per second");
  OK(judge("qps>=5000", &s) == SLO_HELD && judge("qps>=5001", &s) == SLO_FAILED,
     "queries per second");
  s.period_ns = 0;
  OK(judge("tps>=1", &s) == SLO_UNKNOWN, "no time has passed");
}

/* The value says on which side of the limit it is. */
static void test_digits(void)
{
  struct slo_sample s = { .period_ns = NS_PER_S,
                          .events = 1,
                          .min_ns = 10000400,
                          .max_ns = 10000400,
                          .sum_ns = 10000400 };

  (void)judge("max<=10ms", &s);
  OK_STR(shown, "10.0004 ms", "beyond the limit by little");
  (void)judge("max<=11000us", &s);
  OK_STR(shown, "1e+04 us", "in the unit of the limit");
}

static int by_value(const void *a, const void *b)
{
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

  return (x > y) - (x < y);
}

/* Random latencies against a sorted array, within the error of buckets. */
static void test_random(void)
{
  static uint64_t ns[3000];
  struct hist_sum *h = hist_sum_new();
  uint64_t state = 27;
  bool same = true;

  MUST(h);
  for (int round = 0; round < 200; round++) {
    struct slo_sample s = { .period_ns = NS_PER_S,
                            .late = rng_mix(state += RNG_GAMMA) % 40 };
    uint64_t limit, beyond = s.late;
    char text[64];

    hist_sum_clear(h);
    for (size_t i = 0; i < ARRAY_SIZE(ns); i++) {
      ns[i] = 1 + rng_mix(state += RNG_GAMMA) % 5000000;
      add(&s, h, 1, ns[i]);
    }
    qsort(ns, ARRAY_SIZE(ns), sizeof(ns[0]), by_value);
    limit = 4000000 + rng_mix(state += RNG_GAMMA) % 1000000;
    for (size_t i = 0; i < ARRAY_SIZE(ns); i++)
      beyond += ns[i] > limit;
    (void)snprintf(text, sizeof(text), "p95<=%lluns",
                   (unsigned long long)limit);
    (void)judge(text, &s);
    /* A bucket holds 0.1 % of the value, thus about 3 of 3000 events. */
    same &= verdict.of[0].bad <= beyond + 20 &&
            beyond <= verdict.of[0].bad + 20;
    /* The value and the count say the same. */
    same &= verdict.of[0].holds ==
            (verdict.of[0].bad <=
             verdict.of[0].all - hist_rank(verdict.of[0].all, 95));
  }
  OK(same, "the count and the percentile of random latencies agree");
  hist_sum_free(h);
}

int main(void)
{
  test_binomial();
  test_reading();
  test_percentiles();
  test_certain();
  test_shares();
  test_digits();
  test_random();
  return TAP_EXIT();
}
