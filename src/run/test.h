/*
 * test.h - what a test implements.
 *
 * The runner owns every pointer that these functions return through `ret_`, and
 * passes it to the matching close function.  Members marked [opt] may be NULL.
 * Functions that return int return 0 or a negative errno value with a message
 * in *err, unless said otherwise.  They do not print that message.
 */
#ifndef BENCH_RUN_TEST_H
#define BENCH_RUN_TEST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "opt/opt.h"
#include "stats/report.h"

struct warnings;
struct err;
struct plan;
struct run_members;
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

/* How hard to wake blocked workers when the run must end: see interrupt(). */
enum interrupt_step {
  INTERRUPT_CANCEL, /* ask politely: cancel requests, wake-ups */
  INTERRUPT_CUT,    /* a second later: shut sockets down */
};

struct test_ops {
  /* [opt] The prepare and cleanup commands. */
  int (*prepare)(const struct plan *plan, const void *cfg, struct err *err);
  int (*cleanup)(const struct plan *plan, const void *cfg, struct err *err);

  /* [opt] The verify command; returns the exit status, and no errno value. */
  int (*verify)(const struct plan *plan, const void *cfg, struct err *err);

  /*
   * Once per run, on the main thread: check options further and allocate what
   * workers share (open), print the test's own lines of the mode block through
   * base/log.h (describe), then open files and similar things (begin). close()
   * is called after all workers have ended, also if begin() failed.
   */
  int (*open)(const struct plan *plan, const void *cfg, void **ret_run,
              struct err *err);
  void (*describe)(void *run); /* [opt] */
  /* [opt] A line of the mode block that does not come last. */
  void (*mode_line)(void *run, struct strbuf *line);
  int (*begin)(void *run, struct err *err); /* [opt] */
  void (*close)(void *run);                 /* [opt] */

  /*
   * [opt] Before begin(): a word that changes from 0 when the run is ended
   * early, for wait_while().  It is valid until close() returns.
   */
  void (*stop_word)(void *run, _Atomic uint32_t *word);

  /* [opt] After the final report of a run that was not forced to end.  An error
   * makes the exit status 1; a number above 0 is the exit status that the test
   * asks for, and `err` has the reason.  On the main thread, or on one of its
   * own if it is code of a user, which may never end (`end_is_code`). */
  int (*end)(void *run, struct err *err);
  bool end_is_code;

  /* [opt] The same of a run that was forced to end: threads may still be in
   * event(). */
  int (*end_forced)(void *run, struct err *err);

  /*
   * [opt] With clients: once per thread that carries some of them, on that
   * thread, before the first of them begins and after the last has ended.
   * worker->group is what they share.  A test without this has no clients.
   */
  int (*group_open)(void *run, void **ret_group, struct err *err);
  void (*group_close)(void *group);

  /* Once per worker, on its own thread.  Without them `thr` is `run`. */
  int (*thread_open)(void *run, struct worker *w, void **ret_thr,
                     struct err *err); /* [opt] */
  void (*thread_close)(void *thr);     /* [opt] */

  /*
   * [opt] The moment of a worker that comes with a storm (worker->late), for
   * which thread_open() has connected to nothing: do that now.  A negative
   * value: it was not possible, which does not end the run.
   */
  int (*arrive)(void *thr, struct worker *w, struct err *err);

  /*
   * [opt] Choose the next request, outside of the event's time.  False: this
   * worker has no more to do.  A test with this function pays for one more
   * clock reading per event.
   */
  bool (*next)(void *thr, struct worker *w);

  /*
   * [opt] With --rate, while the worker waits for an arrival: serve the
   * operations that the test has in progress, until they are done, until
   * `until_ns`, or until the run is over.  False: stop waiting, because event()
   * has an error to report.
   */
  bool (*idle)(void *thr, struct worker *w, uint64_t until_ns);

  /*
   * One event, timed by the caller.  This is the hot path: it must not
   * allocate, log or take a lock, unless that is what the test measures.
   * Returns 0; negative: the run ends with this error.
   */
  int (*event)(void *thr, struct worker *w, struct err *err);

