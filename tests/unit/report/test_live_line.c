/*
 * test_live_line.c - the line that follows a run, by the width of the terminal.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "report/live_line.h"
#include "stats/report.h"
#include "tests/unit/tap.h"

/* A terminal that remembers. */
struct screen {
  unsigned columns;
  unsigned shown, removed;
  char last[128];
};

static unsigned columns_of(void *ctx)
{
  return ((struct screen *)ctx)->columns;
}

static void show(void *ctx, const char *line, bool stays)
{
  struct screen *s = ctx;

  (void)stays;
  if (!line) {
    s->removed++;
    return;
  }
  s->shown++;
  (void)snprintf(s->last, sizeof(s->last), "%s", line);
}

static const struct progress_io io = { .columns = columns_of, .show = show };
static const struct report_setup setup = { .percentile = 95 };

/* An interval of a second that ends at `elapsed_s`. */
static struct report interval(unsigned elapsed_s, uint64_t events,
                              uint64_t errors)
{
  struct report r = { .kind = REPORT_INTERVAL,
                      .elapsed_ns = elapsed_s * NS_PER_S,
                      .period_ns = NS_PER_S,
                      .events = events,
                      .percentile_ns = 2500000 };

  r.counter[COUNTER_EVENT] = events;
  r.counter[COUNTER_ERROR] = errors;
  return r;
}

static const char *line_of(struct screen *s, struct live_line *l,
                           const struct report *r)
{
  struct err err = { "" };

  s->last[0] = '\0';
  (void)live_line_reporter.interval(l, &setup, r, &err);
  return s->last;
}

static void test_time(void)
{
  struct screen s = { .columns = 100 };
  struct live_line l = {
    .io = &io, .io_ctx = &s, .time_ns = 90 * NS_PER_S, .events = UINT64_MAX
  };
  struct report r = interval(12, 1234, 0);

  OK_STR(line_of(&s, &l, &r),
         "12 s of 1 min 30 s, 1 min 18 s left: 1234 events/s, p95 2.50 ms",
         "time, rate and latency");
  r = interval(13, 50, 2);
  OK_STR(line_of(&s, &l, &r),
         "13 s of 1 min 30 s, 1 min 17 s left: 50.0 "
         "events/s, p95 2.50 ms, 2 errors",
         "errors so far");
  r = interval(14, 0, 0);
  OK_STR(line_of(&s, &l, &r),
         "14 s of 1 min 30 s, 1 min 16 s left: 0.0 events/s, 2 errors",
         "no latency without events");
  s.columns = 55;
  OK_STR(line_of(&s, &l, &r),
         "14 s of 1 min 30 s, 1 min 16 s left: 0.0 events/s",
         "without latency and errors");
  s.columns = (unsigned)strlen(s.last) + 1;
  OK(*line_of(&s, &l, &r) && strlen(s.last) == s.columns - 1,
     "it fits, and a column is left for the cursor");
  s.columns--;
  OK_STR(line_of(&s, &l, &r), "14 s of 1 min 30 s, 1 min 16 s left",
         "it would take all columns");
  s.columns = 40;
  OK_STR(line_of(&s, &l, &r), "14 s of 1 min 30 s, 1 min 16 s left",
         "only the time");
  s.columns = 10;
  OK_STR(line_of(&s, &l, &r), "", "nothing");
}

static void test_events(void)
{
  struct screen s = { .columns = 100 };
  struct live_line l = {
    .io = &io, .io_ctx = &s, .time_ns = UINT64_MAX, .events = 1000
  };
  struct report r = interval(1, 300, 1);

  (void)line_of(&s, &l, &r);
  r = interval(2, 200, 0);
  OK_STR(line_of(&s, &l, &r),
         "2 s, 500 of 1000 events: 200 events/s, p95 2.50 ms, 1 error",
         "events");
}

static void test_no_terminal(void)
{
  struct screen s = { .columns = 0 };
  struct live_line l = {
    .io = &io, .io_ctx = &s, .time_ns = UINT64_MAX, .events = UINT64_MAX
  };
  struct report r = interval(1, 300, 0);
  struct err err = { "" };

  (void)line_of(&s, &l, &r);
  OK(s.shown == 0, "without a terminal there is no line");
  s.columns = 80;
  OK_STR(line_of(&s, &l, &r), "1 s: 300 events/s, p95 2.50 ms",
         "a terminal again");
  (void)live_line_reporter.final(&l, &setup, &r, &err);
  OK(s.removed == 1, "it is removed before the report");
}

static void test_sweep(void)
{
  struct screen s = { .columns = 100 };
  struct live_line l = { .io = &io,
                         .io_ctx = &s,
                         .time_ns = 10 * NS_PER_S,
                         .events = UINT64_MAX,
                         .step = 2,
                         .steps = 6,
                         .rest_s = 40 };
  struct report r = interval(3, 1234, 0);

  OK_STR(line_of(&s, &l, &r),
         "step 2 of 6, about 47 s left; 3 s of 10 s, 7 s left: 1234 events/s, "
         "p95 2.50 ms",
         "the step, and the time left of the sweep");
  s.columns = 40;
  OK_STR(line_of(&s, &l, &r), "step 2 of 6, about 47 s left",
         "these are left if there is little room");
  s.columns = 100;
  l.rest_s = NAN;
  OK_STR(line_of(&s, &l, &r),
         "step 2 of 6; 3 s of 10 s, 7 s left: 1234 events/s, p95 2.50 ms",
         "nobody knows how long the others take");
}

int main(void)
{
  test_time();
  test_sweep();
  test_events();
  test_no_terminal();
  return TAP_EXIT();
}
