/*
 * scaling.h - how the speed of a work grows with the number of threads: one,
 * one per core, one per hardware thread. The three take turns in short samples,
 * so that a machine that becomes slower does not look like bad scaling. The
 * worker starts the other threads, each on its own CPU.
 */
#ifndef BENCH_TESTS_SCALING_H
#define BENCH_TESTS_SCALING_H

#include <stdatomic.h>
#include <stdbool.h>

#include "tests/place.h"

struct err;
struct plan;
struct report;
struct report_form;
struct scaling;
struct test_details;
struct warnings;
struct worker;

enum scaling_level {
  SCALING_ONE,
  SCALING_CORES,
  SCALING_ALL,
  SCALING_LEVELS,
};

enum {
  SCALING_WORKS_MAX = 16,
  SCALING_SAMPLES_MAX = 64,
};

struct scaling_kind {
  const char *option;
  const char *key; /* in the document: "cpu_test" */
  const char *title;
  double unit; /* divisor in the table */
  const char *figure;
  /* A warning if cores do less than this share of single threads; 0: none. */
  double scales;

  /* A thread makes and frees its memory on its CPU. close(): false: the memory
   * has a wrong content. */
  int (*open)(const struct scaling *s, void **ret_mem, struct err *err);
  bool (*close)(const struct scaling *s, void *mem);
  /* Does a work once. False: a wrong result. */
  bool (*round)(const struct scaling *s, unsigned work, void *mem);
};

struct scaling_work {
  const char *name;
  const char *code;
  double amount; /* operations or bytes of a round */
};

/* Of all threads. The worker writes; readers use the first `n` (acquire,
 * release). */
struct scaling_cell {
  _Atomic unsigned n;
  double per_s[SCALING_SAMPLES_MAX];
};

struct scaling {
  const struct scaling_kind *kind;
  const void *arg;
  const struct plan *plan;
  struct topology topology;
  double quota_cpus; /* of the control group; 0: no limit */
  struct scaling_work work[SCALING_WORKS_MAX];
  unsigned works;
  bool level[SCALING_LEVELS]; /* differs from those before */
  struct scaling_cell cell[SCALING_WORKS_MAX][SCALING_LEVELS];
};

/* `s` is zero; the caller adds the works. -EINVAL: the plan makes no sense. */
int scaling_init(struct scaling *s, const struct scaling_kind *kind,
                 const void *arg, const struct plan *plan, struct err *err);

/* "2 cores with 4 hardware threads" */
void scaling_describe_machine(const struct scaling *s, char *ret, int size);

/* The upper quartile, because disturbances only slow samples down; NAN:
 * none. */

/* For struct test_ops; `run` and `thr` are the struct scaling. */
int scaling_loop(void *thr, struct worker *w, struct err *err);

extern const struct report_form scaling_form;
void scaling_details(void *run, struct test_details *ret);
void scaling_doubts(void *run, const struct report *total, struct warnings *to);

#endif
