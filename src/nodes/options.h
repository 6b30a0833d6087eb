/*
 * options.h - the options of a run by several processes.
 */
#ifndef BENCH_NODES_OPTIONS_H
#define BENCH_NODES_OPTIONS_H

#include <stdbool.h>

#include "opt/opt.h"

enum cluster_mode {
  CLUSTER_AUTO, /* processes that were launched together do one run */
  CLUSTER_OFF,  /* each does its own */
};

struct nodes_cfg {
  int cluster; /* enum cluster_mode */
  bool report; /* --report-ranks */
};

extern const struct opt nodes_opts[];

#endif
