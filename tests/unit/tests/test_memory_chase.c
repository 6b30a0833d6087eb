/*
 * test_memory_chase.c - the cycle of a chase goes through every line once,
 * plateaus are found where there are some, and samples of pairs are summarized.
 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/clock.h"
#include "stats/rand/rng.h"
#include "tests/memory/chase.h"
#include "tests/memory/latency.h"
#include "tests/memory/levels.h"
#include "tests/memory/loaded.h"
#include "tests/memory/pairs.h"
#include "tests/unit/tap.h"

enum {
  LINE = 64,
  LINES = 4096,
  POINTS = 121,
};

static char memory[LINES * LINE] __attribute__((aligned(LINE)));

/*
 * Returns how many accesses lead back to the start; 0: the chase left its
 * lines.
 */
static size_t length_of(const struct chase *c)
{
  void **at = c->at;
  size_t n = 0;

  do {
    const size_t line = (size_t)((char *)at - memory) / LINE;

    if ((char *)at < memory || line >= c->lines)
      return 0;
    at = *at;
    n++;
  } while (at != c->at && n <= c->lines);
  return n;
}

static void test_single_cycle(void)
{
  bool all = true;
  struct chase c;

  chase_init(&c, memory, LINE, 7);
  for (size_t lines = 1; lines <= LINES; lines++) {
    chase_grow(&c, lines);
    all = all && c.lines == lines && length_of(&c) == lines;
  }
  OK(all, "one cycle over all lines, at every size");
  OK(chase_run(&c, 1000) == 1008 && length_of(&c) == LINES,
     "accesses in whole turns, which change nothing");
}

/* With three lines there are two cycles: 0 1 2 and 0 2 1. */
static void test_every_cycle(void)
{
  unsigned first = 0;

  for (uint64_t seed = 0; seed < 1000; seed++) {
    struct chase c;

    chase_init(&c, memory, LINE, seed);
    chase_grow(&c, 3);
    first += *(void **)(void *)memory == memory + LINE;
  }
  OK(first > 400 && first < 600, "all cycles are equally likely");
}

static void test_whole_pass(void)
{
  struct chase c;
  void **start;

  chase_init(&c, memory, LINE, 7);
  chase_grow(&c, LINES);
  start = c.at;
  OK(!latency_warm(&c, 0) && c.at == start,
     "a pass without time is not whole, and makes no access");
  OK(latency_warm(&c, UINT64_MAX) && c.at == start,
     "with enough time it is whole, and ends where it began");
}

/*
 * If the clock is read too early, the last accesses take their time in the
 * system call of the next sample.  Other programs slow down both in proportion.
 */
static void test_short_chain(void)
{
  enum {
    BYTES = 16 << 20,
    TIMES = 20000
  };
  char *big = aligned_alloc(LINE, BYTES);
  struct chase c;
  uint64_t begin_ns, end_ns, in_chain_ns = 0;

  if (!big)
    abort();
  chase_init(&c, big, LINE, 7);
  chase_grow(&c, BYTES / LINE);
  begin_ns = clock_now_ns();
  for (int i = 0; i < TIMES; i++) {
    const long before = place_switches(); /* as for a sample */
    const uint64_t start_ns = clock_now_ns();

    (void)before;
    (void)chase_run(&c, 64);
    in_chain_ns += clock_now_ns() - start_ns;
  }
  end_ns = clock_now_ns();
  OK(in_chain_ns > (end_ns - begin_ns) / 2,
     "the time of a short chain is in its sample");
  printf("# %" PRIu64 " of %" PRIu64 " us\n", in_chain_ns / 1000,
         (end_ns - begin_ns) / 1000);
  free(big);
}

/* Goes through the points as a run does; returns how many are measured. */
static size_t measured(double access_ns, uint64_t left_ns, bool *doublings)
{
  size_t n = 0;

  *doublings = true;
  for (size_t i = 0; i < POINTS; i++) {
    const size_t next = latency_next_point(i, POINTS, access_ns, left_ns);

    for (; i < next; i++)
      *doublings = *doublings && i % LATENCY_PER_DOUBLING != 0;
    n += i < POINTS;
  }
  return n;
}

/* Passes over all 121 sizes up to 128 MiB make about 25 million accesses. */
static void test_points_that_fit(void)
{
  bool doublings;

  OK(measured(100, 10 * NS_PER_S, &doublings) == POINTS && doublings,
     "every size if there is time for a pass over each");
  OK(measured(100, NS_PER_S, &doublings) < POINTS && doublings,
     "fewer sizes if there is not, but all doublings");
  OK(measured(100, 0, &doublings) == POINTS / LATENCY_PER_DOUBLING + 1 &&
       doublings,
     "without time the doublings are left");
}

