/*
 * reporter.h - a reporter presents the figures of a run to a reader.
 *
 * A run has any number of reporters.  Each gets every report, and they are
 * never called at the same time.  A new one is a const struct reporter in a
 * file of its own, with a struct of its own that `ctx` points to.
 */
#ifndef BENCH_REPORT_REPORTER_H
#define BENCH_REPORT_REPORTER_H

#include <stddef.h>

struct err;
struct report;
struct report_setup;
struct run_end;
struct run_start;

/* All members except the name are [opt]. */
struct reporter {
  const char *name; /* for messages about its failures */

  /* Once, before the first report; `setup` stays valid until end(). */
  int (*begin)(void *ctx, const struct report_setup *setup, struct err *err);

  /* The first event is about to start: once, or never if there is none. */
  int (*start)(void *ctx, const struct run_start *start, struct err *err);

  /* Called by the kind of the report; REPORT_FORCED is final as well. */
  int (*interval)(void *ctx, const struct report_setup *setup,
                  const struct report *r, struct err *err);
  int (*checkpoint)(void *ctx, const struct report_setup *setup,
                    const struct report *r, struct err *err);
  int (*final)(void *ctx, const struct report_setup *setup,
               const struct report *r, struct err *err);

  /* The run has ended, or did not take place: once, after the last report. */
  int (*over)(void *ctx, const struct run_end *end, struct err *err);

  /* Called once, whatever happened before, even without a final report. */
  int (*end)(void *ctx, struct err *err);
};

/* A reporter and its context (borrowed). */
struct reporter_use {
  const struct reporter *reporter;
  void *ctx;
};

/*
 * Call all reporters in their order, even after one has failed.  The error is
 * that of the first one that failed, with its name as prefix.  If leave_step()
 * returns false for the report, the remaining reporters are not called.
 */
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
