/*
 * rand_usual.h - a distribution with the default parameters of the options.
 */
#ifndef TESTS_UNIT_RAND_USUAL_H
#define TESTS_UNIT_RAND_USUAL_H

#include "stats/rand/dist.h"

static inline struct rand_params rand_usual(enum rand_type type)
{
  const struct rand_cfg choice = { .type = type,
                                   .spec_iter = 12,
                                   .spec_pct = 1,
                                   .spec_res = 75,
                                   .pareto_h = 0.2,
                                   .zipfian_exp = 0.8 };
  struct rand_params p;

  rand_params_init(&p, &choice);
  return p;
}

#endif
