/*
 * pool.c - the clients of a thread share sessions: the queue and the leases.
 */
#include "db/pool.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "db/call.h"
#include "db/conn_message.h"
#include "db/pool_queue.h"
#include "db/pool_stmts.h"
#include "db/recover.h"
#include "loop/fiber.h"

/* ---- the queue ---- */

struct session *pool_new_session(const struct driver_handle *h)
{
  static const struct conn_params none = { NULL };
  struct session *s = mem_new(1, h->driver->session_size);

  if (!s)
    return NULL;
  s->driver = h->driver;
  s->cfg = h->cfg;
  s->params = &none;
  s->dialect = h->driver->dialect;
  return s;
}

/* One that is not open.  NULL: there are enough, or no memory. */
static struct pool_session *make_session(struct pool *p,
                                         const struct driver_handle *h)
{
  struct db_process *process = h->env->process;
  struct pool_session *s = &p->of[p->made];

  if (p->made == p->size)
    return NULL;
  s->session = pool_new_session(h);
  if (!s->session)
    return NULL;
  s->session->number = atomic_fetch_add_explicit(&process->next_number, 1,
                                                 memory_order_relaxed);
  watch_add(&process->watch, &s->watched, s->session, true);
  p->made++;
  return s;
}

static struct pool_session *take_free(struct pool *p)
{
  struct pool_session *s = p->free;

  if (!s)
    return NULL;
  p->free = s->next;
  if (!p->free)
    p->free_end = &p->free;
  return s;
}

/* Whoever waits longest gets it at once, so that nobody can be faster. */
static void put_back(struct pool *p, struct pool_session *s)
{
  struct pool_wait *w = p->waits;

  if (w) {
    p->waits = w->next;
    if (!p->waits)
      p->waits_end = &p->waits;
    w->got = s;
    fiber_wake(w->fiber);
    return;
  }
  s->next = NULL;
  *p->free_end = s;
  p->free_end = &s->next;
}

/* NULL: this is no place where a client can wait. */
static struct pool_session *wait_for_one(struct db_env *env)
{
  struct pool *p = env->pool;
  struct pool_wait *w = &env->pool_wait;

  *w = (struct pool_wait){ .fiber = fiber_parkable() };
  if (!w->fiber)
    return NULL;
  *p->waits_end = w;
  p->waits_end = &w->next;
  while (!w->got)
    fiber_sleep();
  return w->got;
}

/* ---- the lease ---- */

/* Events without a wait are in the class as well: its percentiles are those of
 * all leases. */
static void note_wait(struct db_env *env, uint64_t ns, bool waited)
{
  static const char name[] = "pool wait";
  const struct stmt_sample sample = { .failed = false };
  struct pool_figures *f = &env->pool->figures;

  if (env->on_statement)
    env->on_statement(env->on_statement_ctx, NULL, name, strlen(name), ns,
                      &sample);
  if (!env->counted || !*env->counted || !env->recorder)
    return;
  pool_figure(&f->leases, 1);
  if (!waited)
    return;
  pool_figure(&f->waits, 1);
  pool_figure(&f->wait_ns, ns);
  max_atomic_u64(&f->longest_ns, ns);
}

static void attach(struct conn *c, struct pool_session *s)
{
  c->lease = s;
  c->session = s->session;
  c->session->env = c->env;
  c->session->params = &c->params;
  c->watched = &s->watched;
  if (++c->generation == 0) /* which is none */
    c->generation = 1;
  c->first = s->first;
  c->sizes = s->sizes;
  c->sized = s->sized ? c->generation : 0;
  c->state = s->open ? CONN_IDLE : CONN_LOST;
  c->env->leased = c;
}

/* The next client that leases the session says it again. */
static void note_loss(const struct conn *c, struct pool_session *s)
{
  char name[16];

  if (!c->fail.lost) {
    (void)snprintf(s->lost, sizeof(s->lost), "it was closed");
    return;
  }
  conn_error_name(c, name, sizeof(name));
  (void)snprintf(s->lost, sizeof(s->lost), "%s: %.120s", name, c->fail.text);
}

void pool_detach(struct conn *c)
{
  struct pool *p = c->pool;
  struct pool_session *s = c->lease;

  s->open = conn_is_open(c);
  if (!s->open)
    note_loss(c, s);
  s->first = c->first;
  s->sizes = c->sizes;
  s->sized = c->sized == c->generation;
  pool_stmts_release(&s->stmts);
  s->session->env = NULL;
  s->session->params = p->nobody->params;
  p->nobody->dialect = s->session->dialect;
  call_end_rows(c); /* of a lost one nothing is left */
  c->lease = NULL;
  c->session = p->nobody;
  c->watched = &p->watched_nobody;
  c->state = CONN_AWAY;
  c->owed &= ~(unsigned)(CONN_OWES_ROLLBACK | CONN_OWES_CANCEL);
  c->env->leased = NULL;
  put_back(p, s);
}

bool pool_take_any(struct conn *c, bool fresh)
{
  struct pool *p = c->pool;
  struct db_env *env = c->env;
  struct pool_session *s = NULL;
  uint64_t wait_ns = 0;
  bool waits = false;

  if (env->leased) {
    call_misuse(c, "with --pool a client uses one connection at a time");
    return false;
  }
  if (fresh)
    s = make_session(p, c->handle);
  if (!s)
    s = take_free(p);
  if (!s)
    s = make_session(p, c->handle);
  if (!s && p->made < p->size) { /* nobody may be there to wait for */
    call_misuse(c, "not enough memory for a connection of the pool");
    return false;
  }
  if (!s) {
    const uint64_t start = clock_now_ns();

    waits = true;
    s = wait_for_one(env);
    wait_ns = clock_now_ns() - start;
  }
  if (!s) {
    call_misuse(c, "no connection of the pool is free, and this place cannot "
                   "wait for one (--pool)");
    return false;
  }
  note_wait(env, wait_ns, waits);
  attach(c, s);
  return true;
}

bool pool_take(struct conn *c)
{
  const struct db_process *p = c->env->process;

  if (!pool_take_any(c, false))
    return false;
  /* The others may have had it until after the end. */
  if (conn_is_dead(c) || (env_in_event(c->env) && atomic_load(p->over) != 0)) {
    pool_detach(c);
    call_abandon(c);
    return false;
  }
  return true;
}

bool pool_lease(struct conn *c)
{
  if (!pool_take(c))
    return false;
  if (c->state != CONN_LOST || recover_reopen(c, c->lease->lost))
    return true;
  pool_detach(c);
  return false;
}

void pool_give_back_slow(struct db_env *env)
{
  pool_clean(env);
  pool_detach(env->leased);
}
