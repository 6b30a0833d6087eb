/*
 * connect_limiter.h - how many connections are opened at a time, and how many
 * per second.
 *
 * Where the number at a time is limited, threads of the system wait here, never
 * the fibers of clients: these open their connections in threads beside their
 * own (loop_aside()).
 */
#ifndef BENCH_DB_CONNECT_LIMITER_H
#define BENCH_DB_CONNECT_LIMITER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct limiter {
  uint64_t gap_ns;          /* between two openings; 0: none */
  _Atomic uint64_t next_ns; /* when the next one may begin */
  bool counted;             /* `free` is a limit */
  _Atomic uint32_t free;    /* places that are left */
  /* Of the run, borrowed: see struct db_process. */
  _Atomic uint32_t *over;
  const _Atomic uint64_t *end_ns;
};

/* `rate` per second, 0: no limit; `places` at a time, 0: no limit.  The caller
 * has set the borrowed members. */
void limiter_init(struct limiter *l, double rate, uint64_t places);

/* Does nobody have to wait? */
static inline bool limiter_is_open(const struct limiter *l)
{
  return l->gap_ns == 0 && !l->counted;
}

/* May a fiber wait here? */
static inline bool limiter_suits_fibers(const struct limiter *l)
{
  return !l->counted;
}

/*
 * Until when a connection that is asked for now waits for its turn: the end of
 * the run, if the end has not come and nobody needs the connection afterwards
 * (`shared`: other clients may).  0: until its turn comes.
 */
uint64_t limiter_deadline(const struct limiter *l, bool shared);

/*
 * WAITS for the turn of one more opening.  True: call limiter_leave() when the
 * connection is open or has failed.  False: `deadline_ns` has come first, or
 * the run is over.  With a deadline of 0 nobody leaves without a turn, and the
 * end of the run only ends the wait for a rate.
 */
bool limiter_enter(struct limiter *l, uint64_t deadline_ns);
void limiter_leave(struct limiter *l);

/*
 * The turn has come: until when an attempt lasts that was to last until
 * `until_ns` when it was asked for, at `asked_ns`.  The wait for the turn is no
 * part of the attempt.  Attempts that are not the first of a connection
 * (`again`) are given up soon after the end of the run.
 */
uint64_t limiter_until(const struct limiter *l, bool again, uint64_t asked_ns,
                       uint64_t until_ns);

#endif
