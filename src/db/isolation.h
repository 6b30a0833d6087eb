/*
 * isolation.h - the isolation level that --isolation gives to the sessions of a
 * run (for src/db only).
 */
#ifndef BENCH_DB_ISOLATION_H
#define BENCH_DB_ISOLATION_H

#include <stdint.h>

struct conn;

/*
 * Give the open session its level, and WAIT for the answer until that moment
 * (clock_now_ns()).  0: it has the level, or the run asks for none; -1 and
 * c->out: the server refuses the level, or does not answer.
 */
int isolation_set(struct conn *c, uint64_t until_ns);

#endif
