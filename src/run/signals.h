/*
 * signals.h - SIGINT, SIGTERM, SIGHUP and SIGXCPU end a run in order.  A second
 * SIGINT or SIGTERM ends it at once, unless it is an echo; the system repeats
 * SIGHUP and SIGXCPU.  SIGHUP stays ignored under nohup.
 *
 * One thread waits for the signals.  All others block them; older ones and
 * those of libraries pass them on.
 */
#ifndef BENCH_RUN_SIGNALS_H
#define BENCH_RUN_SIGNALS_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/clock.h"

struct err;

/* timeout(1), launchers and terminals send a signal to the process and its
 * group. */
#define SIGNAL_ECHO_NS (250 * NS_PER_MS)

enum {
  SIGNALS_MAX = 5
};

struct signals {
  bool started;
  _Atomic bool ending; /* set before waking the thread */
  pthread_t thread;
  sigset_t old;
  struct sigaction before[SIGNALS_MAX];   /* of the run */
  void (*arrived)(void *arg, int number); /* once, in that thread */
  void *arg;

  /* [opt] If the program still runs then, late() is called, and the program
   * dies of the signal.  False: late() is called again. */
  unsigned patience_s;
  bool (*late)(void *arg);
};

/* Before other threads, which inherit the mask.  The caller sets patience_s
 * and late, or 0. */
int signals_start(struct signals *s, void (*arrived)(void *arg, int number),
                  void *arg, struct err *err);

/*
 * Starts a program without blocked signals: signals_child_mask() is its mask.
 * Where no mask can be passed, these two unblock them in this thread, and pass
 * on a signal in between.
 */
void signals_child_mask(sigset_t *ret);
void signals_open(void);
void signals_close(void);

/* "SIGINT", of signals that end a run. */
const char *signals_name(int number);

/* By its default action. */
void signals_die(int number);

/* Restore the actions. */
void signals_stop(struct signals *s);

#endif
