/*
 * watch.h - ends blocked calls: at the deadline of a run, and of statements
 * that take too long.  The watching thread cancels, and breaks the connection a
 * second later.
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

enum {
  WATCH_BUSY = 1,
  WATCH_CANCELLED = 2
};

/* The first four members are constant. */
struct watched {
  const struct driver *driver;
  struct session *session;
  /* Not 0: the deadline has passed; see watch_deadline_of(). */
  const _Atomic uint64_t *deadline;
  bool limited; /* `busy` has the start of the call */

  struct watched *next, *prev; /* protected by watch.lock */
  pthread_mutex_t lock;        /* protects `open` and `canceller` */
  bool open;
  struct canceller *canceller; /* owned; [opt] */

  /*
   * 0: not in a call.  Else WATCH_BUSY, and with a limit the start of the call.
   * The owner writes (relaxed).  The thread adds WATCH_CANCELLED if the call is
   * still the same (release).  The owner takes the value away (acquire).
   */
  _Atomic uint64_t busy;

  /* When to break the session, without a cancel; 0: never.  Owner: release,
   * thread: acquire. */
  _Atomic uint64_t until_ns;

  /* Used by the thread only. */
  uint64_t cancelled; /* `busy` of the cancelled call */
  uint64_t cancelled_ns;
  bool broken;
};

struct watch {
  uint64_t limit_ns;    /* 0: none; constant */
  pthread_mutex_t lock; /* protects the list and `running` */
  struct watched *first;
  bool running;
  _Atomic uint32_t word;    /* futex: the thread has to look */
  _Atomic uint32_t threads; /* with helpers; futex */
  _Atomic bool quit;
  _Atomic uint64_t deadline_at_ns; /* 0: not reached */
  _Atomic uint64_t no_deadline;    /* stays 0 */
};

void watch_init(struct watch *w, double limit_s);
void watch_done(struct watch *w); /* after watch_stop() */

static inline const _Atomic uint64_t *watch_deadline_of(const struct watch *w,
                                                        bool of_worker)
{
  return of_worker ? &w->deadline_at_ns : &w->no_deadline;
}

void watch_add(struct watch *w, struct watched *c, struct session *s,
               bool of_worker);
void watch_remove(struct watch *w, struct watched *c);

/* Owner: the session is open, or about to close. */
void watch_opened(struct watched *c);
void watch_closing(struct watched *c);

/* Owner, after a cancelled call.  WAITS for cancels under way, at most a
 * second.  False: no cancel is under way. */
bool watch_await(struct watched *c);

int watch_start(struct watch *w, struct err *err);

/* Owner: breaks the session at `until_ns` (clock_now_ns()); 0: never.  If
 * memory is short, there is no limit. */
void watch_until(struct watch *w, struct watched *c, uint64_t until_ns);

/* Any thread; returns at once.  Cancels workers' calls, and shuts them down a
 * second later; later calls fail at once.  Counts and prints nothing. */
int watch_deadline(struct watch *w, struct err *err);

/* WAITS for cancels, at most two seconds.  False: some do not end, so struct
 * db_process and drivers' options have to stay. */
bool watch_stop(struct watch *w);

#endif
