/*
 * signals.h - SIGINT, SIGTERM, SIGHUP and SIGXCPU end a run in an orderly way;
 * a second SIGINT or SIGTERM ends it at once, unless it is but an echo of the
 * first.  SIGHUP and SIGXCPU come again by themselves (from the shell and the
 * terminal, and every second), so their number does not matter.  SIGHUP that is
 * ignored when the run starts, as under nohup, stays ignored.
 *
 * No work is done in a signal handler: the signals are blocked in all threads,
 * and one thread waits for them.  A thread that has them not, since it is older
 * or a library's, hands on what it gets.  What a thread starts would have them
 * blocked, too: signals_open() and signals_child_mask() are for that.
 */
#ifndef BENCH_RUN_SIGNALS_H
#define BENCH_RUN_SIGNALS_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/clock.h"

struct err;

/* The same signal within this time is the same wish: timeout(1), launchers and
 * terminals send it to the process, and to its group. */
#define SIGNAL_ECHO_NS (250 * NS_PER_MS)

enum {
  SIGNALS_MAX = 5 /* signals that the thread waits for */
};

struct signals {
  bool started;
  _Atomic bool ending; /* set before the thread is told to end */
  pthread_t thread;
  sigset_t old;
  struct sigaction before[SIGNALS_MAX];   /* what they did */
  void (*arrived)(void *arg, int number); /* called once, in that thread */
  void *arg;

  /* [opt] So long after the first signal, if the program is still there, late()
   * is called, and the program dies of the signal; unless late() says false,
   * and is called again later. */
  unsigned patience_s;
  bool (*late)(void *arg);
};

/* Before other threads are started, so that they inherit the mask.  The caller
 * sets patience_s and late, or zero. */
int signals_start(struct signals *s, void (*arrived)(void *arg, int number),
                  void *arg, struct err *err);

/*
 * For a program that is to start without the signals blocked that a run blocks:
 * the mask of the calling thread without those; or, where the mask cannot be
 * given to what starts it, unblock them in this thread from signals_open() to
 * signals_close().  What arrives in between is handed on afterwards.
 */
void signals_child_mask(sigset_t *ret);
void signals_open(void);
void signals_close(void);

/* "SIGINT", for the signals that end a run. */
const char *signals_name(int number);

/* Die of the signal, as if nobody had asked for it. */
void signals_die(int number);

/* Signals do again what they did before. */
void signals_stop(struct signals *s);

#endif
