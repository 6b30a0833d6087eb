/*
 * broker.h - which connection has which session (for src/db only).
 *
 * A connection of its own keeps a session from broker_open() to broker_close().
 * With --pool the clients of a thread share sessions: a connection is CONN_AWAY
 * until the first statement of an event, or of another function of a script,
 * acquires a session; the end of the event or function releases it.  Without a
 * free session it waits, first come, first served; the wait is a part of the
 * event, and a class.  A pool belongs to one thread: no locks.
 */
#ifndef BENCH_DB_BROKER_H
#define BENCH_DB_BROKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "db/conn_state.h"

/* Make a connection and open it; WAITS.  `params` may be NULL.  NULL after
 * FATAL lines. */
struct conn *broker_open(struct driver_handle *h,
                         const struct conn_params *params);

/* Get a session, unless there is one; WAITS.  The session may be CONN_LOST.
 * False: the run was ended, or nobody can wait here; see conn_failure(). */
bool broker_take(struct conn *c);

/* Before a statement: also opens the session. */
bool broker_acquire(struct conn *c);

/* With a pool: leave nothing in the session; WAITS. */
void broker_clean(struct db_env *env);

/* With a pool: the lease ends, if any; WAITS as broker_clean(). */
void broker_release_slow(struct db_env *env);
static inline void broker_release(struct db_env *env)
{
  if (UNLIKELY(env->leased != NULL))
    broker_release_slow(env);
}

/* Close the own session, or release a shared one. */
void broker_close(struct conn *c);

/* Warn of statements that leave something in a shared session, once per
 * kind. */
void broker_look_slow(struct conn *c, const char *sql, size_t len);
static inline void broker_look(struct conn *c, const char *sql, size_t len)
{
  if (UNLIKELY(c->pool != NULL))
    broker_look_slow(c, sql, len);
}

/* The env leaves its pool; the last one closes the sessions. */
void broker_leave(struct db_env *env);

enum {
  LEFTOVERS_MAX = 32
};

/* By the first words; `dialect`: enum emul_flags.  -1: nothing is left; or the
 * number of the kind, and *ret in words (static). */
int broker_leftover(const char *sql, size_t len, unsigned dialect,
                    const char **ret);

#endif
