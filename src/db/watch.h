/*
 * watch.h - ends calls that are blocked: at the deadline of a run, and when a
 * statement takes longer than it may.
 *
 * Every connection is in a list, so that another thread can cancel what it
 * executes and, a second later, break it.
 */
#ifndef BENCH_DB_WATCH_H
#define BENCH_DB_WATCH_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct canceller;
struct driver;
struct err;
struct session;

/* Bits of watched.busy. */
enum {
  WATCH_BUSY = 1,
  WATCH_CANCELLED = 2
};

/* A connection as the watching thread sees it.  The first four members do not
 * change. */
struct watched {
  const struct driver *driver;
  struct session *session;
  /* The deadline has passed for its calls when this is not 0: see
   * watch_deadline_of(). */
  const _Atomic uint64_t *deadline;
  bool limited; /* its calls have a time limit: `busy` has the time */

  struct watched *next, *prev; /* protected by watch.lock */
  pthread_mutex_t lock; /* protects `open` and `canceller`; held while the
                         * connection is disturbed */
  bool open;            /* wake() and shutdown() may be called */
  struct canceller *canceller; /* owned; NULL: none */

  /*
   * 0 = not in a call, WATCH_BUSY = in a call, else the time at which the call
   * began (with that bit).  Written by the owner (relaxed).  The thread that
   * cancels a call adds WATCH_CANCELLED, if it is still that call (release).
   * Where calls have a limit, the owner takes the value away (acquire) and sees
   * that bit.
   */
  _Atomic uint64_t busy;

  /* When the session is broken, without a cancel, in a call or not; 0: never.
   * The owner writes it (release), the watching thread reads it (acquire). */
  _Atomic uint64_t until_ns;

  /* Used by the watching thread only. */
  uint64_t cancelled;    /* value of `busy` for which a cancel was sent */
  uint64_t cancelled_ns; /* when */
  bool broken;           /* ... and it was shut down */
};

struct watch {
  uint64_t limit_ns;    /* of a statement, 0: none; constant */
  pthread_mutex_t lock; /* protects the list and `running` */
  struct watched *first;
  bool running;             /* the watching thread was started */
  _Atomic uint32_t word;    /* futex: changes when the thread has to look */
  _Atomic uint32_t threads; /* the watching one and helpers; futex */
  _Atomic bool quit;
  _Atomic uint64_t deadline_at_ns; /* 0: not reached */
  _Atomic uint64_t no_deadline;    /* stays 0 */
};

void watch_init(struct watch *w, double limit_s);
void watch_done(struct watch *w); /* after watch_stop() */

/* For connections of workers, which the deadline ends, and for others. */
static inline const _Atomic uint64_t *watch_deadline_of(const struct watch *w,
                                                        bool of_worker)
{
  return of_worker ? &w->deadline_at_ns : &w->no_deadline;
}

/* Fills in the first four members, and s->watched. */
void watch_add(struct watch *w, struct watched *c, struct session *s,
               bool of_worker);
void watch_remove(struct watch *w, struct watched *c);

/* For the owner: its session is open (makes a canceller), or about to close. */
void watch_opened(struct watched *c);
void watch_closing(struct watched *c);

/*
 * For the owner, after a call that was cancelled.  WAITS until no request for
 * it is under way any more, for a second at most.  False: this connection is
 * cancelled without a message to the server.
 */
bool watch_await(struct watched *c);

/* Start the thread, if it is not running: statements have a limit. */
int watch_start(struct watch *w, struct err *err);

/* For the owner: the session is broken at that moment (clock_now_ns()),
 * whatever waits for its server; 0: not any more.  Without memory for the
 * thread there is no limit. */
void watch_until(struct watch *w, struct watched *c, uint64_t until_ns);

/*
 * The deadline has come; from any thread, returns at once.  Calls of workers
 * that are blocked are cancelled now and their sockets are shut down after one
 * second; calls that they begin from now on fail at once.  Nothing of that is
 * counted or printed.
 */
int watch_deadline(struct watch *w, struct err *err);

/*
 * Ends the thread.  WAITS for cancel requests, two seconds at most.  False:
 * some do not end; their threads are left behind, and all that they use has to
 * stay, the struct db_process and the options of drivers too.
 */
bool watch_stop(struct watch *w);

#endif
