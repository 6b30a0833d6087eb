/*
 * test_decision.c - objectives are decided as early as they are certain.
 */
#include <math.h>

#include "stats/binomial.h"
#include "stats/decision.h"
#include "stats/rand/rng.h"
#include "tests/unit/tap.h"

enum {
  RUNS = 1000,
  INTERVALS = 400,
  PER_INTERVAL = 200,
};

/* So many events are waiting, and late. */
static enum decision_verdict verdict_with(const struct decision *d,
                                          uint64_t late, bool last)
{
  const struct decision_waiting waiting = { late, late };

  return decision_verdict(d, &waiting, last);
}

/* Events in time, so many at once, over the fewest intervals; then late ones.
 */
static enum decision_verdict verdict_of(double share, uint64_t events,
                                        uint64_t late)
{
  struct decision d;

  decision_init(&d, share, 0);
  for (unsigned i = 0; i < DECISION_INTERVALS_MIN; i++) {
    const uint64_t n = events * (i + 1) / DECISION_INTERVALS_MIN -
                       events * i / DECISION_INTERVALS_MIN;
    const uint64_t l = late * (i + 1) / DECISION_INTERVALS_MIN -
                       late * i / DECISION_INTERVALS_MIN;

    decision_add(&d, n, l);
  }
  return verdict_with(&d, 0, false);
}

static void check_counts(void)
{
  static const struct {
    double share;
    uint64_t events, late;
  } row[] = {
    { 0.01, 459, 0 },     { 0.01, 662, 1 },       { 0.01, 3304, 20 },
    { 0.01, 12571, 100 }, { 0.001, 4603, 0 },     { 0.001, 6636, 1 },
    { 0.001, 33097, 20 }, { 0.001, 125826, 100 },
  };
  unsigned held = 0, open = 0;

  for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
    held += verdict_of(row[i].share, row[i].events, row[i].late) ==
            DECISION_HELD;
    open += verdict_of(row[i].share, row[i].events - 1, row[i].late) ==
            DECISION_OPEN;
  }
  OK(held == 8, "an objective holds with exactly so many events");
  OK(open == 8, "one event less leaves it open");
}

static void check_rules(void)
{
  const struct decision_waiting many = { .all = 10000 };
  struct decision d;

  decision_init(&d, 0.01, 0);
  for (int i = 0; i < DECISION_INTERVALS_MIN - 1; i++)
    decision_add(&d, 1000, 0);
  OK(verdict_with(&d, 0, false) == DECISION_OPEN,
     "fewer than 30 intervals decide nothing");
  OK(verdict_with(&d, 10000, false) == DECISION_OPEN, "not even failures");
  decision_add(&d, 1000, 0);
  OK(verdict_with(&d, 0, false) == DECISION_HELD, "30 intervals do");
  OK(verdict_with(&d, 10000, false) == DECISION_FAILED,
     "events that wait too long are late");
  OK(decision_verdict(&d, &many, false) == DECISION_OPEN,
     "what waits, and is not late yet, is not in time");
  decision_init(&d, 0.01, 10000);
  decision_add(&d, 250, 208);
  OK(verdict_with(&d, 0, false) == DECISION_OPEN,
     "208 late events of some 10000 are too few to fail without a test");
  decision_add(&d, 1, 1);
  OK(verdict_with(&d, 0, false) == DECISION_FAILED,
     "209 are more than 2 % of all that can come");
  decision_init(&d, 0, 10000);
  for (int i = 0; i < DECISION_INTERVALS_MIN; i++)
    decision_add(&d, 1, 0);
  OK(verdict_with(&d, 0, false) == DECISION_HELD, "none may be late, none is");
  OK(verdict_with(&d, 1, false) == DECISION_FAILED, "none may be late, one is");
}

/* The same share of late events: each for itself, or 20 in a cluster. */
static void check_clusters(void)
{
  struct decision single, clusters, long_ones;

  decision_init(&single, 0.01, 0);
  decision_init(&clusters, 0.01, 0);
  decision_init(&long_ones, 0.01, 0);
  for (int i = 0; i < 2000; i++) {
    decision_add(&single, 1000, 5);
    decision_add(&clusters, 1000, i % 20 == 0 ? 100 : 0);
    decision_add(&long_ones, 1000, i % 200 < 20 ? 50 : 0);
  }
  OK(decision_inflation(&single) == 1, "even lateness has no inflation");
  OK(decision_inflation(&clusters) > 50, "clusters have");
  OK(decision_inflation(&long_ones) > 300,
     "clusters over several intervals have more");
  OK(single.cells < DECISION_CELLS && single.per_cell == 4,
     "long runs have longer intervals");
}

/* Late events of an interval, in clusters of a mean size. */
static uint64_t draw_late(struct rng *rng, double mean, double size)
{
  double chance = rng_exponential(rng);
  uint64_t n = 0;

  while (chance < mean / size) {
    n += (uint64_t)ceil(size == 1 ? 1 : rng_exponential(rng) * size);
    chance += rng_exponential(rng);
  }
  return n < PER_INTERVAL ? n : PER_INTERVAL;
}

