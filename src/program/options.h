/*
 * options.h - all options that are known before the test is.
 *
 * Each module has its rows and its struct; here is only their order, which is
 * the order of the help.  The options of drivers, tests and scripts join them
 * at run time.
 */
#ifndef BENCH_PROGRAM_OPTIONS_H
#define BENCH_PROGRAM_OPTIONS_H

#include <stddef.h>

#include "db/options.h"
#include "load/options.h"
#include "opt/core_opts.h"
#include "opt/optset.h"
#include "rand/options.h"
#include "results/options.h"
#include "tools/sweep_opts.h"

struct err;

/* Their values. */
struct program_options {
  struct core_cfg core;
  struct rand_cfg rand;
  struct db_cfg db;
  struct load_cfg load;
  struct results_cfg results;
  struct sweep_cfg sweep;
};

struct program_table {
  enum opt_section section;
  const char *title; /* in the manual; equal ones follow each other */
  const struct opt *rows;
  size_t off; /* of the struct that the rows fill in, in program_options */
};

enum {
  PROGRAM_TABLES = 8
};

extern const struct program_table program_tables[PROGRAM_TABLES];

/* Add the rows of all tables to the set; both must live as long. */
int program_options_add(struct optset *set, struct program_options *opts,
                        struct err *err);

#endif
