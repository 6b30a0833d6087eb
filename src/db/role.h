/*
 * role.h - the role of --server-role, and a command's one server (for src/db
 * only).
 */
#ifndef BENCH_DB_ROLE_H
#define BENCH_DB_ROLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "db/conn_state.h"

/* False outside the options' lists, and in a dry run. */
bool role_matters(const struct conn *c);

/* For the open session; WAITS until `until_ns` (clock_now_ns()). -1 and c->out:
 * another role (`other_role`), or no answer. */
int role_check(struct conn *c, uint64_t until_ns);

/* Without --server-role.  Also true without a role in the answer; false if the
 * session breaks or the server refuses. */
bool role_takes_writes(struct conn *c, uint64_t until_ns);

/* After `other_role`.  False only if the server follows none.  WAITS; changes
 * only `lost` of c->out. */
bool role_may_be_behind(struct conn *c, uint64_t until_ns);

static inline size_t role_servers(const struct conn *c)
{
  const struct driver *d = c->driver;

  return d->servers ? d->servers(c->handle->cfg) : 1;
}

static inline bool role_cache_applies(const struct conn *c)
{
  return c->env->process->one_server && conn_is_listed(c) &&
         role_servers(c) > 1;
}

/* db_process.settled: where a search has ended. */
static inline uint64_t role_cache_load(const struct conn *c)
{
  return atomic_load_explicit(&c->env->process->settled, memory_order_acquire);
}

static inline void role_cache_store(const struct conn *c, bool writes)
{
  atomic_store_explicit(&c->env->process->settled,
                        (c->session->number + c->session->attempt + 1) << 1 |
                          writes,
                        memory_order_release);
}

static inline void role_cache_aim(struct conn *c, uint64_t settled)
{
  /* Never 0, which means the first connection of the process. */
  c->session->number = (settled >> 1) - 1 + role_servers(c);
  c->session->attempt = c->first = 0;
}

static inline bool role_cache_writes(uint64_t settled)
{
  return settled & 1;
}

#endif
