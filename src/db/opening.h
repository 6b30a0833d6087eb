/*
 * opening.h - a connection's first opening.
 */
#ifndef BENCH_DB_OPENING_H
#define BENCH_DB_OPENING_H

#include "db/conn_state.h"

/* Within --db-connect-timeout; WAITS. -1: failed; each reason was reported
 * once.  The first connection of a run goes alone, for at most a second. */
int opening_try(struct conn *c);

#endif
