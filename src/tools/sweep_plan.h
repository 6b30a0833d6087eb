/*
 * sweep_plan.h - the steps of a sweep: which combination of values, in which
 * order, with which arguments.
 */
#ifndef BENCH_TOOLS_SWEEP_PLAN_H
#define BENCH_TOOLS_SWEEP_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/sweep_spec.h"

struct err;
struct optset;
struct strbuf;

enum {
  SWEEP_OPTIONS_MAX = 16,
  SWEEP_STEPS_MAX = 10000,
};

struct sweep_plan {
  struct sweep_spec spec[SWEEP_OPTIONS_MAX];
  size_t n_specs; /* 0: repeats of the same run */
  size_t n_combinations;
  size_t repeats;
  bool shapes_data; /* one of the options does */
};

/*
 * `test`: [opt] the name of the test.  `sweeps` has one --sweep per line;
 * options that `set` knows get their proper names there.  -EINVAL: an option is
 * there twice, there are too many steps, or the option cannot be swept;
 * -ENOMEM.
 */
int sweep_plan_init(struct sweep_plan *ret, const struct optset *set,
                    const char *test, const char *sweeps, size_t repeats,
                    struct err *err);
void sweep_plan_done(struct sweep_plan *plan);

/* The value of option `option` in a combination.  The last option changes with
 * every combination, and the first one changes least often. */
const char *sweep_plan_value(const struct sweep_plan *plan, size_t combination,
                             size_t option);

/* "threads=2, table-size=100". */
void sweep_plan_describe(const struct sweep_plan *plan, size_t combination,
                         struct strbuf *out);

/* Does this option of the test shape the data that prepare makes?  test: [opt]
 */
bool sweep_shapes_data(const char *test, const char *option);

#endif
