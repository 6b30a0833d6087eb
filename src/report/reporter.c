/*
 * reporter.c - hands every report to every reporter.
 */
#include "report/reporter.h"

#include "base/err.h"
#include "base/leave.h"
#include "stats/report.h"

/* Calls one function of one reporter; `what` is what it is about. */
typedef int call_one(const struct reporter_use *use, const void *what,
                     struct err *err);

/* Call all reporters, for as long as leave_step() allows it (NULL: always). */
static int reporter_call_all(const struct reporter_use *use, size_t n,
                             struct leave *leave, call_one *call,
                             const void *what, struct err *err)
{
  int first = 0;

  for (size_t i = 0; i < n; i++) {
    struct err one = { "" };
    int rc;

    if (leave && !leave_step(leave))
      break;
    rc = call(&use[i], what, &one);
    if (rc < 0 && first == 0) {
      err_prefix(&one, "%s", use[i].reporter->name);
      *err = one;
      first = rc;
    }
  }
  return first;
}

static int reporter_begin_one(const struct reporter_use *use, const void *what,
                              struct err *err)
{
  const struct reporter *reporter = use->reporter;

  return reporter->begin ? reporter->begin(use->ctx, what, err) : 0;
}

int reporters_begin(const struct reporter_use *use, size_t n,
                    const struct report_setup *setup, struct err *err)
{
  return reporter_call_all(use, n, NULL, reporter_begin_one, setup, err);
}

static int reporter_start_one(const struct reporter_use *use, const void *what,
                              struct err *err)
{
  const struct reporter *reporter = use->reporter;

  return reporter->start ? reporter->start(use->ctx, what, err) : 0;
}

int reporters_start(const struct reporter_use *use, size_t n,
                    const struct run_start *start, struct err *err)
{
  return reporter_call_all(use, n, NULL, reporter_start_one, start, err);
}

/* A report, and the setup that belongs to it. */
struct reported {
  const struct report_setup *setup;
  const struct report *report;
};

static int reporter_report_one(const struct reporter_use *use, const void *what,
                               struct err *err)
{
  const struct reporter *reporter = use->reporter;
  const struct reported *of = what;
  int (*call)(void *ctx, const struct report_setup *setup,
              const struct report *r, struct err *err) = NULL;

  switch (of->report->kind) {
  case REPORT_INTERVAL:
    call = reporter->interval;
    break;
  case REPORT_CHECKPOINT:
    call = reporter->checkpoint;
    break;
  case REPORT_FINAL:
  case REPORT_FORCED:
    call = reporter->final;
    break;
  }
  return call ? call(use->ctx, of->setup, of->report, err) : 0;
}

int reporters_report(const struct reporter_use *use, size_t n,
                     const struct report_setup *setup, const struct report *r,
                     struct err *err)
{
  const struct reported what = { setup, r };

  return reporter_call_all(use, n, r->leave, reporter_report_one, &what, err);
}

static int reporter_over_one(const struct reporter_use *use, const void *what,
                             struct err *err)
{
  const struct reporter *reporter = use->reporter;

  return reporter->over ? reporter->over(use->ctx, what, err) : 0;
}

int reporters_over(const struct reporter_use *use, size_t n,
                   const struct run_end *end, struct err *err)
{
  return reporter_call_all(use, n, NULL, reporter_over_one, end, err);
}

static int reporter_end_one(const struct reporter_use *use, const void *what,
                            struct err *err)
{
  const struct reporter *reporter = use->reporter;

  (void)what;
  return reporter->end ? reporter->end(use->ctx, err) : 0;
}

int reporters_end(const struct reporter_use *use, size_t n, struct err *err)
{
  return reporter_call_all(use, n, NULL, reporter_end_one, NULL, err);
}
