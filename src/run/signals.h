/*
 * signals.h - SIGINT, SIGTERM, SIGHUP and SIGXCPU end a run in an orderly way.
 * A second SIGINT or SIGTERM ends it at once, unless it is only an echo of the
 * first.  SIGHUP and SIGXCPU are repeated by the system (by the shell and the
 * terminal, and every second), so their number does not matter.  If SIGHUP is
 * ignored when the run starts, as under nohup, it stays ignored.
 *
 * No work is done in a signal handler: the signals are blocked in all threads,
 * and one thread waits for them.  A thread that does not block them, because it
 * is older or belongs to a library, passes on what it gets.  Programs that a
 * thread starts would inherit the blocked signals: see signals_open() and
 * signals_child_mask().
 */
#ifndef BENCH_RUN_SIGNALS_H
#define BENCH_RUN_SIGNALS_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/clock.h"

struct err;

/* The same signal within this time is an echo: timeout(1), launchers and
 * terminals send it to the process, and to its group. */
#define SIGNAL_ECHO_NS (250 * NS_PER_MS)

enum {
  SIGNALS_MAX = 5 /* number of signals that the thread waits for */
};

struct signals {
  bool started;
  _Atomic bool ending; /* set before the thread is woken to end */
  pthread_t thread;
  sigset_t old;
  struct sigaction before[SIGNALS_MAX];   /* the actions before the run */
  void (*arrived)(void *arg, int number); /* called once, in that thread */
  void *arg;

  /* [opt] If the program is still there so long after the first signal, late()
   * is called, and the program dies of the signal.  If late() returns false,
   * the program goes on, and late() is called again later. */
  unsigned patience_s;
  bool (*late)(void *arg);
};

/* Call it before other threads are started, so that they inherit the mask.  The
 * caller sets patience_s and late, or leaves them zero. */
int signals_start(struct signals *s, void (*arrived)(void *arg, int number),
                  void *arg, struct err *err);

/*
 * For starting a program, which must not have the signals blocked that a run
 * blocks.  signals_child_mask() returns the mask of the calling thread without
 * them.  If a mask cannot be passed to the new program, call signals_open()
 * before and signals_close() after starting it: they unblock the signals in
 * this thread.  A signal that arrives in between is passed on afterwards.
 */
void signals_child_mask(sigset_t *ret);
void signals_open(void);
void signals_close(void);

/* "SIGINT" and so on, for the signals that end a run. */
const char *signals_name(int number);

/* Die of the signal, as by its default action. */
void signals_die(int number);

/* Restore the actions that the signals had before. */
void signals_stop(struct signals *s);

#endif
