/*
 * pool_queue.h - sessions of a pool are taken and given back as they are (for
 * src/db/pool*.c only); see pool.h for what is done around that.
 */
#ifndef BENCH_DB_POOL_QUEUE_H
#define BENCH_DB_POOL_QUEUE_H

#include <stdbool.h>

struct conn;
struct driver_handle;
struct session;

/* A session of a pool, closed and without parameters.  NULL: no memory. */
struct session *pool_new_session(const struct driver_handle *h);

/* The connection gets a session; WAITS for it.  `fresh`: rather one that is not
 * open yet.  False: it failed, and conn_failure() says why. */
bool pool_take_any(struct conn *c, bool fresh);

/* The lease ends; whoever waits longest gets the session. */
void pool_detach(struct conn *c);

#endif
