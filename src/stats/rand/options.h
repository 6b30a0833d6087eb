#ifndef BENCH_RAND_OPTIONS_H
#define BENCH_RAND_OPTIONS_H

#include <stdint.h>

#include "opt/opt.h"

struct rand_cfg {
  int type;          /* enum rand_type */
  int64_t spec_iter; /* 1..1000000 */
  int64_t spec_pct;  /* 0..100 */
  int64_t spec_res;  /* 0..100 */
  double pareto_h;   /* 0 < h < 1 */
  double zipfian_exp;
  int64_t seed; /* 0: from the clock */
};

extern const struct opt rand_opts[];

#endif
