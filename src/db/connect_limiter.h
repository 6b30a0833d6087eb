/*
 * connect_limiter.h - limits connections opened at a time, and per second.
 * Only system threads wait for places (loop_aside()).
 */
#ifndef BENCH_DB_CONNECT_LIMITER_H
#define BENCH_DB_CONNECT_LIMITER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct limiter {
  uint64_t gap_ns;          /* between two openings */
  _Atomic uint64_t next_ns; /* earliest time of the next */
  bool counted;
  _Atomic uint32_t free;
  /* Borrowed from struct db_process. */
  _Atomic uint32_t *over;
  const _Atomic uint64_t *end_ns;
};

/* 0: no limit.  Set the borrowed members before. */
void limiter_init(struct limiter *l, double rate, uint64_t places);

static inline bool limiter_is_open(const struct limiter *l)
{
  return l->gap_ns == 0 && !l->counted;
}

static inline bool limiter_suits_fibers(const struct limiter *l)
{
  return !l->counted;
}

/* How long to wait for a turn: until the end of the run; 0: for ever, after
 * that end or if other clients can need the connection (`shared`). */
uint64_t limiter_deadline(const struct limiter *l, bool shared);

/* WAITS.  True: call limiter_leave() after the opening.  False: the deadline
 * has come, or the run is over.  Deadline 0: never false. */
bool limiter_enter(struct limiter *l, uint64_t deadline_ns);
void limiter_leave(struct limiter *l);

/* The end of an attempt, without the wait since `asked_ns`.  Repeated attempts
 * (`again`) end soon after the run. */
uint64_t limiter_until(const struct limiter *l, bool again, uint64_t asked_ns,
                       uint64_t until_ns);

#endif
