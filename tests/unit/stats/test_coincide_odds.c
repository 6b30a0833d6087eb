/*
 * test_coincide_odds.c - thousands of simulated runs without a cause: no more
 * of them have a sentence than coincide.h promises.
 *
 * Throughput and latency drift, are noisy for some time in one direction, and
 * stall now and then, at random or at even distances.  The series do what those
 * of servers do, each for itself: levels that wander, counts that are mostly 0,
 * work at even distances, long tails, spikes that several of them share, and
 * gaps.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "stats/coincide.h"
#include "stats/rand/rng.h"
#include "tests/unit/tap.h"

#define PROMISED 0.02

enum {
  LONGEST = 300,
  SERIES = 31
};

struct sim {
  struct rng rng;
  size_t n;
  double rate[LONGEST], latency[LONGEST], shared[LONGEST];
  double of[SERIES][LONGEST];
  const double *series[SERIES];
  bool dip[LONGEST];
  struct coincide_result found;
};

static double uniform(struct sim *s)
{
  return (double)(rng_next(&s->rng) >> 11) * 0x1p-53;
}

static double normal(struct sim *s)
{
  return sqrt(-2 * log(1 - uniform(s))) * cos(6.283185307179586 * uniform(s));
}

static double exponential(struct sim *s)
{
  return -log(1 - uniform(s));
}

/* Noise with a deviation of 1 that remembers so much of the value before. */
static void wander(struct sim *s, double memory, double *ret)
{
  const double news = sqrt(1 - memory * memory);
  double now = normal(s);

  for (size_t i = 0; i < s->n; i++) {
    ret[i] = now;
    now = memory * now + news * normal(s);
  }
}

/* ---- the run ---- */

static void stall(struct sim *s, size_t at)
{
  const double left = 0.8 * uniform(s), slow = 1 + 9 * uniform(s);
  const size_t end = at + 1 + (size_t)(1.5 * exponential(s));

  for (size_t i = at; i < end && i < s->n; i++) {
    s->rate[i] *= left;
    s->latency[i] *= slow;
  }
}

static void make_run(struct sim *s)
{
  const double drift = 0.6 * uniform(s) - 0.3, noise = 0.1 * uniform(s);
  const double period = 8 + 50 * uniform(s), phase = period * uniform(s);
  const bool even = uniform(s) < 0.3;

  wander(s, 0.9 * uniform(s), s->rate);
  wander(s, 0.9 * uniform(s), s->latency);
  for (size_t i = 0; i < s->n; i++) {
    s->rate[i] = 1000 *
                 exp(noise * s->rate[i] + drift * (double)i / (double)s->n);
    s->latency[i] = 10 * exp(3 * noise * s->latency[i]);
  }
  if (even) {
    for (double at = phase; at < (double)s->n; at += period)
      stall(s, (size_t)at);
  } else {
    for (size_t left = (size_t)(9 * uniform(s)); left > 0; left--)
      stall(s, (size_t)(uniform(s) * (double)s->n));
  }
}

/* ---- what the server and the machine do meanwhile ---- */

/* Work at even distances. */
static void make_periodic(struct sim *s, double *ret)
{
  const double period = 5 + 60 * uniform(s), phase = period * uniform(s);
  const double share = 0.3 * uniform(s);

  for (size_t i = 0; i < s->n; i++)
    ret[i] = fmod((double)i + phase, period) < share * period ? 1 : 0;
}

/* A few, at random; some of them last. */
static void make_rare(struct sim *s, double *ret)
{
  const bool lasts = uniform(s) < 0.5;

  for (size_t i = 0; i < s->n; i++)
    ret[i] = 0;
  for (size_t left = (size_t)(12 * uniform(s)); left > 0; left--) {
    const size_t at = (size_t)(uniform(s) * (double)s->n);
    const size_t end = at + 1 + (lasts ? (size_t)(3 * exponential(s)) : 0);

    for (size_t i = at; i < end && i < s->n; i++)
      ret[i] += 1 + 4 * uniform(s);
  }
}

static void make_series(struct sim *s, size_t k)
{
  double *v = s->of[k];

  wander(s, 0.95 * uniform(s), v);
  for (size_t i = 0; i < s->n; i++) {
    switch (k % 6) {
    case 0: /* a level that also rises or falls */
      v[i] += 4 * (double)i / (double)s->n;
      break;
    case 1: /* a long tail */
      v[i] = exp(2 * v[i]);
      break;
    case 2: /* what the whole machine does */
      v[i] = fabs(v[i]) + s->shared[i];
      break;
    case 3: /* it cannot always be read */
      v[i] = uniform(s) < 0.2 ? NAN : exp(v[i]) + 0.5 * s->shared[i];
      break;
    default:
      break;
    }
  }
  if (k % 6 == 4)
    make_periodic(s, v);
  if (k % 6 == 5)
    make_rare(s, v);
}

/* At most 2 of 100, and what such a simulation may add by chance: three
 * standard deviations. */
static bool keeps_promise(size_t n, unsigned many, uint64_t seed)
{
  struct sim *s = calloc(1, sizeof(*s));
  unsigned said = 0, dips = 0, with = 0;

  MUST(s);
  rng_seed_key(&s->rng, seed);
  s->n = n;
  for (unsigned r = 0; r < many; r++) {
    struct coincide_input in = { n, s->rate, s->latency, SERIES, s->series };

    make_run(s);
    make_rare(s, s->shared);
    for (size_t k = 0; k < SERIES; k++) {
      s->series[k] = s->of[k];
      make_series(s, k);
    }
    MUST(coincide_find(&in, s->dip, &s->found) == 0);
    said += s->found.n > 0;
    with += s->found.dips > 0;
    dips += s->found.dips;
  }
  printf("# %zu intervals: %u of %u runs have a sentence; %u have dips, %.1f "
         "on average\n",
         n, said, many, with, with > 0 ? (double)dips / with : 0.0);
  MUST(with > many / 2);
  free(s);
  return said <= PROMISED * many + 3 * sqrt(PROMISED * many);
}

/* Another seed and number of runs can be given. */
int main(int argc, char **argv)
{
  const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 26;
  const unsigned many = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 3000;

  OK(keeps_promise(120, many, seed), "runs of two minutes have few sentences");
  OK(keeps_promise(LONGEST, many / 3, seed + 1), "so have runs of five");
  return TAP_EXIT();
}
