/*
 * dist.h - integers of a range, drawn by the distributions that users choose
 * by name.
 *
 * Every function returns a value of a..b, both included, for any a and b of 64
 * bits with a <= b; a range of 2^64 values is one too.  An empty or reversed
 * range (b < a) gives a.
 *
 * With n = b - a + 1 values and u, u1, ... independent and uniform in [0, 1):
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

#include "rand/options.h"
#include "rand/rng.h"

enum rand_type {
  RAND_UNIFORM,
  RAND_GAUSSIAN,
  RAND_SPECIAL,
  RAND_PARETO,
  RAND_ZIPFIAN,
};

/* Values that follow from the options, computed once; const from then on. */
struct rand_params {
  enum rand_type type;
  uint32_t iter;     /* values whose mean makes the bell */
  uint32_t hot_pct;  /* size of special's hot zone in percent of the range */
  uint64_t iter_inv; /* 2^64 / iter */
  uint64_t hot_from; /* special's hot zone starts at this u, times 2^53 */
  double pareto_power;
  double zipf_exp;
  double zipf_one_less; /* 1 - exp */
  double zipf_low;      /* H(3/2) - 1 */
  double zipf_squeeze;  /* accept without a closer look up to k - x */
};

/* Compute *p.  The options must be within their ranges. */
void rand_params_init(struct rand_params *p, const struct rand_cfg *cfg);
/*
 * The part of rand_params_init() that sets the members that begin with zipf_.
 */
void rand_zipf_init(struct rand_params *p, double exponent);

/* The values that the zipfian distribution keeps for its latest ranges, because
 * computing them takes two transcendental functions.  One per thread; starts
 * zeroed. */
enum {
  ZIPF_RANGES = 4
};

struct zipf_cache {
  uint64_t width[ZIPF_RANGES]; /* b - a; 0: unused */
  double high[ZIPF_RANGES];    /* H(n + 1/2) */
  unsigned next;               /* the entry to replace */
};

/* b - a, or 0 for an empty range. */
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

/* Draw by the distribution that the user chose. */
int64_t dist_default(const struct rand_params *p, struct rng *rng,
                     struct zipf_cache *cache, int64_t a, int64_t b);

/*
 * The "scrambled zipfian" numbers of YCSB, bit for bit.
 *
 * A rank below 10^10 is drawn by an approximation (Gray et al., SIGMOD 1994)
 * with the exponent 0.99, hashed, and taken modulo the number of items.  The
 * hash maps several ranks to one item and none to others, so this is not the
 * zipfian distribution of the items.
 */

/* Constants that follow from the exponent. */
struct zipf_java {
  double alpha, eta, second;
};

void zipf_java_init(struct zipf_java *z);

/* The rank for a random u in [0, 1). */
uint64_t zipf_java_rank(const struct zipf_java *z, double u);

/* The FNV-1a hash of the eight bytes, the lowest first, without the sign. */
uint64_t zipf_java_hash(uint64_t rank);

/* An item of 0..items-1. */
uint64_t zipf_java_item(const struct zipf_java *z, double u, uint64_t items);

#endif
