/*
 * env_conns.h - all connections of a thread.
 */
#ifndef BENCH_DB_ENV_CONNS_H
#define BENCH_DB_ENV_CONNS_H

#include "base/compiler.h"
#include "db/env.h"

struct conn;
struct err;

/* Also frees statements and drivers. */
void env_done(struct db_env *env);

/* Nobody will execute the statements; connections stay open for env_ping(). */
void env_abandon(struct db_env *env);

/* WAITS; objects stay. */
void env_close(struct db_env *env);

bool env_has_trx(const struct db_env *env);

/* The worker has ended (WAITS); objects stay for finalizers. */
void env_shut(struct db_env *env);

/* Before a restart: drops rows of bulk inserts. */
void env_undo_attempt(struct db_env *env);

/*
 * After an event or function: drops pending results (WAITS).  Returns NULL, or
 * a connection with an unreported failure, which is now its failure; then call
 * again.
 */
struct conn *env_settle_slow(struct db_env *env);
static inline struct conn *env_settle(struct db_env *env)
{
  return UNLIKELY(env->unread) ? env_settle_slow(env) : NULL;
}

/* WAITS.  `well`: transactions should have ended. */
void env_work_ended(struct db_env *env, bool well);

/* Unless env_between() does it. */
static inline void env_event_ended(struct db_env *env)
{
  if (UNLIKELY(env->leased != NULL) && !env->between)
    env_work_ended(env, true);
}

/* Is there work between events?  `index` distinguishes workers. */
bool env_start_between(struct db_env *env, uint64_t seed, uint64_t index);

/* After each settled event (WAITS). */
void env_between(struct db_env *env);

/* Asks idle servers (WAITS). -EIO: no answer, and no list ignores that. */
int env_ping(struct db_env *env, struct err *err);

/* A storm's client: init() opens its connections (WAITS).  A failure does not
 * end the run; *err has the server's reason. -ECANCELED: the run ended
 * first. */
int env_arrive(struct db_env *env, int (*init)(void *ctx, struct err *err),
               void *ctx, struct err *err);

/* With its rows, pending results and failed transactions. */
void env_undo_event(struct db_env *env);

#endif
