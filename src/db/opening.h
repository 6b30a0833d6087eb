/*
 * opening.h - a connection is opened for the first time.
 */
#ifndef BENCH_DB_OPENING_H
#define BENCH_DB_OPENING_H

#include "db/conn_state.h"

/*
 * Within --db-connect-timeout; WAITS.  -1: failed and reported, the same reason
 * once for all threads.  Others wait a second at most for the first connection
 * of a run.
 */
int opening_try(struct conn *c);

#endif
