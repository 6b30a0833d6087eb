/*
 * settled.h - the one server of a command (one_server in process.h): where it
 * was found (for src/db only).
 */
#ifndef BENCH_DB_SETTLED_H
#define BENCH_DB_SETTLED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "db/conn_state.h"

/* How many servers the lists have. */
static inline size_t settled_servers(const struct conn *c)
{
  const struct driver *d = c->driver;

  return d->servers ? d->servers(c->handle->cfg) : 1;
}

/* Does this connection go where all those of the command go? */
static inline bool settled_is_for(const struct conn *c)
{
  return c->env->process->one_server && conn_is_listed(c) &&
         settled_servers(c) > 1;
}

/* db_process.settled: where a search has ended.  No session that is opened on
 * the way, or later, changes it. */
static inline uint64_t settled_at(uint64_t number, bool writes)
{
  return (number + 1) << 1 | writes;
}

static inline uint64_t settled_load(const struct conn *c)
{
  return atomic_load_explicit(&c->env->process->settled, memory_order_acquire);
}

static inline void settled_store(const struct conn *c, bool writes)
{
  atomic_store_explicit(
    &c->env->process->settled,
    settled_at(c->session->number + c->session->attempt, writes),
    memory_order_release);
}

/* Attempts of this connection begin there. */
static inline void settled_aim(struct conn *c, uint64_t settled)
{
  /* Not 0: that is the first connection of the process. */
  c->session->number = (settled >> 1) - 1 + settled_servers(c);
  c->session->attempt = c->first = 0;
}

static inline bool settled_writes(uint64_t settled)
{
  return settled & 1;
}

#endif