/* A staircase of 1, 10 and 100 ns, with sizes left out where passes are long.
 */
static void test_left_out(void)
{
  static struct latency l;
  struct latency_stairs *s = &l.of[LATENCY_HUGE];
  struct level levels[LEVELS_MAX];
  size_t n;

  for (size_t i = 0; i < POINTS; i++) {
    s->point[i] = (struct latency_point){ .bytes = latency_size_at(i, 64) };
    s->point[i].ns = i <= 40 ? 1 : i <= 80 ? 10 : 100;
    if (i > 64 && i % LATENCY_PER_DOUBLING != 0)
      s->point[i].ns = NAN;
  }
  atomic_store(&s->n, POINTS);
  n = latency_levels(&l, LATENCY_HUGE, levels);
  OK(n == 3 && levels[0].ns == 1 && fabs(levels[1].ns - 10) < 0.1 &&
       fabs(levels[2].ns - 100) < 0.1,
     "plateaus beyond sizes that were left out");
}

static void test_sizes(void)
{
  bool doubles = true;

  for (size_t i = 0; i + LATENCY_PER_DOUBLING < POINTS; i++) {
    const uint64_t a = latency_size_at(i, 1);
    const uint64_t b = latency_size_at(i + LATENCY_PER_DOUBLING, 1);

    doubles = doubles && b >= 2 * a && b <= 2 * a + 1;
  }
  OK(doubles && latency_size_at(0, 64) == 4096 &&
       latency_size_at(120, 64) == 128 << 20 &&
       latency_size_at(1, 64) % 64 == 0,
     "eight sizes per doubling, in whole lines");
  OK(latency_points_to(128 << 20) == POINTS && latency_points_to(4096) == 1 &&
       latency_points_to(4095) == 0,
     "points up to a size");
}

/* ---- plateaus ---- */

/* Draws from about a normal distribution: the sum of twelve numbers. */
static double noise(struct rng *rng)
{
  double sum = -6;

  for (int i = 0; i < 12; i++)
    sum += rng_double(rng);
  return sum;
}

/*
 * Makes latencies with steps after these points, noise, and every tenth
 * disturbed.
 */
static void make_stairs(double *ns, const size_t *after, size_t n, double sd,
                        uint64_t seed)
{
  struct rng rng;

  rng_seed(&rng, seed, RNG_INTERNAL, 0);
  for (size_t i = 0; i < POINTS; i++) {
    double level = 1;

    for (size_t k = 0; k < n; k++)
      level *= i > after[k] ? 4 : 1;
    ns[i] = level * exp(sd * noise(&rng));
    if (sd > 0 && rng_below(&rng, 10) == 0)
      ns[i] *= 3;
  }
}

/* A disturbed point at the end of a plateau moves the end, but not far. */
static bool finds(const size_t *after, size_t n, double sd, uint64_t seed)
{
  struct level levels[LEVELS_MAX];
  double ns[POINTS];

  make_stairs(ns, after, n, sd, seed);
  if (levels_find(ns, POINTS, levels) != n + 1)
    return false;
  for (size_t k = 0; k <= n; k++) {
    const double want = pow(4, (double)k);

    if (fabs(levels[k].ns / want - 1) > 0.1 || levels[k].past >= 1 ||
        (sd == 0 && levels[k].past != 0) ||
        (k < n && (levels[k].edge > after[k] || levels[k].edge + 6 < after[k])))
      return false;
  }
  return true;
}

static void test_plateaus(void)
{
  static const size_t after[] = { 24, 64, 100 };
  bool noisy = true, quiet = true;

  struct level levels[LEVELS_MAX];
  double rising[40];

  for (size_t i = 0; i < 40; i++)
    rising[i] = i < 34 ? 1 : pow(1.5, (double)i - 33);
  OK(levels_find(rising, 40, levels) == 1 && levels[0].ns == 1 &&
       levels[0].edge < 36,
     "a plateau ends where a slope begins that has no end");
  OK(finds(after, 3, 0, 1), "three steps without noise");
  for (uint64_t seed = 0; seed < 200; seed++) {
    noisy = noisy && finds(after, 3, 0.05, seed);
    quiet = quiet && finds(NULL, 0, 0.05, seed) && finds(NULL, 0, 0.005, seed);
  }
  OK(noisy, "three steps in noise and disturbances, each at its place");
  OK(quiet, "noise alone has no step");
}

