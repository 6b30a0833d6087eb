/*
 * env_conns.h - what concerns all connections of a thread: the end of an event,
 * and that of the thread.
 */
#ifndef BENCH_DB_ENV_CONNS_H
#define BENCH_DB_ENV_CONNS_H

#include "base/compiler.h"
#include "db/env.h"

struct conn;
struct err;

/* Ends and frees all connections, statements and drivers of the thread; no
 * pointer to one may be used afterwards. */
void env_done(struct db_env *env);

/* Whoever has used the connections and statements is gone: they stay open, with
 * what env_ping() needs, and nobody will execute the statements. */
void env_abandon(struct db_env *env);

/* Close the connections that are open (WAITS); the objects stay. */
void env_close(struct db_env *env);

/* Is a transaction open on a connection of the thread? */
bool env_has_trx(const struct db_env *env);

/* The worker has ended: close silently what is open (WAITS); the objects stay,
 * since finalizers may find them later. */
void env_shut(struct db_env *env);

/* The open event is about to be started again: rows of bulk inserts that it has
 * collected are dropped. */
void env_undo_attempt(struct db_env *env);

/*
 * The event, or another function of the script, has ended: results that are
 * still pending are read and dropped (WAITS).  NULL; or a connection on which a
 * failure was among them, or among those that were dropped before and no call
 * has reported it.  That is the connection's present failure then, and there
 * may be others: call it again.
 */
struct conn *env_settle_slow(struct db_env *env);
static inline struct conn *env_settle(struct db_env *env)
{
  return UNLIKELY(env->unread) ? env_settle_slow(env) : NULL;
}

/* What a worker does now has ended (WAITS): a session of a pool goes back.
 * `well`: its transactions should have ended, too. */
void env_work_ended(struct db_env *env, bool well);

/* The same for an event, after which another may start; env_between() does it
 * where there is more to do. */
static inline void env_event_ended(struct db_env *env)
{
  if (UNLIKELY(env->leased != NULL) && !env->between)
    env_work_ended(env, true);
}

/*
 * Has this worker something to do between its events: connections that options
 * replace from time to time, backends that they ask for their number?  `index`
 * tells workers apart.
 */
bool env_start_between(struct db_env *env, uint64_t seed, uint64_t index);

/* After each event of such a worker, which has settled: do it (WAITS). */
void env_between(struct db_env *env);

/* A client that is idle: ask its servers for a sign of life (WAITS).  -EIO: one
 * has none, and no list of errors ignores that. */
int env_ping(struct db_env *env, struct err *err);

/*
 * A client of a storm comes: init() opens its connections (WAITS).  If that
 * fails, the run goes on without the client, and *err has the reason that the
 * server gave.  -ECANCELED: the run has ended while it waited for its turn.
 */
int env_arrive(struct db_env *env, int (*init)(void *ctx, struct err *err),
               void *ctx, struct err *err);

/* The event is given up, with its rows, its pending results, and the
 * transactions in which it has failed. */
void env_undo_event(struct db_env *env);

#endif
