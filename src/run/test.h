/*
 * test.h - what a test implements.
 *
 * The runner owns pointers returned through `ret_`, and passes them to the
 * matching close function. [opt] members may be NULL. Unless noted, int is 0 or
 * a negative errno value with a message in *err, which the function does not
 * print.
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

enum test_command {
  TEST_RUN,  /* the benchmark */
  TEST_CALL, /* by the test, such as prepare */
  TEST_OPTIONS,
  TEST_LACKS, /* a known command that the test lacks */
  TEST_UNKNOWN,
};

/* See interrupt(). */
enum interrupt_step {
  INTERRUPT_CANCEL, /* cancel requests */
  INTERRUPT_CUT,    /* a second later: shut sockets down */
};

struct test_ops {
  /* [opt] */
  int (*prepare)(const struct plan *plan, const void *cfg, struct err *err);
  int (*cleanup)(const struct plan *plan, const void *cfg, struct err *err);

  /* [opt] Returns the exit status. */
  int (*verify)(const struct plan *plan, const void *cfg, struct err *err);

  /*
   * Once per run, on the main thread: check options and allocate shared data
   * (open), print lines of the mode block with log_msg() (describe), open files
   * (begin). close() follows the end of all workers, also if begin() failed.
   */
  int (*open)(const struct plan *plan, const void *cfg, void **ret_run,
              struct err *err);
  void (*describe)(void *run); /* [opt] */
  /* [opt] a line of the mode block, not the last */
  void (*mode_line)(void *run, struct strbuf *line);
  int (*begin)(void *run, struct err *err); /* [opt] */
  void (*close)(void *run);                 /* [opt] */

  /* [opt] Before begin(): a word that becomes nonzero when the run ends
   * early. Valid until close() returns. */
  void (*stop_word)(void *run, _Atomic uint32_t *word);

  /*
   * [opt] After the final report of a run that was not forced to end.  A number
   * above 0 is an exit status, with the reason in `err`.  On the main thread; a
   * user's code (`end_is_code`), which can last for ever, on its own thread.
   */
  int (*end)(void *run, struct err *err);
  bool end_is_code;

  /* [opt] After a forced end, when threads can still be in event(). */
  int (*end_forced)(void *run, struct err *err);

  /*
   * [opt] Once per thread that carries clients, on it, around all its clients.
   * `group` becomes worker->group.  Without it, the test has no clients.
   */
  int (*group_open)(void *run, void **ret_group, struct err *err);
  void (*group_close)(void *group);

  /* Once per worker, on its thread.  Without them `thr` is `run`. */
  int (*thread_open)(void *run, struct worker *w, void **ret_thr,
                     struct err *err); /* [opt] */
  void (*thread_close)(void *thr);     /* [opt] */

  /* [opt] Connects a worker of a storm (worker->late), which thread_open()
   * did not connect.  A negative value does not end the run. */
  int (*arrive)(void *thr, struct worker *w, struct err *err);

  /* [opt] Chooses the next request, outside of any latency.  False: this
   * worker is done. Costs another clock reading per event. */
  bool (*next)(void *thr, struct worker *w);

  /*
   * [opt] With --rate, while the worker waits: serves operations in progress,
   * until all are done, until `until_ns`, or until the run is over.  False:
   * event() reports an error.
   */
  bool (*idle)(void *thr, struct worker *w, uint64_t until_ns);

  /* One event, timed by the caller.  Hot path: must not allocate, log or
   * lock.  Negative: the run ends. */
  int (*event)(void *thr, struct worker *w, struct err *err);

  /* [opt] Instead of next and event: a loop over worker_step(), with no open
   * event at its end. */
  int (*loop)(void *thr, struct worker *w, struct err *err);

  /* [opt] An idle worker's ping.  Errors as of event(). */
  int (*ping)(void *thr, struct worker *w, struct err *err);

  /*
   * [opt] Of a member of a mix: the loop for the open event; see worker_turn().
   * If this worker is done, no event is open afterwards.  Errors as of event().
   */
  int (*turn)(void *thr, struct worker *w, struct err *err);
  /* [opt] Of a worker's only member: is loop() called instead of turn()? */
  bool (*loops)(void *thr);

  /* [opt] Does this worker, which has left its loop, hold something that
   * others need, such as locks? */
  bool (*holds)(void *thr);

  /*
   * [opt] The end of a worker, part of the elapsed time, also after an error
   * elsewhere.  finish() begins after all workers have returned from drain().
   * With finish(), the automatic deadline is for events only.
   */
  int (*drain)(void *thr, struct worker *w, struct err *err);
  int (*finish)(void *thr, struct worker *w, struct err *err);

  /* [opt] At a forced shutdown, from another thread: wakes blocked workers.
   * Must not block. */
  void (*interrupt)(void *run, enum interrupt_step step);

  /* [opt] If only known at run time. */
  const struct report_form *(*form)(void *run);

  /* [opt] After all workers: does the database run in this process? */
  bool (*in_process)(void *run);

  /* [opt] Also then: is the server on this machine?  Unknown: *ret_pid is 0,
   * *ret_driver NULL. */
  bool (*server)(void *run, int *ret_pid, const char **ret_driver);

  /*
   * [opt] The test's own counts, for structured results, and for the last
   * report with setup->sums.  One thread at a time, from begin() to close();
   * must not block.
   */
  void (*tally)(void *run, struct tally *to);

  /* [opt] For structured results.  Once, after workers have ended or were
   * left behind: must not block.  The runner frees *ret. */
  void (*details)(void *run, struct test_details *ret);

  /* [opt] For text after rank 0's last report: the details of all ranks. */
  void (*take_whole)(void *run, const struct test_details *whole);

  /* [opt] Warnings about `total`, the measured part.  Called with details(). */
  void (*warnings)(void *run, const struct report *total, struct warnings *to);

  /* [opt] For --db-debug: r->execution and r->fetching since the last call.
   * Like tally(). */
  void (*statement_times)(void *run, struct report *r);

  /* [opt] Change setup->of_test and setup->sums. */
  void (*setup)(void *run, struct report_setup *setup);
};

struct test {
  const char *name;
  const char *summary; /* in --help */
  /* [opt] For `NAME help`: a sentence, and arguments after the name. */
  const char *about, *example;
  const struct opt *opts;
  size_t cfg_size; /* of the struct that `opts` fills */
  const struct test_ops *ops;
  /* [opt] */
  const struct report_form *form;
  const struct run_members *members; /* [opt] of a mix */
  bool hidden;                       /* not in lists */
  bool no_deadline; /* no automatic shutdown: events have no time limit */
  bool own_limit;   /* --events has no effect */
  bool has_classes;
  bool loads_cpu; /* only computes: clocks are watched */

  /*
   * [opt] Options choose one of several tests of this name and options: *ret
   * becomes the chosen test, or stays.  -EINVAL: the options do not fit
   * together.
   */
  int (*variant)(const void *cfg, const struct test **ret, struct err *err);
};

#endif
