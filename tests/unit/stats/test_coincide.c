/*
 * test_coincide.c - planted causes are found, and noise is not, in simulated
 * runs.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "stats/coincide.h"
#include "stats/rand/rng.h"
#include "tests/unit/tap.h"

enum {
  N = 200,
  SERIES = 20,
  RUNS = 200
};

struct sim {
  double rate[N], latency[N];
  double of[SERIES][N];
  const double *series[SERIES];
  bool dip[N];
  struct coincide_result found;
};

static uint64_t state;

static double uniform(void)
{
  return (double)(rng_mix(state += RNG_GAMMA) >> 11) * 0x1p-53;
}

static double normal(void)
{
  return sqrt(-2 * log(1 - uniform())) * cos(6.283185307179586 * uniform());
}

/* A run with some noise, in which every series has spikes of its own; half of
 * them last for a few intervals. */
static void make_noise(struct sim *s)
{
  for (size_t i = 0; i < N; i++) {
    s->rate[i] = 1000 + 30 * normal();
    s->latency[i] = 10 * exp(0.1 * normal());
  }
  for (size_t k = 0; k < SERIES; k++) {
    s->series[k] = s->of[k];
    for (size_t i = 0; i < N; i++)
      s->of[k][i] = fabs(normal());
    for (int spike = 0; spike < 8; spike++) {
      const size_t at = (size_t)(uniform() * N);
      const size_t length = k % 2 ? 1 : 1 + (size_t)(uniform() * 6);

      for (size_t i = at; i < at + length && i < N; i++)
        s->of[k][i] += 50;
    }
  }
}

static void dip_at(struct sim *s, size_t at, size_t length)
{
  for (size_t i = at; i < at + length && i < N; i++)
    s->rate[i] *= 0.5;
}

static void judge(struct sim *s)
{
  const struct coincide_input in = { N, s->rate, s->latency, SERIES,
                                     s->series };

  MUST(coincide_find(&in, s->dip, &s->found) == 0);
}

/* Dips at random; nothing to do with any series. */
static unsigned count_false(bool periodic)
{
  unsigned runs = 0;
  struct sim *s = calloc(1, sizeof(*s));

  for (int r = 0; r < RUNS; r++) {
    make_noise(s);
    for (int d = 0; d < 8; d++)
      dip_at(s, periodic ? (size_t)(d * 25 + 3) : (size_t)(uniform() * N),
             1 + (size_t)(uniform() * 2));
    if (periodic) { /* something else with another period */
      for (size_t i = 0; i < N; i++)
        s->of[3][i] = i % 30 < 2 ? 100 : 0;
    }
    judge(s);
    runs += s->found.n > 0;
  }
  free(s);
  return runs;
}

static void check_planted(void)
{
  struct sim *s = calloc(1, sizeof(*s));
  unsigned named = 0, first = 0;

  for (int r = 0; r < RUNS; r++) {
    size_t at = 5;

    make_noise(s);
    memset(s->of[7], 0, sizeof(s->of[7]));
    for (int d = 0; d < 8; d++, at += 12 + (size_t)(uniform() * 20)) {
      dip_at(s, at % N, 2);
      if (d != 4) /* one of them has another cause */
        s->of[7][(at + N - 1) % N] = 1;
    }
    judge(s);
    first += s->found.n > 0 && s->found.of[0].series == 7;
    for (unsigned i = 0; i < s->found.n; i++)
      named += s->found.of[i].series == 7 && s->found.of[i].hits >= 5 &&
               s->found.of[i].p <= 0.01;
  }
  printf("# planted: named in %u, first in %u of %d\n", named, first, RUNS);
  OK(named >= RUNS * 95 / 100, "a planted cause is named");
  OK(first >= RUNS * 95 / 100, "and comes first");
  free(s);
}

