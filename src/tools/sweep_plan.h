/*
 * sweep_plan.h - the steps of a sweep: combinations of values in order.
 */
#ifndef BENCH_TOOLS_SWEEP_PLAN_H
#define BENCH_TOOLS_SWEEP_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/sweep_opts.h"

struct optset;
struct strbuf;

enum {
  SWEEP_OPTIONS_MAX = 16,
  SWEEP_STEPS_MAX = 10000,
};

struct sweep_plan {
  struct sweep_spec spec[SWEEP_OPTIONS_MAX];
  size_t n_specs; /* 0: repeats */
  size_t n_combinations;
  size_t repeats;
  bool shapes_data;
};

/*
 * `test`: [opt]. `sweeps` has one --sweep per line. Aliases become real names.
 * -EINVAL: an option is there twice or cannot be swept, or there are too many
 * steps; -ENOMEM.
 */
int sweep_plan_init(struct sweep_plan *ret, const struct optset *set,
                    const char *test, const char *sweeps, size_t repeats,
                    struct err *err);
/* {0} is an empty plan. */
int sweep_plan_add(struct sweep_plan *plan, const char *option,
                   const char *value, struct err *err);
void sweep_plan_done(struct sweep_plan *plan);

/* The last option changes most often. */
const char *sweep_plan_value(const struct sweep_plan *plan, size_t combination,
                             size_t option);

/* "threads=2, table-size=100". */
void sweep_plan_describe(const struct sweep_plan *plan, size_t combination,
                         struct strbuf *out);

/* `test`: [opt] */
bool sweep_shapes_data(const char *test, const char *option);

#endif
