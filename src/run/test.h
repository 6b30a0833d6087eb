/*
 * test.h - what a test implements.
 *
 * The runner owns every pointer that these functions return through `ret_`,
 * and hands it back to the matching close function.  Members marked [opt] may
 * be NULL.  Functions that return int return 0 or a negative errno value with
 * a message in *err, unless said otherwise; they do not print that message.
 */
#ifndef BENCH_RUN_TEST_H
#define BENCH_RUN_TEST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "opt/opt.h"
#include "stats/report.h"

struct doubts;
struct err;
struct plan;
struct strbuf;
struct tally;
struct test_details;
struct worker;

/* What a command of the command line is to a test. */
enum test_command {
  TEST_RUN,     /* the benchmark */
  TEST_CALL,    /* a command that the test does itself, such as prepare */
  TEST_OPTIONS, /* print the options */
  TEST_LACKS,   /* a known command that the test does not implement */
  TEST_UNKNOWN, /* no such command */
};

/* How hard to wake what is blocked when the run must end: see interrupt(). */
enum interrupt_step {
  INTERRUPT_CANCEL, /* ask politely: cancel requests, wake-ups */
  INTERRUPT_CUT,    /* a second later: shut sockets down */
};

struct test_ops {
  /* [opt] The prepare and cleanup commands. */
  int (*prepare)(const struct plan *plan, const void *cfg, struct err *err);
  int (*cleanup)(const struct plan *plan, const void *cfg, struct err *err);

  /*
   * Once per run, on the main thread: check options further and allocate what
   * workers share (open), print the test's own lines of the mode block through
   * base/log.h (describe), then open files and the like (begin).  close() comes
   * after all the workers, also when begin() failed.
   */
  int (*open)(const struct plan *plan, const void *cfg, void **ret_run,
              struct err *err);
  void (*describe)(void *run); /* [opt] */
  /* [opt] A line of the mode block that is not at its end. */
  void (*mode_line)(void *run, struct strbuf *line);
  int (*begin)(void *run, struct err *err); /* [opt] */
  void (*close)(void *run);                 /* [opt] */

  /*
   * [opt] Before begin(): the word that changes from 0 when the run is ended
   * before its time, for wait_while().  It is there until close() returns.
   */
  void (*stop_word)(void *run, _Atomic uint32_t *word);

  /* [opt] On the main thread, after the final report of a run that was not
   * forced to end.  An error makes the exit status 1. */
  int (*end)(void *run, struct err *err);

  /* Once per worker, on its own thread; without them `thr` is `run`. */
  int (*thread_open)(void *run, struct worker *w, void **ret_thr,
                     struct err *err); /* [opt] */
  void (*thread_close)(void *thr);     /* [opt] */

  /*
   * [opt] Choose the next request, outside of the event's time; false: this
   * worker has no more to do.  A test that has it pays one more clock reading
   * per event.
   */
  bool (*next)(void *thr, struct worker *w);

  /*
   * [opt] With --rate, while the worker waits for an arrival: see to what the
   * test has under way, until that is done, `until_ns` has come or the run is
   * over.  False: do not wait any longer, event() has an error to tell.
   */
  bool (*idle)(void *thr, struct worker *w, uint64_t until_ns);

  /*
   * One event, timed by the caller.  This is the hot path: it must not
   * allocate, log or take a lock, unless that is what the test measures.
   * Returns 0; negative: the run ends with this error.
   */
  int (*event)(void *thr, struct worker *w, struct err *err);

  /*
   * [opt] Instead of next and event: a loop of its own over worker_step().  At
   * its end the worker has no open event.
   */
  int (*loop)(void *thr, struct worker *w, struct err *err);

  /*
   * [opt] The end of a worker's work.  All workers have returned from drain()
   * before the first one is in finish(); both belong to the elapsed time.
   * They are called after an error in another worker too.  The automatic
   * deadline of a test that has finish() is for its events only.
   */
  int (*drain)(void *thr, struct worker *w, struct err *err);
  int (*finish)(void *thr, struct worker *w, struct err *err);

  /*
   * [opt] From another thread, at a forced shutdown: make workers return from
   * what they are blocked in.  Must not block itself.
   */
  void (*interrupt)(void *run, enum interrupt_step step);

  /* [opt] The form of reports, when it is known at run time only. */
  const struct report_form *(*form)(void *run);

  /* [opt] Is what the test measures done in this process, although it is called
   * a database?  After the workers have ended. */
  bool (*in_process)(void *run);

  /*
   * [opt] For the structured results: what the test counts by itself, as of
   * now; it only ever grows.  From begin() to close(), while workers work, by
   * one thread at a time; it must not block.
   */
  void (*tally)(void *run, struct tally *to);

  /*
   * [opt] For the structured results: the database, figures of the test's own,
   * errors by code.  Once, after the workers have ended or were given up: it
   * must not block, and takes what it can get.  The runner frees *ret.
   */
  void (*details)(void *run, struct test_details *ret);

  /*
   * [opt] Add what makes the figures of `total`, the measured part, doubtful
   * and only the test can know.  When and how details() is called.
   */
  void (*doubts)(void *run, const struct report *total, struct doubts *to);

  /*
   * [opt] For --db-debug: r->execution and r->fetching, the times of statements
   * since the last call.  When and how tally() is called.
   */
  void (*statement_times)(void *run, struct report *r);

  /* [opt] The setup of reports, where the test has a say: setup->of_test. */
  void (*setup)(void *run, struct report_setup *setup);
};

struct test {
  const char *name;    /* the word on the command line */
  const char *summary; /* its line in --help */
  const struct opt *opts;
  size_t cfg_size; /* of the struct that `opts` fills in */
  const struct test_ops *ops;
  const struct report_form *form; /* [opt] of its reports: report/form.h */
  bool no_deadline; /* its events have no time limit: no automatic shutdown */
  bool own_limit;   /* --events has no effect on it */
};

#endif
