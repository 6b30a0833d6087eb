/*
 * gate.h - how many connections are opened at a time, and how many per second.
 *
 * Where the number at a time is limited, threads of the system wait here, never
 * the fibers of clients: these open their connections in threads beside their
 * own (loop_aside()).
 */
#ifndef BENCH_DB_GATE_H
#define BENCH_DB_GATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct gate {
  uint64_t gap_ns;          /* between two openings; 0: none */
  _Atomic uint64_t next_ns; /* when the next one may begin */
  bool counted;             /* `free` is a limit */
  _Atomic uint32_t free;    /* places that are left */
};

/* `rate` per second, 0: no limit; `places` at a time, 0: no limit. */
void gate_init(struct gate *g, double rate, uint64_t places);

/* Does nobody have to wait? */
static inline bool gate_is_open(const struct gate *g)
{
  return g->gap_ns == 0 && !g->counted;
}

/* May a fiber wait here? */
static inline bool gate_suits_fibers(const struct gate *g)
{
  return !g->counted;
}

/*
 * Wait for the turn of one more opening.  True: it has come; call gate_leave()
 * when the connection is open or has failed.  False: `end_ns` has come before
 * it, or *over is not 0.  With an end_ns of 0 nobody leaves without a turn, and
 * *over only ends the wait for a rate.
 */
bool gate_enter(struct gate *g, _Atomic uint32_t *over, uint64_t end_ns);
void gate_leave(struct gate *g);

#endif
