/*
 * watch.h - wakes connections that are blocked in a call: at the deadline of
 * a run, and when a statement takes longer than it may.
 *
 * Every open connection is in a list, so that another thread can cancel what
 * it executes and, a second later, break it.
 */
#ifndef BENCH_DB_WATCH_H
#define BENCH_DB_WATCH_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct conn;
struct db_process;
struct driver;

/* Bits of watched.busy. */
enum {
  WATCH_BUSY = 1,
  WATCH_CANCELLED = 2
};

/* What cancels statements of one opened connection; shared by its owner and
 * the helpers that are cancelling. */
struct canceller {
  _Atomic unsigned refs;
  /* Requests that helpers have been given and not ended; futex (release by the
   * helpers, acquire by the owner of the connection). */
  _Atomic uint32_t under_way;
  const struct driver *driver;
  void *token;
};

/* The connection's place in the list. */
struct watched {
  struct watched *next, *prev; /* protected by watch.lock */
  pthread_mutex_t lock; /* protects `open` and `canceller`; held while the
                         * connection is disturbed */
  bool under_deadline;  /* constant */
  bool open;            /* wake() and shutdown() may be called */
  struct canceller *canceller; /* owned; NULL: none */

  /*
   * 0 = not in a call, WATCH_BUSY = in a call, else the time at which it began
   * (with that bit).  Written by the owner (relaxed); but who cancels a call
   * adds WATCH_CANCELLED, if it is still that call (release), and where calls
   * have a limit, the owner takes the value away (acquire) and sees it.
   */
  _Atomic uint64_t busy;

  /* Of the thread that watches. */
  uint64_t cancelled;    /* value of `busy` for which a cancel was sent */
  uint64_t cancelled_ns; /* when */
  bool broken;           /* ... and it was shut down */
};

struct watch {
  pthread_mutex_t lock; /* protects the list and `running` */
  struct watched *first;
  bool running;             /* the thread that watches was started */
  _Atomic uint32_t word;    /* futex: changes when the thread has to look */
  _Atomic uint32_t threads; /* the one above and helpers; futex */
  _Atomic bool quit;
  _Atomic uint64_t deadline_at_ns; /* 0: not reached */
};

void watch_init(struct watch *w);
void watch_done(struct watch *w); /* after watch_stop() */

void watch_add(struct watch *w, struct watched *c);
void watch_remove(struct watch *w, struct watched *c);

/* The owner: its transport is up (takes a token), or about to go down. */
void watch_opened(struct conn *c);
void watch_closing(struct conn *c);

/*
 * The owner, whose last call was cancelled: wait until nothing of that is under
 * way any more, for a second at most.  False: nothing was sent to the server.
 */
bool watch_await(struct conn *c);

/*
 * Start the thread, if it is not running.  Called by the layer when there is
 * a limit for statements.
 */
int watch_start(struct db_process *p, struct err *err);

/*
 * The deadline has come; from any thread, returns at once.  Calls of workers
 * that are blocked are cancelled now and their sockets shut down after one
 * second; calls that they begin from now on fail at once.  Nothing of that is
 * counted or printed.
 */
int watch_deadline(struct db_process *p, struct err *err);

/*
 * Ends the thread, and waits for cancel requests, two seconds at most.  False:
 * some do not end, whatever they were told; their threads are left behind, and
 * all that they use has to stay, the process `p` and options of drivers too.
 */
bool watch_stop(struct db_process *p);

#endif
