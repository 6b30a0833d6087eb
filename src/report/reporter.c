/*
 * reporter.c - hands every report to every reporter.
 */
#include "report/reporter.h"

#include "base/err.h"
#include "base/leave.h"
#include "stats/report.h"

/* Keep the first failure; `one` is the message of this reporter. */
static void keep_first(int *first, int rc, const struct reporter *reporter,
                       struct err *one, struct err *err)
{
  if (rc >= 0 || *first < 0)
    return;
  err_prefix(one, "%s", reporter->name);
  *err = *one;
  *first = rc;
}

int reporters_begin(const struct reporter_use *use, size_t n,
                    const struct report_setup *setup, struct err *err)
{
  int first = 0;

  for (size_t i = 0; i < n; i++) {
    const struct reporter *reporter = use[i].reporter;
    struct err one = { "" };

    if (reporter->begin)
      keep_first(&first, reporter->begin(use[i].ctx, setup, &one), reporter,
                 &one, err);
  }
  return first;
}

int reporters_start(const struct reporter_use *use, size_t n,
                    const struct run_start *start, struct err *err)
{
  int first = 0;

  for (size_t i = 0; i < n; i++) {
    const struct reporter *reporter = use[i].reporter;
    struct err one = { "" };

    if (reporter->start)
      keep_first(&first, reporter->start(use[i].ctx, start, &one), reporter,
                 &one, err);
  }
  return first;
}

int reporters_over(const struct reporter_use *use, size_t n,
                   const struct run_end *end, struct err *err)
{
  int first = 0;

  for (size_t i = 0; i < n; i++) {
    const struct reporter *reporter = use[i].reporter;
    struct err one = { "" };

    if (reporter->over)
      keep_first(&first, reporter->over(use[i].ctx, end, &one), reporter, &one,
                 err);
  }
  return first;
}

static int report_once(const struct reporter_use *use,
                       const struct report_setup *setup, const struct report *r,
                       struct err *err)
{
  const struct reporter *reporter = use->reporter;
  int (*call)(void *ctx, const struct report_setup *setup,
              const struct report *r, struct err *err) = NULL;

  switch (r->kind) {
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
  return call ? call(use->ctx, setup, r, err) : 0;
}

int reporters_report(const struct reporter_use *use, size_t n,
                     const struct report_setup *setup, const struct report *r,
                     struct err *err)
{
  int first = 0;

  for (size_t i = 0; i < n; i++) {
    struct err one = { "" };

    if (r->leave && !leave_step(r->leave))
      break;
    keep_first(&first, report_once(&use[i], setup, r, &one), use[i].reporter,
               &one, err);
  }
  return first;
}

int reporters_end(const struct reporter_use *use, size_t n, struct err *err)
{
  int first = 0;

  for (size_t i = 0; i < n; i++) {
    const struct reporter *reporter = use[i].reporter;
    struct err one = { "" };

    if (reporter->end)
      keep_first(&first, reporter->end(use[i].ctx, &one), reporter, &one, err);
  }
  return first;
}
