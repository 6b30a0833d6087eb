#include "db/broker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "db/call.h"
#include "db/conn_message.h"
#include "db/emul.h"
#include "db/opening.h"
#include "db/pool.h"
#include "db/recover.h"
#include "db/transport.h"
#include "loop/fiber.h"

/* ---- leftovers of statements ---- */

static const char *const passing[] = {
  "CONSTRAINTS",  "GLOBAL",    "LOCAL",       "PASSWORD", "PERSIST",
  "PERSIST_ONLY", "STATEMENT", "TRANSACTION", NULL
};
static const char *const temporary[] = { "TEMP", "TEMPORARY", NULL };

static const struct {
  const char *word, *what;
  const char *const *only;
  const char *const *but;
  bool by_commit; /* with $1 dialects the transaction ends it */
} kinds[] = {
  { "SET", "a setting", NULL, passing, false },
  { "USE", "another database", NULL, NULL, false },
  { "LOCK", "locks", NULL, NULL, true },
  { "CREATE", "a temporary table", temporary, NULL, false },
  { "PREPARE", "a prepared statement", NULL, NULL, false },
  { "LISTEN", "a subscription", NULL, NULL, false },
  { "HANDLER", "an open table", NULL, NULL, false },
  { "ATTACH", "an attached database", NULL, NULL, false },
  { "PRAGMA", "a setting", NULL, NULL, false },
};

_Static_assert(ARRAY_SIZE(kinds) <= LEFTOVERS_MAX, "kinds have numbers");

static bool broker_is_among(const char *const *words, const char *word,
                            size_t n)
{
  while (*words && !emul_word_is(word, n, *words))
    words++;
  return *words != NULL;
}

int broker_leftover(const char *sql, size_t len, unsigned dialect,
                    const char **ret)
{
  size_t n, second_n = 0;
  const char *word = emul_first_word(sql, len, dialect, &n);
  const char *second;

  for (size_t i = 0; n > 0 && i < ARRAY_SIZE(kinds); i++) {
    if (!emul_word_is(word, n, kinds[i].word))
      continue;
    second = emul_first_word(word + n, len - (size_t)(word + n - sql), dialect,
                             &second_n);
    if ((kinds[i].only && !broker_is_among(kinds[i].only, second, second_n)) ||
        (kinds[i].but && broker_is_among(kinds[i].but, second, second_n)) ||
        (kinds[i].by_commit && dialect & EMUL_DOLLAR))
      return -1;
    *ret = kinds[i].what;
    return (int)i;
  }
  return -1;
}

/* ---- the queue ---- */

/* NULL: no memory. */
static struct session *broker_new_session(const struct driver_handle *h)
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

static struct pool_session *broker_make_session(struct pool *p,
                                                const struct driver_handle *h)
{
  struct db_process *process = h->env->process;
  struct pool_session *s = &p->of[p->made];

  if (p->made == p->size)
    return NULL;
  s->session = broker_new_session(h);
  if (!s->session)
    return NULL;
  s->session->number = atomic_fetch_add_explicit(&process->next_number, 1,
                                                 memory_order_relaxed);
  watch_add(&process->watch, &s->watched, s->session, true);
  p->made++;
  return s;
}

static struct pool_session *broker_take_free(struct pool *p)
{
  struct pool_session *s = p->free;

  if (!s)
    return NULL;
  p->free = s->next;
  if (!p->free)
    p->free_end = &p->free;
  return s;
}

static void broker_put_back(struct pool *p, struct pool_session *s)
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

/* NULL: the client must not wait here. */
static struct pool_session *broker_wait_for_one(struct db_env *env)
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

/* Includes leases without a wait: percentiles are those of all. */
static void broker_note_wait(struct db_env *env, uint64_t ns, bool waited)
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

