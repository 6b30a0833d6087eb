/*
 * pool.h - the clients of a thread share sessions: --pool.
 *
 * A connection of such a client is CONN_AWAY until its first statement in an
 * event, or in another function of a script, leases a session.  The end of the
 * event or the function gives it back.  Whoever finds none that is free waits
 * in a queue, and the one who waits longest gets the next.  That time is part
 * of the event, and a class.
 *
 * A pool belongs to one thread: nothing in it is locked.
 */
#ifndef BENCH_DB_POOL_H
#define BENCH_DB_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "db/env.h"

struct conn;
struct conn_params;

/*
 * Makes the connection of a client, with a lease that opens a session if one is
 * not open yet; WAITS.  NULL: it failed, and FATAL lines were logged.
 */
struct conn *pool_connect(struct driver_handle *h,
                          const struct conn_params *params);

/*
 * The connection gets a session; WAITS for it.  It may be CONN_LOST: nothing is
 * opened.  False: the run was ended, or nobody can wait here; conn_failure()
 * says which.
 */
bool pool_take(struct conn *c);

/* The same before a statement: one that is not open is opened. */
bool pool_lease(struct conn *c);

/* Nothing of the client is left in the session that it has; WAITS. */
void pool_clean(struct db_env *env);

/* The client's lease ends, if it has one; WAITS for pool_clean(). */
void pool_give_back_slow(struct db_env *env);
static inline void pool_give_back(struct db_env *env)
{
  if (UNLIKELY(env->leased != NULL))
    pool_give_back_slow(env);
}

/* A statement of the client, which may leave something in the session: that is
 * said once for each kind. */
void pool_look(struct conn *c, const char *sql, size_t len);

/* The env uses its pool no more; the last one closes the sessions. */
void pool_leave(struct db_env *env);

#endif
