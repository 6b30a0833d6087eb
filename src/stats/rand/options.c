#include "stats/rand/options.h"

#include <math.h>

static const char *const rand_words[] = { "uniform", "gaussian", "special",
                                          "pareto",  "zipfian",  NULL };

const struct opt rand_opts[] = {
  {
    OPT_WORD(struct rand_cfg, type),
    .name = "rand-type",
    .group = "Random numbers",
    .flags = OPT_COMMON,
    .def = "special",
    .def_1_1 = "uniform",
    .words = rand_words,
    .help = "default distribution {uniform,gaussian,special,pareto,zipfian}",
  },
  {
    OPT_INT(struct rand_cfg, spec_iter),
    .name = "rand-spec-iter",
    .flags = OPT_EXPERT,
    .def = "12",
    .min = 1,
    .max = 1000000,
    .help = "how many uniform numbers are averaged for gaussian and special",
  },
  {
    OPT_INT(struct rand_cfg, spec_pct),
    .name = "rand-spec-pct",
    .flags = OPT_EXPERT,
    .def = "1",
    .max = 100,
    .show_as = "=P",
    .help = "special: width of the centre part, percent of the range",
  },
  {
    OPT_INT(struct rand_cfg, spec_res),
    .name = "rand-spec-res",
    .flags = OPT_EXPERT,
    .def = "75",
    .max = 100,
    .show_as = "=P",
    .help = "special: percent of the numbers that fall into the centre part",
  },
  {
    OPT_INT(struct rand_cfg, seed),
    .name = "rand-seed",
    .flags = OPT_COMMON,
    .def = "0",
    .min = INT64_MIN,
    .max = INT64_MAX,
    .show_as = "=NUMBER",
    .help = "seed; 0 = from the clock for run, fixed for other commands",
  },
  {
    OPT_DOUBLE(struct rand_cfg, pareto_h),
    .name = "rand-pareto-h",
    .def = "0.2",
    .flags = OPT_OPEN_MIN | OPT_OPEN_MAX | OPT_EXPERT,
    .fmax = 1,
    .help = "pareto: shape h",
  },
  {
    OPT_DOUBLE(struct rand_cfg, zipfian_exp),
    .name = "rand-zipfian-exp",
    .def = "0.8",
    .fmax = INFINITY,
    .help = "zipfian: exponent",
  },
  OPT_END,
};
