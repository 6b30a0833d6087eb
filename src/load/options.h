/*
 * options.h - the options of loading tables.  Scripts read them, by their
 * names.
 */
#ifndef BENCH_LOAD_OPTIONS_H
#define BENCH_LOAD_OPTIONS_H

#include <stdbool.h>

#include "opt/opt.h"

struct load_cfg {
  int table_exists; /* what prepare does with a table that is there */
  int method;       /* enum load_method */
  bool analyze;
  int create_index;
  bool dry_run; /* of cleanup */
};

extern const struct opt load_opts[];

#endif