static void check_details(void)
{
  struct sim *s = calloc(1, sizeof(*s));

  make_noise(s);
  judge(s);
  OK(s->found.dips == 0 && s->found.n == 0, "a calm run has no dips");
  dip_at(s, 50, 3);
  s->latency[120] = 100;
  judge(s);
  OK(s->found.dips == 2 && s->dip[50] && s->dip[52] && !s->dip[53] &&
       s->dip[120],
     "a low rate and a high latency are dips, successive ones are one");
  for (size_t i = 0; i < N; i++)
    s->rate[i] = i < N / 2 ? 1000 : 500;
  memset(s->latency, 0, sizeof(s->latency));
  judge(s);
  OK(s->found.dips == 0, "another level is no dip");
  for (size_t i = 0; i < N; i++)
    s->of[0][i] = NAN;
  dip_at(s, 30, 1);
  dip_at(s, 90, 1);
  dip_at(s, 131, 1);
  judge(s);
  OK(s->found.dips == 3, "what is not known does no harm");
  free(s);
}

/* Long, deep dips with a cause that lasts as long, between short and flat ones
 * that noise has made.  In a run of 130 intervals, each shift counts. */
static void check_long(void)
{
  enum {
    LONG = 130
  };
  static const size_t at[] = { 14, 23, 37, 59, 89 };
  struct sim *s = calloc(1, sizeof(*s));
  const struct coincide_input in = { LONG, s->rate, s->latency, SERIES,
                                     s->series };
  unsigned named = 0, flat = 0;

  for (int r = 0; r < RUNS; r++) {
    make_noise(s);
    memset(s->of[7], 0, sizeof(s->of[7]));
    for (int d = 0; d < 5; d++)
      s->rate[(size_t)(uniform() * LONG)] *= 0.75;
    for (size_t d = 0; d < sizeof(at) / sizeof(*at); d++) {
      for (size_t i = at[d]; i < at[d] + 4; i++) {
        s->rate[i] = 0;
        s->latency[i] = NAN;
        s->of[7][i] = 16;
      }
    }
    MUST(coincide_find(&in, s->dip, &s->found) == 0);
    flat += s->found.dips > 5;
    named += s->found.n > 0 && s->found.of[0].series == 7;
  }
  printf("# long: named in %u of %d, with flat dips in %u\n", named, RUNS,
         flat);
  OK(flat > RUNS / 2 && named >= RUNS * 95 / 100,
     "the cause of long dips comes first");
  free(s);
}

/* A minute is too short for one in a hundred. */
static void check_short(void)
{
  double rate[60], zero[60] = { 0 }, cause[60] = { 0 };
  const double *series[] = { cause };
  const struct coincide_input in = { 60, rate, zero, 1, series };
  struct coincide_result found;
  bool dip[60];

  for (size_t i = 0; i < 60; i++)
    rate[i] = 100;
  rate[10] = rate[25] = rate[47] = 1;
  cause[10] = cause[25] = cause[47] = 1;
  OK(coincide_find(&in, dip, &found) == 0 && found.dips == 3 && found.n == 0,
     "nothing is said of a short run");
  {
    const struct coincide_input three = { 3, rate + 9, zero, 1, series };

    OK(coincide_find(&three, dip, &found) == 0 && found.dips == 0 && !dip[1],
       "and of three intervals none is unusual");
  }
}

/* So many intervals from `at` on, which may begin and end in the middle of
 * one: what is above 0 is in all of them. */
static double covered(size_t i, double at, double length)
{
  return fmin(fmax(fmin(at + length, (double)i + 1) - fmax(at, (double)i), 0),
              1);
}

/* One dip.  Something lasts as long, and begins `late` after it. */
static void make_one(struct sim *s, double at, double length, double late)
{
  make_noise(s);
  for (size_t i = 0; i < N; i++) {
    s->rate[i] *= 1 - covered(i, at, length);
    s->of[7][i] = 16 * (covered(i, at + late, length) +
                        covered(i + N, at + late, length));
  }
}

