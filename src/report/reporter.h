/*
 * reporter.h - presents the figures of a run.
 *
 * A reporter is a const struct reporter with a context.  Each one gets every
 * report, never two at the same time.
 */
#ifndef BENCH_REPORT_REPORTER_H
#define BENCH_REPORT_REPORTER_H

#include <stddef.h>

struct err;
struct report;
struct report_setup;
struct run_end;
struct run_start;

/* All functions are [opt]. */
struct reporter {
  const char *name;

  /* Once, before the first report; `setup` is valid until end(). */
  int (*begin)(void *ctx, const struct report_setup *setup, struct err *err);

  /* Before the first event, if any. */
  int (*start)(void *ctx, const struct run_start *start, struct err *err);

  /* By kind of report; a forced one is final, too. */
  int (*interval)(void *ctx, const struct report_setup *setup,
                  const struct report *r, struct err *err);
  int (*checkpoint)(void *ctx, const struct report_setup *setup,
                    const struct report *r, struct err *err);
  int (*final)(void *ctx, const struct report_setup *setup,
               const struct report *r, struct err *err);

  /* After the last report, even if the run did not take place. */
  int (*over)(void *ctx, const struct run_end *end, struct err *err);

  /* Once, in any case. */
  int (*end)(void *ctx, struct err *err);
};

/* `ctx` is borrowed. */
struct reporter_use {
  const struct reporter *reporter;
  void *ctx;
};

/* Calls all in order.  The error is the first failure, prefixed with the name.
 * Stops when leave_step() returns false. */
int reporters_begin(const struct reporter_use *use, size_t n,
                    const struct report_setup *setup, struct err *err);
int reporters_start(const struct reporter_use *use, size_t n,
                    const struct run_start *start, struct err *err);
int reporters_over(const struct reporter_use *use, size_t n,
                   const struct run_end *end, struct err *err);
int reporters_report(const struct reporter_use *use, size_t n,
                     const struct report_setup *setup, const struct report *r,
                     struct err *err);
int reporters_end(const struct reporter_use *use, size_t n, struct err *err);

#endif