  /*
   * [opt] Replaces next and event: a loop of the test's own over worker_step().
   * At its end the worker has no open event.
   */
  int (*loop)(void *thr, struct worker *w, struct err *err);

  /*
   * [opt] A sign of life of a worker that begins no events, and whose
   * connections stay open: see idle.h.  A negative value as from event().
   */
  int (*ping)(void *thr, struct worker *w, struct err *err);

  /*
   * [opt] For a member of a mix: the loop for the one event that is open; see
   * worker_turn().  Afterwards no event is open if this worker has no more to
   * do.  A negative value as from event().
   */
  int (*turn)(void *thr, struct worker *w, struct err *err);
  /* [opt] For a member of a mix that is the only one of this worker: must
   * loop() be called in place of turn()? */
  bool (*loops)(void *thr);

  /* [opt] Has this worker, which has left its loop, something open that others
   * may wait for, such as a transaction? */
  bool (*holds)(void *thr);

  /*
   * [opt] The end of a worker's work.  All workers have returned from drain()
   * before the first one enters finish().  Both belong to the elapsed time.
   * They are also called after an error in another worker.  For a test with
   * finish(), the automatic deadline covers its events only.
   */
  int (*drain)(void *thr, struct worker *w, struct err *err);
  int (*finish)(void *thr, struct worker *w, struct err *err);

  /*
   * [opt] At a forced shutdown, from another thread: make workers return from
   * blocking calls.  It must not block.
   */
  void (*interrupt)(void *run, enum interrupt_step step);

  /* [opt] The form of reports, if it is only known at run time. */
  const struct report_form *(*form)(void *run);

  /* [opt] After the workers have ended: does the database run in this
   * process? */
  bool (*in_process)(void *run);

  /* [opt] At the same time: is the server that the test talks to on this
   * machine?  Then *ret_pid is its process, or 0 if that is not known, and
   * *ret_driver the name of its driver, or NULL. */
  bool (*server)(void *run, int *ret_pid, const char **ret_driver);

  /*
   * [opt] For the structured results, and with setup->sums for the last report:
   * the counts that the test keeps by itself, as of now.  Called by one thread
   * at a time, from begin() to close(), while workers run; it must not block.
   */
  void (*tally)(void *run, struct tally *to);

  /*
   * [opt] For the structured results: the database, figures of the test's own,
   * errors by code.  Called once, after the workers have ended or were left
   * behind: it must not block, and reports what it can get.  The runner frees
   * *ret.
   */
  void (*details)(void *run, struct test_details *ret);

  /* [opt] For text after the last report, in rank 0 of several: the details of
   * all ranks. */
  void (*take_whole)(void *run, const struct test_details *whole);

  /*
   * [opt] Add reasons to doubt the figures of `total`, the measured part, that
   * only the test can know.  Called at the same time as details().
   */
  void (*warnings)(void *run, const struct report *total, struct warnings *to);

  /*
   * [opt] For --db-debug: r->execution and r->fetching, the times of statements
   * since the last call.  Called in the same way as tally().
   */
  void (*statement_times)(void *run, struct report *r);

  /* [opt] Change the setup of reports: setup->of_test, setup->sums. */
  void (*setup)(void *run, struct report_setup *setup);
};

struct test {
  const char *name;    /* the word on the command line */
  const char *summary; /* its line in --help */
  const struct opt *opts;
  size_t cfg_size; /* size of the struct that `opts` fills in */
  const struct test_ops *ops;
  /* [opt] the form of its reports: report/form.h. */
  const struct report_form *form;
  const struct run_members *members; /* [opt] it is a mix of them */
  bool hidden;                       /* a control: no list names it */
  bool no_deadline; /* its events have no time limit: no automatic shutdown */
  bool own_limit;   /* --events has no effect on it */
  bool has_classes; /* its report needs classes of operations */
  bool loads_cpu;   /* workers do nothing but compute, or wait for memory: the
                     * clocks of their processors are watched */

  /*
   * [opt] Where options choose between several tests of one name: *ret becomes
   * the one that is meant, and stays if it is this one.  That test has the same
   * name and options.  -EINVAL: they do not fit together.
   */
  int (*variant)(const void *cfg, const struct test **ret, struct err *err);
};

#endif
