/*
 * options.h - the options that name the members of a mix.
 */
#ifndef BENCH_MIX_OPTIONS_H
#define BENCH_MIX_OPTIONS_H

#include "opt/opt.h"

enum mix_order {
  MIX_RANDOM, /* each event is drawn by itself */
  MIX_DECK,   /* members are drawn from a shuffled deck without replacement */
};

struct mix_cfg {
  struct opt_list members; /* as texts: see mix_list_parse() */
  int order;               /* enum mix_order */
};

extern const struct opt mix_opts[];

#endif
