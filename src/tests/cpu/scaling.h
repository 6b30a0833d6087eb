/*
 * scaling.h - how the speed of the processors grows with the number of threads:
 * one thread, one per core, one per hardware thread.
 *
 * The three take turns in short samples, so that a machine that becomes slower
 * does not look like one that scales badly.  Each thread stays on a processor
 * of its own.  The worker measures; it starts the other threads itself.
 */
#ifndef BENCH_TESTS_CPU_SCALING_H
#define BENCH_TESTS_CPU_SCALING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/cpu/kernels_form.h"
#include "tests/cpu/topology.h"

struct cpu_cfg;
struct plan;
struct report_form;
struct report_setup;
struct strbuf;
struct doubts;
struct report;
struct test;
struct test_details;

enum scaling_level {
  SCALING_ONE,   /* thread */
  SCALING_CORES, /* one thread per core */
  SCALING_ALL,   /* one per hardware thread */
  SCALING_LEVELS,
};

enum {
  SCALING_WORKS_MAX = CPU_KERNELS,
  SCALING_SAMPLES_MAX = 64,
};

/* What is done: a kernel, or the test of prime numbers. */
struct scaling_work {
  const char *name;
  double operations;               /* of a round */
  const struct cpu_kernel *kernel; /* NULL: prime numbers */
  const struct cpu_path *path;
};

/* The worker writes; readers use the first `n` rates (acquire pairs with
 * release). */
struct scaling_cell {
  _Atomic unsigned n;
  double per_s[SCALING_SAMPLES_MAX]; /* of all threads together */
};

struct scaling {
  const struct plan *plan;
  uint64_t max_prime;
  struct topology topology;
  double quota_cpus; /* of the control group; 0: none */
  struct scaling_work work[SCALING_WORKS_MAX];
  unsigned works;
  bool level[SCALING_LEVELS]; /* it differs from those before it */
  struct scaling_cell cell[SCALING_WORKS_MAX][SCALING_LEVELS];
};

extern const struct test cpu_scaling_test; /* its options: struct cpu_cfg */

/* The number of threads at a level. */
unsigned scaling_threads(const struct scaling *s, enum scaling_level level);

/* The upper quartile of the samples, because disturbances only make them
 * slower; NAN: there are none. */
double scaling_rate(const struct scaling *s, unsigned work,
                    enum scaling_level level);
/* What the threads of a level do, as a multiple of those of another. */
double scaling_ratio(const struct scaling *s, unsigned work,
                     enum scaling_level level, enum scaling_level base);

/* The reports, in scaling_report.c. */
extern const struct report_form scaling_form;
void scaling_details(void *run, struct test_details *ret);
void scaling_doubts(void *run, const struct report *total, struct doubts *to);

#endif
