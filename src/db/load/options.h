/*
 * options.h - the options of loading tables, which scripts read by name.
 */
#ifndef BENCH_LOAD_OPTIONS_H
#define BENCH_LOAD_OPTIONS_H

#include <stdbool.h>

#include "opt/opt.h"

struct load_cfg {
  int table_exists; /* for prepare */
  int method;       /* enum load_method */
  bool analyze;
  int create_index;
  bool dry_run; /* for cleanup */
};

extern const struct opt load_opts[];

#endif
