/*
 * draw.h - the random functions of SQL files: a generator, and what the zipfian
 * distribution keeps.
 */
#ifndef BENCH_SQLFILE_DRAW_H
#define BENCH_SQLFILE_DRAW_H

#include <stdint.h>

#include "rand/dist.h"
#include "rand/rng.h"

enum {
  DRAW_ZIPF = 4, /* exponents whose constants are kept */
};

/* One thread uses it.  Zeroed but for `rng`, it is ready. */
struct draws {
  struct rng *rng; /* borrowed */
  unsigned next;   /* the entry to replace */
  struct {
    struct rand_params params; /* zipf_exp 0: unused */
    struct zipf_cache ranges;
  } zipf[DRAW_ZIPF];
};

/*
 * Draw one of the integers from..to.  These return NULL, or why that is not
 * possible (a static text): the range is empty or has more than 2^63-1 values,
 * or the parameter is not allowed.
 */
const char *draw_uniform(struct draws *d, int64_t from, int64_t to,
                         int64_t *ret);
const char *draw_exponential(struct draws *d, int64_t from, int64_t to,
                             double parameter, int64_t *ret);
const char *draw_gaussian(struct draws *d, int64_t from, int64_t to,
                          double parameter, int64_t *ret);
const char *draw_zipfian(struct draws *d, int64_t from, int64_t to,
                         double exponent, int64_t *ret);

#endif
