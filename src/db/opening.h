/*
 * opening.h - a connection's first opening.
 */
#ifndef BENCH_DB_OPENING_H
#define BENCH_DB_OPENING_H

#include "db/conn_state.h"

/* Within --db-connect-timeout; WAITS.  -1: failed and reported, each reason
 * once.  Others wait a second at most for the first connection of a run. */
int opening_try(struct conn *c);

#endif