/* How many of RUNS end with this verdict. */
static unsigned count(double share, double size, enum decision_verdict wanted)
{
  const double planned = (double)INTERVALS * PER_INTERVAL;
  unsigned n = 0;
  struct rng rng;

  rng_seed(&rng, 1, RNG_ARRIVALS, (unsigned)size);
  for (int run = 0; run < RUNS; run++) {
    enum decision_verdict v = DECISION_OPEN;
    struct decision d;

    decision_init(&d, 0.01, planned);
    for (int i = 0; i < INTERVALS && v == DECISION_OPEN; i++) {
      decision_add(&d, PER_INTERVAL,
                   draw_late(&rng, share * PER_INTERVAL, size));
      v = verdict_with(&d, 0, i + 1 == INTERVALS);
    }
    n += v == wanted;
  }
  return n;
}

/* 80,000 events at most.  Each interval is a look at the data. */
static void check_errors(void)
{
  static const double sizes[] = { 1, 10 };

  for (int i = 0; i < 2; i++) {
    const unsigned bad_held = count(0.013, sizes[i], DECISION_HELD);
    const unsigned good_failed = count(0.007, sizes[i], DECISION_FAILED);
    const unsigned same_failed = count(0.01, sizes[i], DECISION_FAILED);
    const unsigned good_held = count(0.004, sizes[i], DECISION_HELD);
    const unsigned bad_failed = count(0.03, sizes[i], DECISION_FAILED);

    printf("# clusters of %.0f: %u held and %u failed wrongly; %u held and %u "
           "failed rightly; %u failed at 1 %%\n",
           sizes[i], bad_held, good_failed, good_held, bad_failed, same_failed);
    OK(bad_held <= RUNS / 30, "1.3 % late is hardly ever taken for 1 %");
    OK(good_failed <= RUNS / 50, "nor is 0.7 %");
    OK(same_failed <= RUNS / 10, "exactly 1 % hardly ever fails");
    OK(good_held >= RUNS - RUNS / 10, "0.4 % is found to hold");
    OK(bad_failed >= RUNS - RUNS / 50, "3 % is found to fail");
  }
}

/* Runs of 1,000 events with so many late ones each, that came in clusters. */
static enum decision_verdict verdict_of_runs(unsigned runs, double late,
                                             double inflation, double clusters)
{
  struct decision_pool p = { 0 };

  for (unsigned i = 0; i < runs; i++)
    decision_pool_add(
      &p, &(struct decision_run){ 100, 1000, late, 0, inflation, clusters });
  return decision_pool_verdict(&p, 0.01);
}

/* After a run with such a part of the late events that may be. */
static double missing_after(double events, double part)
{
  struct decision_pool p = { 0 };

  decision_pool_add(
    &p, &(struct decision_run){ 100, events, part * events / 100, 0, 1, 5 });
  return decision_pool_missing(&p, 0.01);
}

static void check_pool(void)
{
  const struct decision_pool none = { 0 };
  struct decision_pool p = { 0 };

  OK(decision_pool_verdict(&none, 0.01) == DECISION_OPEN,
     "no run says nothing");
  OK(verdict_of_runs(1, 5, 1, 5) == DECISION_OPEN, "a run may be open");
  OK(verdict_of_runs(4, 5, 1, 5) == DECISION_HELD, "and four like it hold");
  OK(verdict_of_runs(1, 15, 1, 5) == DECISION_OPEN &&
       verdict_of_runs(10, 15, 1, 5) == DECISION_FAILED,
     "or have failed");
  OK(verdict_of_runs(20, 10, 1, 5) == DECISION_OPEN,
     "at the limit it stays open");
  OK(verdict_of_runs(4, 5, 10, 5) == DECISION_OPEN &&
       verdict_of_runs(40, 5, 10, 5) == DECISION_HELD,
     "events that come in clusters say less");
  /* 1 + 9 * (1 + 3 / 1) is 37 as one cluster, and 10.6 as forty. */
  decision_pool_add(&p, &(struct decision_run){ 100, 1000, 5, 0, 37, 1 });
  OK(fabs(p.inflated - 5 * 10) < 1e-9,
     "the correction for few clusters is that of all runs");
  OK(decision_pool_verdict(&p, 0) == DECISION_FAILED, "none may be late");
  p = (struct decision_pool){ 0 };
  decision_pool_add(&p, &(struct decision_run){ 100, 10000, 0, 300, 1, 0 });
  OK(decision_pool_verdict(&p, 0.01) == DECISION_OPEN,
     "events that wait are not in time");
  p = (struct decision_pool){ 0 };
  decision_pool_add(&p, &(struct decision_run){ 20, 1e6, 0, 0, 1, 0 });
  OK(decision_pool_verdict(&p, 0.01) == DECISION_OPEN &&
       decision_pool_verdict(&p, 0) == DECISION_OPEN &&
       isinf(decision_pool_missing(&p, 0.01)),
     "a few intervals say nothing");
  OK(missing_after(15000, 0.9) <= 0 && missing_after(15000, 1.05) > 0.5 &&
       missing_after(15000, 1.05) < 2,
     "how many more runs it takes, if this one was unlucky");
  OK(isinf(missing_after(1.5e6, 1.015)) &&
       isinf(decision_pool_missing(&none, 0.01)),
     "so close to the limit, and without events, it takes a lot");
}

int main(void)
{
  check_counts();
  check_rules();
  check_clusters();
  check_errors();
  check_pool();
  return TAP_EXIT();
}
