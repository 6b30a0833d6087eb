#include "report/reporter.h"

#include "base/err.h"
#include "base/leave.h"
#include "stats/report.h"

struct reporter_event {
  enum {
    REPORTER_BEGIN,
    REPORTER_START,
    REPORTER_REPORT,
    REPORTER_OVER,
    REPORTER_END
  } kind;
  const struct report_setup *setup;
  const struct run_start *start;
  const struct report *report;
  const struct run_end *end;
};

static int reporter_report(const struct reporter_use *use,
                           const struct reporter_event *e, struct err *err)
{
  const struct reporter *r = use->reporter;
  int (*call)(void *ctx, const struct report_setup *setup,
              const struct report *report, struct err *err) = r->final;

  if (e->report->kind == REPORT_INTERVAL)
    call = r->interval;
  else if (e->report->kind == REPORT_CHECKPOINT)
    call = r->checkpoint;
  return call ? call(use->ctx, e->setup, e->report, err) : 0;
}

static int reporter_call(const struct reporter_use *use,
                         const struct reporter_event *e, struct err *err)
{
  const struct reporter *r = use->reporter;

  switch (e->kind) {
  case REPORTER_BEGIN:
    return r->begin ? r->begin(use->ctx, e->setup, err) : 0;
  case REPORTER_START:
    return r->start ? r->start(use->ctx, e->start, err) : 0;
  case REPORTER_REPORT:
    return reporter_report(use, e, err);
  case REPORTER_OVER:
    return r->over ? r->over(use->ctx, e->end, err) : 0;
  case REPORTER_END:
    return r->end ? r->end(use->ctx, err) : 0;
  }
  return 0;
}

/* `leave` NULL: calls all. */
static int reporter_call_all(const struct reporter_use *use, size_t n,
                             struct leave *leave,
                             const struct reporter_event *e, struct err *err)
{
  int first = 0;

  for (size_t i = 0; i < n; i++) {
    struct err one = { "" };
    int rc;

    if (leave && !leave_step(leave))
      break;
    rc = reporter_call(&use[i], e, &one);
    if (rc < 0 && first == 0) {
      err_prefix(&one, "%s", use[i].reporter->name);
      *err = one;
      first = rc;
    }
  }
  return first;
}

int reporters_begin(const struct reporter_use *use, size_t n,
                    const struct report_setup *setup, struct err *err)
{
  const struct reporter_event e = { REPORTER_BEGIN, .setup = setup };

  return reporter_call_all(use, n, NULL, &e, err);
}

int reporters_start(const struct reporter_use *use, size_t n,
                    const struct run_start *start, struct err *err)
{
  const struct reporter_event e = { REPORTER_START, .start = start };

  return reporter_call_all(use, n, NULL, &e, err);
}

int reporters_report(const struct reporter_use *use, size_t n,
                     const struct report_setup *setup, const struct report *r,
                     struct err *err)
{
  const struct reporter_event e = { REPORTER_REPORT, .setup = setup,
                                    .report = r };

  return reporter_call_all(use, n, r->leave, &e, err);
}

int reporters_over(const struct reporter_use *use, size_t n,
                   const struct run_end *end, struct err *err)
{
  const struct reporter_event e = { REPORTER_OVER, .end = end };

  return reporter_call_all(use, n, NULL, &e, err);
}

int reporters_end(const struct reporter_use *use, size_t n, struct err *err)
{
  const struct reporter_event e = { REPORTER_END };

  return reporter_call_all(use, n, NULL, &e, err);
}