/* A step that takes two doublings, as with shared caches. */
static void test_slope(void)
{
  struct level levels[LEVELS_MAX];
  double ns[POINTS];
  size_t n;

  for (size_t i = 0; i < POINTS; i++)
    ns[i] = i < 50 ? 4 : i < 66 ? 4 * pow(25, (double)(i - 49) / 17) : 100;
  n = levels_find(ns, POINTS, levels);
  OK(n == 2 && levels[0].edge >= 49 && levels[0].edge <= 54 &&
       fabs(levels[1].ns - 100) < 1,
     "a slope is no plateau");
  OK(fabs((double)levels[0].edge + levels[0].past - 52.66) < 0.05,
     "on a slope the end lies between points");
}

static void test_few_points(void)
{
  static const double ns[] = { 1, 1.1, 5 };
  struct level levels[LEVELS_MAX];

  OK(levels_find(ns, 0, levels) == 0, "nothing has no plateau");
  OK(levels_find(ns, 1, levels) == 1 && levels[0].edge == 0 &&
       levels[0].ns == 1,
     "a point is one");
  OK(levels_find(ns, 3, levels) == 1 && levels[0].edge == 2, "so are a few");
}

static void test_claims(void)
{
  static const struct latency_point points[] = { { .bytes = 32768 },
                                                 { .bytes = 950000 },
                                                 { .bytes = 1 << 27 } };
  static const struct level levels[] = { { .edge = 0 },
                                         { .edge = 1 },
                                         { .edge = 2 } };

  OK(latency_has_edge(points, levels, 3, 32768) &&
       latency_has_edge(points, levels, 3, 1 << 20),
     "caches that show");
  OK(!latency_has_edge(points, levels, 3, 32 << 20) &&
       !latency_has_edge(points, levels, 3, 1 << 27),
     "a cache that does not, and the end of the points is none");
}

static void test_knee(void)
{
  static const struct loaded_point of[] = {
    { 0, 100, 1, 0 },   { 1e9, 100, 1, 0 }, { 5e9, 120, 1, 0 },
    { 4e9, 130, 1, 0 }, { 7e9, 151, 1, 0 }, { 8e9, 400, 1, 0 },
  };

  OK(loaded_knee(of, 6) == 2, "the most bandwidth before latency has grown");
  OK(loaded_knee(of, 1) == 0 && loaded_knee(of, 0) == 0, "no load, no knee");
}

static void test_slices(void)
{
  static const struct loaded_slice of[] = {
    { 0, 900 }, { 4e9, 110 }, { 0, 800 }, { 6e9, 130 }, { 5e9, 120 },
  };
  static const struct loaded_point half[] = { { 0, 100, 1, 0 },
                                              { NAN, NAN, 1, 0 } };
  struct loaded_point p = { 0 };

  loaded_summarize(of, 5, true, &p);
  OK(p.bytes_per_s == 5e9 && p.ns == 120 && loaded_counts(&p),
     "slices in which no load ran do not count");
  loaded_summarize(of, 1, true, &p);
  OK(!loaded_counts(&p), "if none ran in any, there is no point");
  loaded_summarize(of, 1, false, &p);
  OK(p.bytes_per_s == 0 && p.ns == 900 && loaded_counts(&p),
     "without load, nothing is copied");
  OK(loaded_knee(half, 2) == 0, "and such a point is no knee");
}

/* ---- samples of pairs ---- */

static void test_pairs(void)
{
  struct pair_sample of[100];
  struct pair p;

  for (int i = 0; i < 100; i++)
    of[i] = (struct pair_sample){ .ns = 50 + i % 5 };
  for (int i = 0; i < 30; i++) { /* the kernel has taken a processor */
    of[i * 3].ns = 60;
    of[i * 3].preempted = true;
  }
  of[1].ns = 5000; /* and the hypervisor, which is not visible */
  of[2].ns = 151;
  pairs_summarize(of, 100, &p);
  OK(p.kept == 69 && p.dropped == 31, "stolen samples are dropped");
  OK(p.ns == 52 && p.mad == 1, "the others count");
  for (int i = 0; i < 100; i++)
    of[i].preempted = true;
  pairs_summarize(of, 100, &p);
  OK(p.kept == 0 && p.dropped == 100 && isnan(p.ns) && isnan(p.mad),
     "nothing is left, and nothing is said");
  OK(pairs_index(0, 1) == 0 && pairs_index(0, 2) == 1 &&
       pairs_index(1, 2) == 2 && pairs_index(0, 3) == 3,
     "every pair has a place");
}

int main(void)
{
  test_knee();
  test_slices();
  test_pairs();
  test_single_cycle();
  test_every_cycle();
  test_whole_pass();
  clock_calibrate();
  test_short_chain();
  test_points_that_fit();
  test_left_out();
  test_sizes();
  test_plateaus();
  test_slope();
  test_few_points();
  test_claims();
  return TAP_EXIT();
}
