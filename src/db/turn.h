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

/*
 * Its turn has come: until when the attempt lasts that was to last until
 * `until_ns` when it was asked for, at `asked_ns`.  The time in which others
 * were served is not that of the attempt.  What is replaced, or belongs to a
 * visit, is given up soon after the end of the run.
 */
uint64_t turn_until(const struct conn *c, uint64_t asked_ns, uint64_t until_ns);

#endif