static void broker_attach(struct conn *c, struct pool_session *s)
{
  c->lease = s;
  c->session = s->session;
  c->session->env = c->env;
  c->session->params = &c->params;
  c->watched = &s->watched;
  if (++c->generation == 0) /* 0: no session */
    c->generation = 1;
  c->first = s->first;
  c->sizes = s->sizes;
  c->sized = s->sized ? c->generation : 0;
  c->state = s->open ? CONN_IDLE : CONN_LOST;
  c->env->leased = c;
}

static void broker_note_loss(const struct conn *c, struct pool_session *s)
{
  char name[16];

  if (!c->fail.lost) {
    (void)snprintf(s->lost, sizeof(s->lost), "it was closed");
    return;
  }
  conn_error_name(c, name, sizeof(name));
  (void)snprintf(s->lost, sizeof(s->lost), "%s: %.120s", name, c->fail.text);
}

static void broker_detach(struct conn *c)
{
  struct pool *p = c->pool;
  struct pool_session *s = c->lease;

  s->open = conn_is_open(c);
  if (!s->open)
    broker_note_loss(c, s);
  s->first = c->first;
  s->sizes = c->sizes;
  s->sized = c->sized == c->generation;
  pool_stmts_release(&s->stmts);
  s->session->env = NULL;
  s->session->params = p->nobody->params;
  p->nobody->dialect = s->session->dialect;
  call_end_rows(c);
  c->lease = NULL;
  c->session = p->nobody;
  c->watched = &p->watched_nobody;
  c->state = CONN_AWAY;
  c->owed &= ~(unsigned)(CONN_OWES_ROLLBACK | CONN_OWES_CANCEL);
  c->env->leased = NULL;
  broker_put_back(p, s);
}

/* WAITS.  `fresh`: prefers a closed session.  False: conn_failure(). */
static bool broker_take_any(struct conn *c, bool fresh)
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
    s = broker_make_session(p, c->handle);
  if (!s)
    s = broker_take_free(p);
  if (!s)
    s = broker_make_session(p, c->handle);
  if (!s && p->made < p->size) { /* nobody to wait for */
    call_misuse(c, "not enough memory for a connection of the pool");
    return false;
  }
  if (!s) {
    const uint64_t start = clock_now_ns();

    waits = true;
    s = broker_wait_for_one(env);
    wait_ns = clock_now_ns() - start;
  }
  if (!s) {
    call_misuse(c, "no connection of the pool is free, and this place cannot "
                   "wait for one (--pool)");
    return false;
  }
  broker_note_wait(env, wait_ns, waits);
  broker_attach(c, s);
  return true;
}

bool broker_take(struct conn *c)
{
  const struct db_process *p = c->env->process;

  if (!c->pool || c->lease)
    return true;
  if (!broker_take_any(c, false))
    return false;
  /* perhaps until after the end */
  if (conn_is_dead(c) || (env_in_event(c->env) && atomic_load(p->over) != 0)) {
    broker_detach(c);
    call_abandon(c);
    return false;
  }
  return true;
}

bool broker_acquire(struct conn *c)
{
  if (!broker_take(c))
    return false;
  if (c->state != CONN_LOST)
    return true;
  if (env_has_to_leave(c->env, clock_now_ns()))
    call_abandon(c);
  else if (recover_reopen(c, c->lease->lost))
    return true;
  broker_detach(c);
  return false;
}

void broker_release_slow(struct db_env *env)
{
  broker_clean(env);
  broker_detach(env->leased);
}

/* ---- a client's leftovers in a shared session ---- */

static bool broker_roll_back(struct conn *c)
{
  struct db_process *p = c->env->process;
  const bool marked = c->owed & CONN_OWES_ROLLBACK;

  if (call_own(c, "ROLLBACK") < 0)
    return false;
  c->owed &= ~(unsigned)CONN_OWES_ROLLBACK;
  if (marked) /* left by a failure */
    return true;
  pool_figure(&c->pool->figures.rolled_back, 1);
  if (!atomic_flag_test_and_set(&p->pool_told))
    log_msg(LOG_WARNING,
            "a transaction that was open at the end of an event was rolled "
            "back: its connection goes to another client (--pool)");
  return true;
}

