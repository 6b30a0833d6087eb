/*
 * opening.h - a connection is opened for the first time.
 */
#ifndef BENCH_DB_OPENING_H
#define BENCH_DB_OPENING_H

#include "db/conn_state.h"

/*
 * Open it within --db-connect-timeout; WAITS.  -1: it failed, and that was
 * reported; the same reason only once for all threads.  The first connection of
 * a run is opened while the others wait, a second at most.
 */
int opening_try(struct conn *c);

#endif
