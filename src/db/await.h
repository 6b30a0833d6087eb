/*
 * await.h - the wait for a server that is away at the end of a run.
 */
#ifndef BENCH_DB_AWAIT_H
#define BENCH_DB_AWAIT_H

#include <stdbool.h>

struct driver_handle;

/*
 * Can a connection be opened?  If the run ignores lost connections, it tries
 * again for --db-connect-timeout, otherwise once; BLOCKS.  What fails is not
 * reported.  With --target it is true: opening a connection waits for the role.
 */
bool await_server(struct driver_handle *h);

#endif
