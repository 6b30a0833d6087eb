/*
 * options.h - options of several processes.
 */
#ifndef BENCH_NODES_OPTIONS_H
#define BENCH_NODES_OPTIONS_H

#include <stdbool.h>

#include "opt/opt.h"

enum cluster_mode {
  CLUSTER_AUTO,
  CLUSTER_OFF,
};

struct nodes_cfg {
  int cluster;
  bool report;
};

extern const struct opt nodes_opts[];

#endif
