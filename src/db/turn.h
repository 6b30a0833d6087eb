/*
 * turn.h - a connection waits for its turn to be opened (for src/db only).
 */
#ifndef BENCH_DB_TURN_H
#define BENCH_DB_TURN_H

#include <stdbool.h>
#include <stdint.h>

struct conn;

/*
 * Until when a connection that is asked for now waits for its turn: the end of
 * the run, if that has not come and nobody needs the connection afterwards.  0:
 * until its turn comes.
 */
uint64_t turn_limit(const struct conn *c);

/*
 * WAITS at the gate of the process; gate_leave() when the attempt is over.
 * False, and c->out: the run has ended, and nothing is to be opened.
 */
bool turn_wait(struct conn *c, uint64_t limit_ns);

#endif
