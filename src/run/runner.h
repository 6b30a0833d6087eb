/*
 * runner.h - runs a test.
 */
#ifndef BENCH_RUN_RUNNER_H
#define BENCH_RUN_RUNNER_H

#include <stddef.h>

struct leave;
struct plan;
struct reporter_use;
struct test;

enum {
  EXIT_OK = 0,
  EXIT_FAILED = 1,
  EXIT_FORCED = 2, /* forced shutdown, or workers were late */
  EXIT_ASKED = 6,  /* a script's os.exit(0) before the end */
  /* SLO_EXIT_STATUS (stats/slo.h) is between */
  EXIT_SIGNAL = 128, /* plus the signal */
};

/* Returns the exit status.  After leave_any(), the process must end before
 * the arguments are freed. */
int runner_run(const struct plan *plan, const struct test *test,
               const void *cfg, const struct reporter_use *reporters,
               size_t n_reporters, struct leave *leave);

#endif
