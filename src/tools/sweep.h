/*
 * sweep.h - runs a test again and again with other values.
 *
 * Each step is a new process, so that no state reaches the next step.
 */
#ifndef BENCH_TOOLS_SWEEP_H
#define BENCH_TOOLS_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

#include "results/options.h"

struct optset;
struct sweep_cfg;

/* A step with a test of its own instead of another value. */
struct sweep_part {
  const char *name;        /* unique */
  const char *const *args; /* ends with NULL */
  const char *folder;      /* [opt] working directory */
  bool prepares;           /* cleanup and prepare around it */
};

/* All borrowed. */
struct sweep_input {
  const struct sweep_cfg *cfg;
  const struct optset *set;
  int argc;
  char *const *argv;
  const char *command; /* a part of argv; NULL: none is given */
  double percentile;   /* 0: none */
  const double *percentiles;
  size_t n_percentiles;
  double time_s;
  const char *objective; /* --slo */
  const char *json;      /* the file for all results; "-": stdout; "": none */
  const char *summary;   /* "": none */
  const char *test;      /* [opt] for the summary */
  bool own_clients;      /* members of a mix have clients of their own */
  bool as_sysbench;      /* keeps no result */
  /* Each step adds .step1 and so on. */
  struct results_file files[RESULTS_FILES];
  size_t n_files;
  /* [opt] Instead of cfg->sweeps.  Not checked before the first starts:
   * others run after a failed part. */
  const struct sweep_part *parts;
  size_t n_parts;
};

/* Returns the exit status. */
int sweep_run(const struct sweep_input *in);

#endif
