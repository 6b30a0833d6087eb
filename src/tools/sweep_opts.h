/*
 * sweep_opts.h - the options of sweeps.
 */
#ifndef BENCH_TOOLS_SWEEP_OPTS_H
#define BENCH_TOOLS_SWEEP_OPTS_H

#include <stdbool.h>
#include <stdint.h>

#include "opt/opt.h"
#include "tools/search.h"

enum sweep_prepare {
  SWEEP_PREPARE_AUTO, /* if a swept option shapes the data */
  SWEEP_PREPARE_ON,
  SWEEP_PREPARE_OFF,
};

/* The task of a process that a sweep has started. */
enum sweep_role {
  SWEEP_ROLE_NONE,  /* not started by a sweep: the user has started it */
  SWEEP_ROLE_CHECK, /* everything except the command itself */
  SWEEP_ROLE_STEP,  /* the command, without any sweep */
};

struct sweep_cfg {
  const char *sweeps; /* lines, one per --sweep */
  uint64_t repeat;
  double pause_s;
  int prepare;              /* enum sweep_prepare */
  int format;               /* enum table_format */
  const char *reset;        /* a command before each step; "": none */
  uint64_t reference_every; /* steps; 0: no reference */
  bool stop_on_error;
  int find; /* enum search_what */
  const char *find_precision;
  const char *find_drift;
  uint64_t confirm;
  int role;          /* enum sweep_role */
  const char *place; /* of a step in its sweep, as sweep_place() reads it */
};

extern const struct opt sweep_opts[];

/* Where a step is in its sweep, and for how many seconds the others go on after
 * it (NAN: not known).  False: it is in none. */
bool sweep_place(const struct sweep_cfg *cfg, uint64_t *ret_step,
                 uint64_t *ret_steps, double *ret_rest_s);

/* Is the command to be run more than once? */
bool sweep_wanted(const struct sweep_cfg *cfg);

/* The rules of its search; what is SEARCH_OFF without one. */
struct search_rules sweep_rules(const struct sweep_cfg *cfg);

/* The option that wants it, for messages: "--find" or "--sweep or --repeat". */
const char *sweep_option_names(const struct sweep_cfg *cfg);

/* Is one of the sweep's options given that has no effect without a sweep? */
const char *sweep_useless_option(const struct sweep_cfg *cfg);

#endif