static bool names(const struct sim *s, size_t series)
{
  bool named = false;

  for (unsigned i = 0; i < s->found.n; i++)
    named |= s->found.of[i].series == series;
  return named;
}

static void check_one(void)
{
  struct sim *s = calloc(1, sizeof(*s));
  unsigned named = 0, first = 0, by_chance = 0, thrice = 0;

  for (int r = 0; r < RUNS; r++) {
    const double at = 10 + 170 * uniform(), length = 2 + 4 * uniform();

    make_one(s, at, length, 0);
    judge(s);
    named += names(s, 7);
    first += s->found.n > 0 && s->found.of[0].series == 7 &&
             s->found.of[0].hits == 1 && s->found.of[0].p <= 0.01;
    /* Two others do the same at other moments. */
    for (size_t i = 0; i < N; i++) {
      s->of[3][(i + 50) % N] = s->of[7][i];
      s->of[9][(i + 90) % N] = s->of[7][i];
    }
    judge(s);
    thrice += names(s, 7);
  }
  for (int r = 0; r < 5 * RUNS; r++) {
    make_one(s, 10 + 170 * uniform(), 2 + 4 * uniform(), N * uniform());
    judge(s);
    by_chance += s->found.n > 0;
  }
  printf("# one dip: named in %u, first in %u of %d; by chance in %u of %d\n",
         named, first, RUNS, by_chance, 5 * RUNS);
  OK(named >= RUNS * 95 / 100 && first >= RUNS * 95 / 100,
     "the cause of the only dip is named");
  OK(by_chance <= 5 * RUNS / 50,
     "what lasts as long at any time is named in one of 50 runs at most");
  OK(thrice == 0, "nothing is named if three could have been");
  free(s);
}

/* What has waited in a dip ends behind it, with a high latency.  Another series
 * lasts as long as both. */
static void check_late(void)
{
  struct sim *s = calloc(1, sizeof(*s));
  unsigned named = 0, other = 0;

  for (int r = 0; r < RUNS; r++) {
    const double at = 10 + 170 * uniform();
    const size_t end = (size_t)(at + 3) + 1;

    make_one(s, at, 3, 0);
    s->latency[end - 1] = s->latency[end] = 300;
    for (size_t i = 0; i < N; i++)
      s->of[3][i] = 16 * covered(i, at + 30, 4);
    judge(s);
    named += names(s, 7);
    other += names(s, 3);
  }
  printf("# latencies behind a dip: named in %u of %d\n", named, RUNS);
  OK(named >= RUNS * 95 / 100 && other == 0,
     "latencies behind a dip do not change its shape");
  free(s);
}

/* As many intervals as a dip of 4 s has in two minutes. */
static void check_fine(void)
{
  enum {
    FINE = 600
  };
  double rate[FINE], latency[FINE], cause[FINE] = { 0 };
  const double *series[] = { cause };
  const struct coincide_input in = { FINE, rate, latency, 1, series };
  struct coincide_result found;
  bool dip[FINE];

  for (size_t i = 0; i < FINE; i++) {
    rate[i] = 1000 + 30 * normal();
    latency[i] = NAN;
  }
  for (size_t i = 300; i < 320; i++)
    rate[i] = 100;
  for (size_t i = 301; i < 321; i++)
    cause[i] = 1;
  OK(coincide_find(&in, dip, &found) == 0 && found.dips == 1 && dip[300] &&
       dip[319] && found.n == 1,
     "a dip of many short intervals is one");
}

int main(void)
{
  unsigned n;

  n = count_false(false);
  printf("# noise: %u of %d runs have a sentence\n", n, RUNS);
  OK(n <= RUNS / 20, "noise has a sentence in one of 20 runs at most");
  n = count_false(true);
  printf("# periods: %u of %d runs have a sentence\n", n, RUNS);
  OK(n <= RUNS / 20, "so have things with other periods");
  check_planted();
  check_details();
  check_long();
  check_short();
  check_one();
  check_late();
  check_fine();
  return TAP_EXIT();
}
