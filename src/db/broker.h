/*
 * broker.h - which connection has which session (for src/db only).
 *
 * With --pool the clients of a thread share sessions.  The first statement of
 * an event, or of another function of a script, acquires a session; the end of
 * the event or function releases it.  Clients wait first come, first served,
 * inside the event.  Each pool belongs to one thread: no locks.
 */
#ifndef BENCH_DB_BROKER_H
#define BENCH_DB_BROKER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "db/conn_state.h"

struct conn *broker_open(struct driver_handle *h,
                         const struct conn_params *params);

/* Gets a session if needed; WAITS.  The session can be CONN_LOST.  False: the
 * run has ended, or nobody can wait here. */
bool broker_take(struct conn *c);

bool broker_acquire(struct conn *c);

/* Cleans up the session; WAITS. */
void broker_clean(struct db_env *env);

/* Ends the lease; WAITS as broker_clean(). */
void broker_release_slow(struct db_env *env);
static inline void broker_release(struct db_env *env)
{
  if (UNLIKELY(env->leased != NULL))
    broker_release_slow(env);
}

void broker_close(struct conn *c);

/* Warns once per kind of state that a statement leaves in a shared session. */
void broker_look_slow(struct conn *c, const char *sql, size_t len);
static inline void broker_look(struct conn *c, const char *sql, size_t len)
{
  if (UNLIKELY(c->pool != NULL))
    broker_look_slow(c, sql, len);
}

void broker_leave(struct db_env *env);

enum {
  LEFTOVERS_MAX = 32
};

/* Looks at the first words.  Returns -1, or the kind and *ret in words
 * (static). */
int broker_leftover(const char *sql, size_t len, unsigned dialect,
                    const char **ret);

#endif
