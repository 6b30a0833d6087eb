/*
 * reporter.h - what turns the numbers of a run into something for a reader.
 *
 * A run has any number of reporters, calls each of them with every report,
 * and never two at the same time.  A new one is a const struct reporter in its
 * own file, beside a struct of its own that `ctx` points to.
 */
#ifndef BENCH_REPORT_REPORTER_H
#define BENCH_REPORT_REPORTER_H

#include <stddef.h>

struct err;
struct report;
struct report_setup;
struct run_end;
struct run_start;

/* All members but the name are [opt]: NULL where there is nothing to do. */
struct reporter {
  const char *name; /* for messages about its failures */

  /* Once, before the first report; `setup` stays valid until end(). */
  int (*begin)(void *ctx, const struct report_setup *setup, struct err *err);

  /* The first event is about to start: once, or never if there is none. */
  int (*start)(void *ctx, const struct run_start *start, struct err *err);

  /* By the kind of the report; REPORT_FORCED is final as well. */
  int (*interval)(void *ctx, const struct report_setup *setup,
                  const struct report *r, struct err *err);
  int (*checkpoint)(void *ctx, const struct report_setup *setup,
                    const struct report *r, struct err *err);
  int (*final)(void *ctx, const struct report_setup *setup,
               const struct report *r, struct err *err);

  /* The run has ended, or did not take place: once, after the last report. */
  int (*over)(void *ctx, const struct run_end *end, struct err *err);

  /* Once, whatever happened before, also without a final report. */
  int (*end)(void *ctx, struct err *err);
};

/* A reporter and what it works on (borrowed). */
struct reporter_use {
  const struct reporter *reporter;
  void *ctx;
};

/*
 * Call them all, in their order, also after one has failed.  The error is that
 * of the first one that did, with its name in front.  If leave_step() of
 * the report returns false, the remaining reporters are not called.
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
