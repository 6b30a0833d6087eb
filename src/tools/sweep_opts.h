/*
 * sweep_opts.h - the options of sweeps.
 */
#ifndef BENCH_TOOLS_SWEEP_OPTS_H
#define BENCH_TOOLS_SWEEP_OPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "opt/opt.h"
#include "tools/search.h"

struct err;

enum sweep_prepare {
  SWEEP_PREPARE_AUTO,
  SWEEP_PREPARE_ON,
  SWEEP_PREPARE_OFF,
};

enum sweep_role {
  SWEEP_ROLE_NONE, /* started by the user */
  SWEEP_ROLE_CHECK,
  SWEEP_ROLE_STEP,
};

struct sweep_cfg {
  const char *sweeps; /* lines, one per --sweep */
  bool careful;
  uint64_t repeat;
  double pause_s;
  int prepare;              /* enum sweep_prepare */
  int format;               /* enum table_format */
  const char *reset;        /* before each step; "": none */
  uint64_t reference_every; /* steps; 0: no reference */
  bool stop_on_error;
  int find; /* enum search_what */
  const char *find_precision;
  const char *find_drift;
  uint64_t confirm;
  int role;          /* enum sweep_role */
  const char *place; /* see sweep_place() */
};

extern const struct opt sweep_opts[];

/* Seconds until the end of all steps can be NAN: unknown.  False: not a
 * step. */
bool sweep_place(const struct sweep_cfg *cfg, uint64_t *ret_step,
                 uint64_t *ret_steps, double *ret_rest_s);

bool sweep_wanted(const struct sweep_cfg *cfg);

/* .what is SEARCH_OFF without a search. */
struct search_rules sweep_rules(const struct sweep_cfg *cfg);

/* For messages: "--find" or "--sweep or --repeat". */
const char *sweep_option_names(const struct sweep_cfg *cfg);

/* An option that has no effect without a sweep, or NULL. */
const char *sweep_useless_option(const struct sweep_cfg *cfg);

/*
 * A --sweep=OPTION:VALUES.  Commas separate items (`\,` is a comma inside a
 * value).  An item is a value or a range of numbers, with decimals or the
 * suffix K, M, G or T:
 *
 *   A..B      A, A + 1, ... up to B
 *   A..B+S    A, A + S, A + 2 S, ... up to B
 *   A..B*F    A, A F, A F F, ... up to B
 */

enum {
  SWEEP_VALUES_MAX = 1000,
};

struct sweep_spec {
  char *option;  /* owned; as given, without dashes */
  char **values; /* owned; in order, all different */
  size_t n;
};

int sweep_spec_parse(struct sweep_spec *ret, const char *text, struct err *err);
void sweep_spec_done(struct sweep_spec *spec);

/* Takes `value` over, also on failure; NULL: out of memory. */
int sweep_spec_add_value(struct sweep_spec *spec, char *value, struct err *err);
int sweep_spec_no_memory(struct err *err);

#endif