static bool broker_make_clean(struct conn *c)
{
  if (call_drain(c) < 0 && c->out.lost)
    return false;
  if (c->owed & CONN_OWES_CANCEL && !call_pass_cancel(c) && c->out.lost)
    return false;
  return (c->session->trx == TRX_NONE && !(c->owed & CONN_OWES_ROLLBACK)) ||
         broker_roll_back(c);
}

static void broker_clean_leased(struct db_env *env, struct conn *c)
{
  (void)env;
  if (!conn_is_open(c))
    return;
  if (conn_is_dead(c) || c->copies) {
    transport_drop(c);
    return;
  }
  if (broker_make_clean(c))
    return;
  if (c->out.lost || recover_refused(c))
    recover_failed_late(c, CALL_ROLLBACK, "ROLLBACK", strlen("ROLLBACK"));
  else
    transport_drop(c);
}

void broker_clean(struct db_env *env)
{
  if (env->leased)
    env_as_in_event(env, env->leased, broker_clean_leased);
}

void broker_look_slow(struct conn *c, const char *sql, size_t len)
{
  enum {
    SHOWN = 60
  };
  struct db_process *p = c->env->process;
  const char *what;
  const int kind = broker_leftover(sql, len, c->session->dialect, &what);
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

/* ---- connections come and go ---- */

static bool broker_join(struct pool *p, struct driver_handle *h)
{
  const struct watch *w = &h->env->process->watch;

  if (!p->nobody) {
    p->nobody = broker_new_session(h);
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

/* False after a FATAL line. */
static bool broker_is_possible(const struct driver_handle *h,
                               const struct conn_params *params)
{
  const struct pool *p = h->env->pool;
  const char *why = NULL;

  if (params && (params->host || params->port || params->socket ||
                 params->user || params->password || params->db))
    why = "a connection with parameters of its own, and those that are "
          "shared are all the same";
  for (const struct conn *c = h->env->first; c; c = c->next) {
    if (c->pool && !conn_is_closed(c))
      why = "a second connection, and a client that shares one can have no "
            "other";
  }
  if (why) {
    log_msg(LOG_FATAL, "--pool: the script opens %s", why);
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

struct conn *broker_open(struct driver_handle *h,
                         const struct conn_params *params)
{
  struct db_env *env = h->env;
  struct conn *c;

  if (!broker_is_possible(h, params)) {
    env->reported = true;
    return NULL;
  }
  c = broker_join(env->pool, h) ? conn_new_pooled(h) : NULL;
  if (!c) {
    log_msg(LOG_FATAL, "not enough memory for a connection");
    return NULL;
  }
  if (!broker_take_any(c, true)) {
    log_msg(LOG_FATAL, "%s", c->fail.api_error);
    conn_unref(c);
    return NULL;
  }
  if (c->state == CONN_IDLE)
    return c;
  c->state = CONN_CLOSED;
  if (opening_try(c) == 0)
    return c;
  broker_detach(c);
  conn_unref(c);
  return NULL;
}

void broker_close(struct conn *c)
{
  if (!c->pool)
    transport_drop(c);
  else if (c->lease)
    broker_release(c->env);
}

static void broker_close_session(struct pool *p, struct pool_session *s,
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
  session_free(s->session);
  *s = (struct pool_session){ NULL };
}

void broker_leave(struct db_env *env)
{
  struct pool *p = env->pool;

  if (!env->in_pool)
    return;
  env->in_pool = false;
  if (--p->users > 0)
    return;
  for (unsigned i = 0; i < p->made; i++)
    broker_close_session(p, &p->of[i], env);
  p->made = 0;
  p->free = NULL;
  p->free_end = &p->free;
  free(p->nobody);
  p->nobody = NULL;
  p->driver = NULL;
}
