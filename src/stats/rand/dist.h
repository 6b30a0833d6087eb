/*
 * dist.h - integers of a range by the distributions of --rand-type.
 *
 * Every function returns a value of a..b, for any 64-bit a <= b; b < a gives a.
 * With n = b - a + 1 and u, u1, ... independent and uniform in [0, 1):
 *
 *   uniform   each value with probability 1/n
 *   gaussian  a + floor(n (u1 + ... + uI) / I), I = iter: a bell
 *   special   the bell over n - 1 values, or a hot zone in the middle
 *   pareto    a + floor(n u^p), p = ln h / ln(1-h): the first h n values get
 *             the share 1 - h
 *   zipfian   a + k - 1, k in 1..n with a probability proportional to k^-exp
 */
#ifndef BENCH_RAND_DIST_H
#define BENCH_RAND_DIST_H

#include <stdint.h>

#include "stats/rand/options.h"
#include "stats/rand/rng.h"

enum rand_type {
  RAND_UNIFORM,
  RAND_GAUSSIAN,
  RAND_SPECIAL,
  RAND_PARETO,
  RAND_ZIPFIAN,
};

/* Computed once from the options; const from then on. */
struct rand_params {
  enum rand_type type;
  uint32_t iter;     /* values averaged for the bell */
  uint32_t hot_pct;  /* width of special's hot zone, in percent */
  uint64_t iter_inv; /* 2^64 / iter */
  uint64_t hot_from; /* start of the hot zone's u, times 2^53 */
  double pareto_power;
  double zipf_exp;
  double zipf_one_less; /* 1 - exp */
  double zipf_low;      /* H(3/2) - 1 */
  double zipf_squeeze;  /* accept without a closer look up to this k - x */
};

/* The options must be within their ranges. */
void rand_params_init(struct rand_params *p, const struct rand_cfg *cfg);
/* Sets only the members zipf_*. */
void rand_zipf_init(struct rand_params *p, double exponent);

/* Of one thread: each range costs two transcendental functions. Starts
 * zeroed. */
enum {
  ZIPF_RANGES = 4
};

struct zipf_cache {
  uint64_t width[ZIPF_RANGES]; /* b - a; 0: unused */
  double high[ZIPF_RANGES];    /* H(n + 1/2) */
  unsigned next;
};

/* 0 for an empty range. */
static inline uint64_t dist_width(int64_t a, int64_t b)
{
  return b > a ? (uint64_t)b - (uint64_t)a : 0;
}

static inline int64_t dist_uniform(struct rng *rng, int64_t a, int64_t b)
{
  return (int64_t)((uint64_t)a + rng_below(rng, dist_width(a, b) + 1));
}

int64_t dist_gaussian(const struct rand_params *p, struct rng *rng, int64_t a,
                      int64_t b);
int64_t dist_special(const struct rand_params *p, struct rng *rng, int64_t a,
                     int64_t b);
int64_t dist_pareto(const struct rand_params *p, struct rng *rng, int64_t a,
                    int64_t b);
int64_t dist_zipfian(const struct rand_params *p, struct rng *rng,
                     struct zipf_cache *cache, int64_t a, int64_t b);

/* By the user's distribution. */
int64_t dist_default(const struct rand_params *p, struct rng *rng,
                     struct zipf_cache *cache, int64_t a, int64_t b);

/*
 * The "scrambled zipfian" numbers of YCSB, bit for bit: a rank below 10^10
 * (Gray et al., SIGMOD 1994, exponent 0.99), hashed, modulo the items. So
 * several ranks share an item and some items have no rank.
 */

struct zipf_java {
  double alpha, eta, second;
};

void zipf_java_init(struct zipf_java *z);

/* For a random u in [0, 1). */
uint64_t zipf_java_rank(const struct zipf_java *z, double u);

/* FNV-1a of the eight bytes, the lowest first, without the sign. */
uint64_t zipf_java_hash(uint64_t rank);

/* Of 0..items-1. */
uint64_t zipf_java_item(const struct zipf_java *z, double u, uint64_t items);

#endif
