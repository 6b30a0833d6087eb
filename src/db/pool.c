/*
 * pool.c - the clients of a thread share sessions.
 */
#include "db/pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "db/call.h"
#include "db/conn_message.h"
#include "db/leftover.h"
#include "db/opening.h"
#include "db/pool_stmts.h"
#include "db/recover.h"
#include "db/transport.h"
#include "loop/fiber.h"

static void add(_Atomic uint64_t *figure, uint64_t n)
{
  atomic_store_explicit(figure,
                        atomic_load_explicit(figure, memory_order_relaxed) + n,
                        memory_order_relaxed);
}

/* ---- sessions ---- */

static struct session *new_session(const struct driver_handle *h)
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

/* The first client of the thread has come, or one more. */
static bool join(struct pool *p, struct driver_handle *h)
{
  const struct watch *w = &h->env->process->watch;

  if (!p->nobody) {
    p->nobody = new_session(h);
    if (!p->nobody)
      return false;
    p->driver = h->driver;
    p->watched_nobody.driver = h->driver;
    p->watched_nobody.session = p->nobody;
    p->watched_nobody.deadline = watch_deadline_of(w, true);
  }
  if (!h->env->in_pool) {
    h->env->in_pool = true;
    p->users++;
  }
  return true;
}

/* One that is not open.  NULL: there are enough, or no memory. */
static struct pool_session *make_session(struct pool *p,
                                         const struct driver_handle *h)
{
  struct db_process *process = h->env->process;
  struct pool_session *s = &p->of[p->made];

  if (p->made == p->size)
    return NULL;
  s->session = new_session(h);
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
  add(&f->leases, 1);
  if (!waited)
    return;
  add(&f->waits, 1);
  add(&f->wait_ns, ns);
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

static void detach(struct conn *c)
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

/* `fresh`: rather one that is not open yet. */
static bool take(struct conn *c, bool fresh)
{
  struct pool *p = c->pool;
  struct db_env *env = c->env;
  const uint64_t start = clock_now_ns();
  struct pool_session *s = NULL;
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
    waits = true;
    s = wait_for_one(env);
  }
  if (!s) {
    call_misuse(c, "no connection of the pool is free, and this place cannot "
                   "wait for one (--pool)");
    return false;
  }
  note_wait(env, waits ? clock_now_ns() - start : 0, waits);
  attach(c, s);
  return true;
}

