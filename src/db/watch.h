/*
 * watch.h - ends blocked calls: at the deadline of a run, and when a statement
 * takes too long.  Another thread cancels what a connection executes and breaks
 * the connection a second later.
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

/* A connection as the watching thread sees it.  The first four members are
 * constant. */
struct watched {
  const struct driver *driver;
  struct session *session;
  /* Not 0: the deadline has passed: see watch_deadline_of(). */
  const _Atomic uint64_t *deadline;
  bool limited; /* calls have a time limit: `busy` has their begin */

  struct watched *next, *prev; /* protected by watch.lock */
  pthread_mutex_t lock; /* protects `open` and `canceller`; held while the
                           connection is disturbed */
  bool open;            /* wake() and shutdown() are allowed */
  struct canceller *canceller; /* owned; NULL: none */

  /*
   * 0: not in a call; WATCH_BUSY, or the begin of the call with that bit.  The
   * owner writes it (relaxed).  The cancelling thread adds WATCH_CANCELLED if
   * the call is still the same (release).  With a limit the owner takes the
   * value away (acquire).
   */
  _Atomic uint64_t busy;

  /* When the session is broken without a cancel; 0: never.  Owner: release,
   * watching thread: acquire. */
  _Atomic uint64_t until_ns;

  /* Used by the watching thread only. */
  uint64_t cancelled;    /* `busy` for which a cancel was sent */
  uint64_t cancelled_ns; /* when */
  bool broken;           /* shut down */
};

struct watch {
  uint64_t limit_ns;    /* 0: none; constant */
  pthread_mutex_t lock; /* protects the list and `running` */
  struct watched *first;
  bool running;
  _Atomic uint32_t word;    /* futex: changes when the thread has to look */
  _Atomic uint32_t threads; /* watching thread and helpers; futex */
  _Atomic bool quit;
  _Atomic uint64_t deadline_at_ns; /* 0: not reached */
  _Atomic uint64_t no_deadline;    /* stays 0 */
};

void watch_init(struct watch *w, double limit_s);
void watch_done(struct watch *w); /* after watch_stop() */

/* The deadline ends connections of workers only. */
static inline const _Atomic uint64_t *watch_deadline_of(const struct watch *w,
                                                        bool of_worker)
{
  return of_worker ? &w->deadline_at_ns : &w->no_deadline;
}

/* Sets the constant members and s->watched. */
void watch_add(struct watch *w, struct watched *c, struct session *s,
               bool of_worker);
void watch_remove(struct watch *w, struct watched *c);

/* For the owner: its session is open (makes a canceller), or about to close. */
void watch_opened(struct watched *c);
void watch_closing(struct watched *c);

/*
 * For the owner, after a cancelled call.  WAITS, a second at most, until no
 * request for the connection is under way.  False: no message to the server
 * cancels it.
 */
bool watch_await(struct watched *c);

/* Start the thread unless it runs: statements have a limit. */
int watch_start(struct watch *w, struct err *err);

/* For the owner: break the session at that moment (clock_now_ns()); 0: never.
 * Without memory for the thread there is no limit. */
void watch_until(struct watch *w, struct watched *c, uint64_t until_ns);

/*
 * Any thread; returns at once.  Blocked calls of workers are cancelled now and
 * shut down after a second; later calls fail at once.  Nothing of that is
 * counted or printed.
 */
int watch_deadline(struct watch *w, struct err *err);

/*
 * End the thread.  WAITS for cancel requests, two seconds at most.  False: some
 * do not end, and all that they use has to stay, the struct db_process and the
 * drivers' options too.
 */
bool watch_stop(struct watch *w);

#endif
