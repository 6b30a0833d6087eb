/*
 * test_coincide_hard.c - series that a search for coincidences must not fall
 * for, and as many sentences as there are causes.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "stats/coincide.h"
#include "stats/rand/rng.h"
#include "tests/unit/tap.h"

enum {
  N = 200,
  LONG = 20000,
  SERIES = 6,
  DIPS = 8,
  PERIOD = LONG / 40
};

static const size_t at[DIPS] = { 12, 33, 47, 71, 104, 123, 160, 181 };

struct sim {
  struct rng rng;
  size_t n;
  double rate[LONG], latency[LONG];
  double of[SERIES][LONG];
  bool dip[LONG];
  struct coincide_result found;
};

static double noise(struct sim *s)
{
  return (double)(rng_next(&s->rng) >> 11) * 0x1p-53 - 0.5;
}

/* Eight dips of two intervals; all series are 0. */
static struct sim *make(size_t n)
{
  struct sim *s = calloc(1, sizeof(*s));

  MUST(s);
  rng_seed_key(&s->rng, 26);
  s->n = n;
  for (size_t i = 0; i < n; i++) {
    s->rate[i] = 1000 + 50 * noise(s);
    s->latency[i] = 10 + noise(s);
  }
  for (size_t d = 0; d < DIPS && n == N; d++)
    s->rate[at[d]] = s->rate[at[d] + 1] = 300;
  return s;
}

static void find(struct sim *s)
{
  const double *series[SERIES];
  const struct coincide_input in = { s->n, s->rate, s->latency, SERIES,
                                     series };

  for (size_t k = 0; k < SERIES; k++)
    series[k] = s->of[k];
  MUST(coincide_find(&in, s->dip, &s->found) == 0);
}

static void set_all(struct sim *s, size_t k, double value)
{
  for (size_t i = 0; i < s->n; i++)
    s->of[k][i] = value;
}

/* A cause of all dips. */
static void plant(struct sim *s, size_t k, double value)
{
  for (size_t d = 0; d < DIPS; d++)
    s->of[k][at[d]] = s->of[k][at[d] + 1] = value;
}

static bool names(const struct sim *s, size_t k)
{
  for (unsigned i = 0; i < s->found.n; i++) {
    if (s->found.of[i].series == k)
      return true;
  }
  return false;
}

static void check_nothing(void)
{
  struct sim *s = make(N);

  set_all(s, 1, 7);
  set_all(s, 2, NAN);
  set_all(s, 3, INFINITY);
  for (size_t i = 0; i < N; i++) {
    s->of[4][i] = s->rate[i];
    s->of[5][i] = i % 2 ? NAN : -INFINITY;
  }
  find(s);
  OK(s->found.dips == DIPS && s->found.n == 0,
     "nothing is said of what is constant, 0, unknown, endless, or the "
     "throughput itself");
  free(s);
}

static void check_always(void)
{
  struct sim *s = make(N);

  set_all(s, 0, 1);
  for (size_t i = 0; i < N; i++) {
    s->of[1][i] = (double)(i % 2);
    s->of[2][i] = i % 3 == 0 ? 50 : 0;
    s->of[3][i] = (double)i;
    s->of[4][i] = i < N / 2 ? 0 : 1;
    s->of[5][i] = exp((double)i / 20);
  }
  find(s);
  OK(s->found.dips == DIPS && s->found.n == 0,
     "nor of what is there all the time, most of the time, or more and more");
  free(s);
}

static void check_several(void)
{
  struct sim *s = make(N);

  plant(s, 1, 1);
  plant(s, 4, 1e9);
  find(s);
  OK(s->found.n == 2 && names(s, 1) && names(s, 4),
     "two causes that come together are both said");
  OK(s->found.of[0].hits == DIPS && s->found.of[0].p <= 0.01 &&
       s->found.of[0].expected < DIPS / 2,
     "with their odds");
  for (size_t k = 0; k < SERIES; k++)
    plant(s, k, 1 + (double)k);
  find(s);
  OK(s->found.n == COINCIDE_MAX, "of six, three are");
  free(s);
}

static void check_no_run(void)
{
  struct sim *s = make(N);

  plant(s, 0, 1);
  s->n = 1;
  find(s);
  OK(s->found.dips == 0 && s->found.n == 0 && !s->dip[0],
     "one interval is no run");
  s->n = 0;
  find(s);
  OK(s->found.n == 0, "nor is none");
  s->n = N;
  for (size_t i = 0; i < N; i++)
    s->rate[i] = s->latency[i] = 0;
  find(s);
  OK(s->found.dips == 0 && s->found.n == 0, "no events, no dips");
  for (size_t i = 0; i < N; i++)
    s->rate[i] = s->latency[i] = NAN;
  find(s);
  OK(s->found.dips == 0 && s->found.n == 0, "nor if nothing is known");
  free(s);
}

/* Too many distances for all of them. */
static void check_long(void)
{
  struct sim *s = make(LONG);

  for (size_t i = 5; i + 8 < LONG;
       i += PERIOD + (size_t)(80 * (noise(s) + 0.5)))
    s->rate[i] = s->rate[i + 1] = s->of[2][i] = 100;
  for (size_t i = 20; i < LONG; i += PERIOD)
    s->of[3][i] = 1;
  find(s);
  OK(s->found.dips > 20 && s->found.n == 1 && names(s, 2) &&
       s->found.of[0].hits == s->found.dips,
     "the cause of dips in a long run is named, and nothing else");
  set_all(s, 2, 0);
  find(s);
  OK(s->found.n == 0, "without it nothing is");
  free(s);
}

int main(void)
{
  check_nothing();
  check_always();
  check_several();
  check_no_run();
  check_long();
  return TAP_EXIT();
}