bool pool_take(struct conn *c)
{
  const struct db_process *p = c->env->process;

  if (!take(c, false))
    return false;
  /* The others may have had it until after the end. */
  if (conn_is_dead(c) || (env_in_event(c->env) && atomic_load(p->over) != 0)) {
    detach(c);
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
  detach(c);
  return false;
}

/* ---- what the client leaves ---- */

static bool roll_back(struct conn *c)
{
  struct db_process *p = c->env->process;
  const bool marked = c->owed & CONN_OWES_ROLLBACK;

  if (call_rollback(c) < 0)
    return false;
  c->owed &= ~(unsigned)CONN_OWES_ROLLBACK;
  if (marked) /* a failure has left it, not the script */
    return true;
  add(&c->pool->figures.rolled_back, 1);
  if (!atomic_flag_test_and_set(&p->pool_told))
    log_msg(LOG_WARNING,
            "a transaction that was open at the end of an event was rolled "
            "back: its connection goes to another client (--pool)");
  return true;
}

static bool make_clean(struct conn *c)
{
  if (call_drain(c) < 0 && c->out.lost)
    return false;
  if (c->owed & CONN_OWES_CANCEL && !call_pass_cancel(c) && c->out.lost)
    return false;
  return (c->session->trx == TRX_NONE && !(c->owed & CONN_OWES_ROLLBACK)) ||
         roll_back(c);
}

static void clean(struct db_env *env, struct conn *c)
{
  (void)env;
  if (!conn_is_open(c))
    return;
  if (conn_is_dead(c) || c->copies) {
    transport_drop(c); /* it may be in the middle of anything */
    return;
  }
  if (make_clean(c))
    return;
  if (c->out.lost || recover_refused(c))
    recover_failed_late(c, CALL_ROLLBACK, "ROLLBACK", strlen("ROLLBACK"));
  else
    transport_drop(c);
}

void pool_clean(struct db_env *env)
{
  if (env->leased)
    env_as_in_event(env, env->leased, clean);
}

void pool_give_back_slow(struct db_env *env)
{
  pool_clean(env);
  detach(env->leased);
}

void pool_look(struct conn *c, const char *sql, size_t len)
{
  enum {
    SHOWN = 60
  };
  struct db_process *p = c->env->process;
  const char *what;
  const int kind = leftover_of(sql, len, c->session->dialect, &what);
  const unsigned bit = kind < 0 ? 0 : 1U << kind;

  if (kind < 0 ||
      atomic_fetch_or_explicit(&p->pool_leftovers, bit, memory_order_relaxed) &
        bit)
    return;
  log_msg(LOG_WARNING,
          "a statement leaves %s in one of the connections that the clients "
          "share (--pool), and the others do not have it: %.*s%s",
          what, len < SHOWN ? (int)len : SHOWN, sql, len < SHOWN ? "" : "...");
}

/* ---- the first and the last ---- */

/* False after a FATAL line. */
static bool is_possible(const struct driver_handle *h,
                        const struct conn_params *params)
{
  const struct pool *p = h->env->pool;

  for (const struct conn *c = h->env->first; c; c = c->next) {
    if (c->pool && !conn_is_closed(c)) {
      log_msg(LOG_FATAL,
              "--pool: the script opens a second connection, and a client of a "
              "pool can have one");
      return false;
    }
  }
  if (params && (params->host || params->port || params->socket ||
                 params->user || params->password || params->db)) {
    log_msg(LOG_FATAL,
            "--pool: the script opens a connection with parameters of its own, "
            "and those of a pool are all the same");
    return false;
  }
  if (p->driver && p->driver != h->driver) {
    log_msg(LOG_FATAL,
            "--pool: the script uses the drivers %s and %s, and the "
            "connections of a pool have one",
            p->driver->name, h->driver->name);
    return false;
  }
  return true;
}

struct conn *pool_connect(struct driver_handle *h,
                          const struct conn_params *params)
{
  struct db_env *env = h->env;
  struct conn *c;

  if (!is_possible(h, params)) {
    env->reported = true;
    return NULL;
  }
  c = join(env->pool, h) ? conn_new_pooled(h) : NULL;
  if (!c) {
    log_msg(LOG_FATAL, "not enough memory for a connection");
    return NULL;
  }
  if (!take(c, true)) {
    log_msg(LOG_FATAL, "%s", c->fail.api_error);
    conn_unref(c);
    return NULL;
  }
  if (c->state == CONN_IDLE)
    return c;
  c->state = CONN_CLOSED;
  if (opening_try(c) == 0)
    return c;
  detach(c);
  conn_unref(c);
  return NULL;
}

static void close_session(struct pool *p, struct pool_session *s,
                          struct db_env *env)
{
  s->session->env = env;
  if (s->open) {
    watch_closing(&s->watched);
    pool_stmts_clear(&s->stmts, p->driver);
    p->driver->disconnect(s->session);
  }
  pool_stmts_clear(&s->stmts, p->driver);
  watch_remove(&env->process->watch, &s->watched);
  free(s->session);
  *s = (struct pool_session){ NULL };
}

void pool_leave(struct db_env *env)
{
  struct pool *p = env->pool;

  if (!env->in_pool)
    return;
  env->in_pool = false;
  if (--p->users > 0)
    return;
  for (unsigned i = 0; i < p->made; i++)
    close_session(p, &p->of[i], env);
  p->made = 0;
  p->free = NULL;
  p->free_end = &p->free;
  free(p->nobody);
  p->nobody = NULL;
  p->driver = NULL;
}
