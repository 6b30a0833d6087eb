/*
 * env_conns.h - all connections of a thread: at the end of an event, and of the
 * thread.
 */
#ifndef BENCH_DB_ENV_CONNS_H
#define BENCH_DB_ENV_CONNS_H

#include "base/compiler.h"
#include "db/env.h"

struct conn;
struct err;

/* End and free all connections, statements and drivers of the thread. */
void env_done(struct db_env *env);

/* The user of connections and statements is gone: connections stay open for
 * env_ping(), and nobody will execute the statements. */
void env_abandon(struct db_env *env);

/* Close open connections (WAITS); the objects stay. */
void env_close(struct db_env *env);

bool env_has_trx(const struct db_env *env);

/* The worker has ended: close silently (WAITS); objects stay, as finalizers may
 * find them. */
void env_shut(struct db_env *env);

/* Before the open event starts again: drop its rows of bulk inserts. */
void env_undo_attempt(struct db_env *env);

/*
 * After an event or another function of the script: read and drop pending
 * results (WAITS).  NULL; or a connection with an unreported failure among them
 * or earlier ones, which becomes its present failure.  Call again for others.
 */
struct conn *env_settle_slow(struct db_env *env);
static inline struct conn *env_settle(struct db_env *env)
{
  return UNLIKELY(env->unread) ? env_settle_slow(env) : NULL;
}

/* The worker's present work has ended (WAITS): a pool's session goes back.
 * `well`: its transactions should have ended. */
void env_work_ended(struct db_env *env, bool well);

/* The same after an event, unless env_between() does it. */
static inline void env_event_ended(struct db_env *env)
{
  if (UNLIKELY(env->leased != NULL) && !env->between)
    env_work_ended(env, true);
}

/* Does this worker replace connections or ask backends between its events?
 * `index` tells workers apart. */
bool env_start_between(struct db_env *env, uint64_t seed, uint64_t index);

/* After each settled event of such a worker (WAITS). */
void env_between(struct db_env *env);

/* An idle client asks its servers for a sign of life (WAITS).  -EIO: a server
 * gave none, and no list ignores that. */
int env_ping(struct db_env *env, struct err *err);

/*
 * A client of a storm comes: init() opens its connections (WAITS).  If that
 * fails, the run goes on without the client; *err has the server's reason.
 * -ECANCELED: the run ended first.
 */
int env_arrive(struct db_env *env, int (*init)(void *ctx, struct err *err),
               void *ctx, struct err *err);

/* The event is given up: its rows, pending results and failed transactions. */
void env_undo_event(struct db_env *env);

#endif
