/*
 * scaling.h - how the speed of a work grows with the number of threads: one
 * thread, one per core, one per hardware thread.
 *
 * The three take turns in short samples, so that a machine that becomes slower
 * does not look like one that scales badly.  Each thread stays on a processor
 * of its own.  The worker measures; it starts the other threads itself.
 *
 * What is done belongs to the test that uses this: see struct scaling_kind.
 */
#ifndef BENCH_TESTS_SCALING_H
#define BENCH_TESTS_SCALING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "tests/topology.h"

struct warnings;
struct err;
struct plan;
struct report;
struct report_form;
struct report_setup;
struct scaling;
struct test_details;
struct worker;

enum scaling_level {
  SCALING_ONE,   /* thread */
  SCALING_CORES, /* one thread per core */
  SCALING_ALL,   /* one per hardware thread */
  SCALING_LEVELS,
};

enum {
  SCALING_WORKS_MAX = 16,
  SCALING_SAMPLES_MAX = 64,
};

/* A test that measures how its works scale. */
struct scaling_kind {
  const char *option; /* that chooses it */
  const char *key;    /* of the document: "cpu_test" */
  const char *title;  /* of the table */
  double unit;        /* the table divides by it */
  const char *figure; /* the unit of figures for comparisons */
  /* Cores that do less than this share of what as many single threads would do
   * are worth a warning; 0: none is to be expected. */
  double scales;

  /* What a thread needs for all works: made and freed by itself, when it is on
   * its processor. */
  int (*open)(const struct scaling *s, void **ret_mem, struct err *err);
  /* False: its memory does not hold what it must. */
  bool (*close)(const struct scaling *s, void *mem);
  /* Does a work once.  False: its result is wrong. */
  bool (*round)(const struct scaling *s, unsigned work, void *mem);
};

struct scaling_work {
  const char *name;
  const char *code; /* [opt] the instructions that it uses */
  double amount;    /* of a round: operations, or bytes */
};

/* The worker writes; readers use the first `n` rates (acquire pairs with
 * release). */
struct scaling_cell {
  _Atomic unsigned n;
  double per_s[SCALING_SAMPLES_MAX]; /* of all threads together */
};

struct scaling {
  const struct scaling_kind *kind;
  const void *arg; /* of the kind */
  const struct plan *plan;
  struct topology topology;
  double quota_cpus; /* of the control group; 0: none */
  struct scaling_work work[SCALING_WORKS_MAX];
  unsigned works;
  bool level[SCALING_LEVELS]; /* it differs from those before it */
  struct scaling_cell cell[SCALING_WORKS_MAX][SCALING_LEVELS];
};

/* `s` is zero.  The caller adds the works.  Refuses options of the plan that
 * make no sense. */
int scaling_init(struct scaling *s, const struct scaling_kind *kind,
                 const void *arg, const struct plan *plan, struct err *err);

/* "2 cores with 4 hardware threads" */
void scaling_describe_machine(const struct scaling *s, char *ret, int size);

/* The number of threads at a level. */
unsigned scaling_threads(const struct scaling *s, enum scaling_level level);

/* The upper quartile of the samples, because disturbances only make them
 * slower; NAN: there are none. */
double scaling_rate(const struct scaling *s, unsigned work,
                    enum scaling_level level);
/* What the threads of a level do, as a multiple of those of another. */
double scaling_ratio(const struct scaling *s, unsigned work,
                     enum scaling_level level, enum scaling_level base);

/* Functions of struct test_ops; the run is the struct scaling. */
void scaling_setup(void *run, struct report_setup *setup);
int scaling_thread_open(void *run, struct worker *w, void **ret_thr,
                        struct err *err);
void scaling_thread_close(void *thr);
int scaling_loop(void *thr, struct worker *w, struct err *err);

/* The reports, in scaling_report.c. */
extern const struct report_form scaling_form;
void scaling_details(void *run, struct test_details *ret);
void scaling_doubts(void *run, const struct report *total, struct warnings *to);

#endif
