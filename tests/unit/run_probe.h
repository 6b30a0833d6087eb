/*
 * run_probe.h - a test plug-in that logs its calls, fails or blocks where it is
 * told to, and a reporter that keeps what it was given.
 */
#ifndef TESTS_UNIT_RUN_PROBE_H
#define TESTS_UNIT_RUN_PROBE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/leave.h"
#include "report/life.h"
#include "run/plan.h"
#include "run/test.h"
#include "stats/report.h"

enum {
  PROBE_ANY = -1, /* whichever worker */
};

struct probe {
  /* Set before the run. */
  struct plan plan;
  struct test_ops ops; /* a test may replace members */
  const char *fail_at; /* the name of the call that fails, or NULL */
  int fail_tid;        /* in this worker, or PROBE_ANY */
  int (*on_event)(struct probe *p, struct worker *w, struct err *err);
  bool (*on_next)(struct probe *p, struct worker *w);
  int (*on_thread_open)(struct probe *p, struct worker *w);
  void (*on_interrupt)(struct probe *p, enum interrupt_step step);
  void (*on_interval)(struct probe *p, const struct report *r);
  void (*on_checkpoint)(struct probe *p, const struct report *r);
  bool (*too_busy)(const struct probe *p); /* the machine was; probe_fork() */
  bool no_deadline;                        /* of struct test */
  const char *reporter_fails; /* the call of the reporter that fails */

  /* What happened. */
  char log[1024]; /* names of calls, each followed by a blank */
  _Atomic uint64_t events;
  _Atomic uint32_t thread_opens, thread_closes;
  _Atomic uint32_t word; /* for the test's own use; waited for */
  _Atomic uint32_t intervals, checkpoints; /* counted on the report thread */
  unsigned finals, ends;
  struct report final; /* without what it borrows */
  enum end_reason reason;
  uint64_t arrivals, backlog, wall_ns; /* of struct run_end */
  uint64_t cpu_ns;                     /* of its client */
  int status;
  struct leave leave;
  bool left;       /* a thread was left behind */
  char said[4096]; /* on stderr */
};

/* One worker, no limit, percentiles; all calls are logged. */
void probe_init(struct probe *p);
void probe_done(struct probe *p);

/* Runs it; what the run prints on stdout is thrown away. */
void probe_run(struct probe *p);

/* What became of a run in another process. */
enum probe_verdict {
  PROBE_GOOD,
  PROBE_BAD,
  PROBE_RETRY, /* the machine was too busy for it */
};

/* The same in a process of its own, for runs that leave threads behind, with a
 * judge that looks at the outcome there.  What a judge refuses is printed. */
int probe_fork(struct probe *p, bool (*judge)(const struct probe *p));
bool probe_await(int child); /* the judge was content */
enum probe_verdict probe_await_verdict(int child);
bool probe_killed(int child, int number); /* it died of this signal */

/* Set p->word; wait until it is at least so large. */
void probe_say(struct probe *p, uint32_t word);
void probe_hear(struct probe *p, uint32_t word);

#endif
