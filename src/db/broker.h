/*
 * broker.h - which connection has which session (for src/db only).
 *
 * A connection of its own keeps one session from broker_open() to
 * broker_close().  With --pool, the clients of a thread share sessions: a
 * connection is CONN_AWAY until its first statement in an event, or in another
 * function of a script, acquires a session, and the end of the event or the
 * function releases it.  Whoever finds no free session waits in a queue, and
 * the longest wait ends first.  The wait is part of the event, and a class.
 *
 * A pool belongs to one thread: nothing in it is locked.
 */
#ifndef BENCH_DB_BROKER_H
#define BENCH_DB_BROKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "db/conn_state.h"

/*
 * Makes a connection and opens it; WAITS.  `params` may be NULL.  With a pool,
 * a session that is open already needs no opening.  NULL: the connection could
 * not be opened, and FATAL lines were logged.
 */
struct conn *broker_open(struct driver_handle *h,
                         const struct conn_params *params);

/*
 * The connection gets a session, if it has none; WAITS.  The session may be
 * CONN_LOST: nothing is opened.  False: the run was ended, or nobody can wait
 * here; conn_failure() says which.
 */
bool broker_take(struct conn *c);

/* The same before a statement: a session that is not open is opened. */
bool broker_acquire(struct conn *c);

/* With a pool: nothing of the client is left in its session; WAITS. */
void broker_clean(struct db_env *env);

/* With a pool: the client's lease ends, if it has one; WAITS for
 * broker_clean(). */
void broker_release_slow(struct db_env *env);
static inline void broker_release(struct db_env *env)
{
  if (UNLIKELY(env->leased != NULL))
    broker_release_slow(env);
}

/* The connection is closed: its own session is, a shared one is released. */
void broker_close(struct conn *c);

/* Warn of a statement that may leave something in a shared session: once for
 * each kind. */
void broker_look_slow(struct conn *c, const char *sql, size_t len);
static inline void broker_look(struct conn *c, const char *sql, size_t len)
{
  if (UNLIKELY(c->pool != NULL))
    broker_look_slow(c, sql, len);
}

/* The env uses its pool no more; the last one closes the sessions. */
void broker_leave(struct db_env *env);

enum {
  LEFTOVERS_MAX = 32
};

/*
 * Judged by its first words; `dialect`: enum emul_flags.  -1: nothing.  Or the
 * number of its kind, below LEFTOVERS_MAX; *ret says in words what it is
 * (static).
 */
int broker_leftover(const char *sql, size_t len, unsigned dialect,
                    const char **ret);

#endif
