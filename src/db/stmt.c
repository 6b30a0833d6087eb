#include "db/stmt.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "db/broker.h"
#include "db/exec.h"
#include "db/pool.h"
#include "db/recover.h"
static void stmt_unprepare(struct conn *c, struct prepared *p, bool going)
{
  (void)call_start(c);
  c->driver->unprepare(p, going);
  call_stop(c);
}

static void stmt_free_prepared(struct stmt *st)
{
  struct conn_stmt *n = &st->native;

  if (n->shared)
    pool_stmts_remove(&st->conn->lease->stmts, n->shared);
  else if (!st->conn->pool)
    free(n->prepared);
  n->prepared = NULL;
  n->ready = false;
}

/* Scripts can point to the object. */
static void stmt_release(struct stmt *st)
{
  emul_scan_done(&st->scan);
  stmt_free_prepared(st);
  free(st->binds);
  free(st->sql);
  st->binds = NULL;
  st->sql = NULL;
  st->n_binds = 0;
  st->binds_room = 0;
  st->bound = false;
  st->quick = 0;
}

static struct stmt *stmt_new(struct conn *c, const char *sql, size_t len)
{
  struct stmt *st = mem_new(1, sizeof(*st));

  if (!st)
    return NULL;
  st->sql = mem_strndup(sql, len);
  if (!st->sql) {
    free(st);
    return NULL;
  }
  st->len = len;
  st->conn = c;
  st->pub.connection = conn_abi(c);
  st->native.next = c->stmts;
  if (st->native.next)
    st->native.next->prev = &st->native;
  c->stmts = &st->native;
  c->refs++;
  return st;
}

static bool stmt_emulate(struct stmt *st)
{
  if (emul_scan(&st->scan, st->sql, st->len, st->conn->session->dialect) < 0) {
    call_misuse(st->conn, "not enough memory");
    return false;
  }
  st->emulated = true;
  st->n_params = (unsigned)st->scan.n_params;
  stmt_free_prepared(st);
  atomic_store_explicit(&st->conn->env->process->emulated, true,
                        memory_order_relaxed);
  return true;
}

static bool stmt_refused(struct stmt *st)
{
  struct conn *c = st->conn;

  log_msg(LOG_INFO, "Failed to prepare query \"%s\" (%d: %s), using emulation",
          st->sql, c->out.code, c->out.msg ? c->out.msg : "");
  stmt_unprepare(c, st->native.prepared, false);
  return stmt_emulate(st);
}

static bool stmt_is_prepared(struct stmt *st)
{
  struct conn *c = st->conn;

  st->n_params = st->native.prepared->n_params;
  st->native.ready = true;
  st->generation = c->generation;
  atomic_store_explicit(&c->env->process->native, true, memory_order_relaxed);
  return true;
}

static void stmt_drop_surplus(struct conn *c)
{
  struct pool_stmts *shared = &c->lease->stmts;
  struct pool_stmt *old = pool_stmts_surplus(shared);

  if (!old)
    return;
  if (old->ready)
    stmt_unprepare(c, old->prepared, false);
  pool_stmts_remove(shared, old);
}

static bool stmt_make_prepared(struct stmt *st)
{
  struct conn *c = st->conn;
  const size_t size = c->driver->prepared_size;
  struct conn_stmt *n = &st->native;

  if (c->lease) {
    if (!pool_stmts_get(&c->lease->stmts, n, st->sql, st->len, size))
      return false;
    stmt_drop_surplus(c);
    return true;
  }
  if (!n->prepared)
    n->prepared = mem_new(1, size);
  return n->prepared != NULL;
}

/* Else emulated.  False: failed. */
static bool prepare(struct stmt *st)
{
  struct conn *c = st->conn;
  struct prepared *p;
  int rc;

  st->quick = 0;
  if (!stmt_make_prepared(st)) {
    call_misuse(c, "not enough memory");
    return false;
  }
  if (st->native.shared && st->native.shared->ready)
    return stmt_is_prepared(st);
  p = st->native.prepared;
  memset(p, 0, c->driver->prepared_size);
  p->session = c->session;
  p->sql = st->native.shared ? st->native.shared->sql : st->sql;
  p->len = st->len;
  (void)call_start(c);
  rc = call_prepare(c, p);
  call_stop(c);
  if (rc < 0 && c->out.emulate)
    return stmt_refused(st);
  if (rc < 0) {
    const struct outcome out = c->out; /* unprepare() changes it */

    c->driver->unprepare(p, out.lost);
    if (st->native.shared)
      stmt_free_prepared(st);
    c->out = out;
    recover_failed(c, CALL_PREPARE, st->sql, st->len);
    return false;
  }
  if (st->native.shared)
    st->native.shared->ready = true;
  return stmt_is_prepared(st);
}

struct stmt *stmt_prepare(struct conn *c, const char *sql, size_t len)
{
  const bool native = c->driver->caps & DRIVER_PREPARES &&
                      !ps_mode_is_text(c->env->process->set.ps_mode);
  struct stmt *st;

  if (exec_needs_care(c) && !exec_take_care(c, sql, len, true))
    return NULL;
  if (!(c->driver->caps & DRIVER_NUL_IN_SQL) && memchr(sql, '\0', len)) {
    call_misuse(c, "statement contains a NUL byte");
    return NULL;
  }
  broker_look(c, sql, len);
  st = stmt_new(c, sql, len);
  if (!st) {
    call_misuse(c, "not enough memory");
    return NULL;
  }
  if (native ? !prepare(st) : !stmt_emulate(st)) {
    stmt_free(st);
    return NULL;
  }
  call_no_error(c);
  return st;
}

/* ---- parameters ---- */

static bool stmt_bind_native(struct stmt *st)
{
  struct conn *c = st->conn;
  int rc;

  st->native.prepared->binds = st->binds;
  st->native.prepared->n_binds = (unsigned)st->n_binds;
  if (!c->driver->bind)
    return true;
  (void)call_start(c);
  rc = call_bind(c, st->native.prepared);
  call_stop(c);
  if (rc < 0)
    recover_failed(c, CALL_PREPARE, st->sql, st->len);
  return rc == 0;
}

static bool stmt_keep_binds(struct stmt *st, const sql_bind *binds, size_t n)
{
  if (n > st->binds_room) {
    sql_bind *copy = reallocarray(st->binds, n, sizeof(*copy));

    if (!copy)
      return false;
    st->binds = copy;
    st->binds_room = n;
  }
  if (n > 0)
    memcpy(st->binds, binds, n * sizeof(*binds));
  st->n_binds = n;
  st->bound = true;
  st->binding++;
  return true;
}

/* To be prepared again. */
static void stmt_discard(struct stmt *st)
{
  struct conn *c = st->conn;

  if (!st->native.ready)
    return;
  stmt_unprepare(c, st->native.prepared, !conn_is_open(c));
  st->native.ready = false;
  if (st->native.shared)
    stmt_free_prepared(st);
}

bool stmt_ready(struct stmt *st)
{
  if (st->emulated ||
      (st->native.ready && st->generation == st->conn->generation))
    return true;
  if (!prepare(st))
    return false;
  if (st->emulated || !st->bound || stmt_bind_native(st))
    return true;
  stmt_discard(st);
  return false;
}

static bool stmt_usable(struct stmt *st)
{
  if (st->closed)
    call_misuse(st->conn, "attempt to use a closed statement");
  return !st->closed;
}

/* After a loss the parameters stay for the next execution. */
int stmt_bind(struct stmt *st, const sql_bind *binds, size_t n)
{
  struct conn *c = st->conn;

  if (!stmt_usable(st))
    return 1;
  st->quick = 0;
  if (exec_needs_care(c) && !exec_take_care(c, "", 0, true))
    return 1;
  if (!st->emulated && !st->native.ready && !stmt_ready(st)) {
    if (!st->native.ready && st->n_params == n && emul_can_send(binds, n))
      (void)stmt_keep_binds(st, binds, n);
    return 1;
  }
  if (st->n_params != PARAMS_ANY && st->n_params != n) {
    log_msg(LOG_ALERT, "wrong number of parameters in prepared statement");
    call_misuse(c, "wrong number of parameters");
    return 1;
  }
  if (!emul_can_send(binds, n)) {
    call_misuse(c, "unsupported type of a parameter");
    return 1;
  }
  if (!stmt_keep_binds(st, binds, n)) {
    call_misuse(c, "not enough memory");
    return 1;
  }
  if (!st->emulated && !stmt_bind_native(st)) {
    st->bound = !st->native.ready;
    return 1;
  }
  call_no_error(c);
  return 0;
}

void stmt_unbind(struct stmt *st)
{
  if (st->native.prepared && st->native.ready) {
    st->native.prepared->binds = NULL;
    st->native.prepared->n_binds = 0;
  }
  free(st->binds);
  st->binds = NULL;
  st->n_binds = 0;
  st->binds_room = 0;
  st->bound = false;
  st->quick = 0;
}

/* ---- execution ---- */

static sql_result *stmt_ended(struct stmt *st, enum call call,
                              uint64_t start_ns, int rc)
{
  const struct exec info = { .call = call,
                             .stmt = stmt_abi(st),
                             .cls = st->cls,
                             .sql = st->sql,
                             .len = st->len,
                             .start_ns = start_ns };

  return exec_end(st->conn, rc, &info);
}

static sql_result *stmt_execute_emulated(struct stmt *st)
{
  struct conn *c = st->conn;
  uint64_t start;
  int rc;

  if (!exec_literals(c, &st->scan, st->sql, st->len, st->binds, st->n_binds))
    return NULL;
  start = call_start(c);
  rc = call_query(c, c->text.text ? c->text.text : "", c->text.len);
  call_stop(c);
  if (exec_is_plain(c, rc, start))
    return exec_end_plain(c, stmt_abi(st));
  return stmt_ended(st, CALL_QUERY, start, rc);
}

/* False: emulated, or failed; *ret is the result. */
static bool stmt_make_quick(struct stmt *st, sql_result **ret)
{
  struct conn *c = st->conn;

  *ret = NULL;
  if (UNLIKELY(!stmt_usable(st)))
    return false;
  if (exec_needs_care(c) && !exec_take_care(c, st->sql, st->len, false))
    return false;
  call_idle(c);
  if (UNLIKELY(!st->bound && st->n_params != 0 && st->n_params != PARAMS_ANY)) {
    call_misuse(c, "parameters are not bound");
    return false;
  }
  if (UNLIKELY(!st->emulated && !stmt_ready(st)))
    return false;
  if (st->emulated) {
    *ret = stmt_execute_emulated(st);
    return false;
  }
  st->quick = c->generation;
  return true;
}

static inline sql_result *execute(struct stmt *st)
{
  struct conn *c = st->conn;
  sql_result *rs;
  uint64_t start;
  int rc;

  if ((UNLIKELY(st->quick != c->generation) || exec_needs_care(c)) &&
      !stmt_make_quick(st, &rs))
    return rs;
  start = call_start(c);
  rc = call_execute(c, st->native.prepared);
  call_stop(c);
  if (exec_is_plain(c, rc, start))
    return exec_end_plain(c, stmt_abi(st));
  return stmt_ended(st, CALL_EXECUTE, start, rc);
}

sql_result *stmt_execute(struct stmt *st)
{
  return execute(st);
}

bool stmt_run(struct stmt *st)
{
  struct conn *c = st->conn;
  bool done;

  if (UNLIKELY(c->state == CONN_AWAY) && !exec_take_care(c, "", 0, false))
    return false;
  c->session->unread = true;
  done = execute(st) || c->pub.error == DB_ERROR_NONE;
  c->session->unread = false;
  call_end_rows(c);
  return done;
}

sql_result *stmt_next_result(struct stmt *st)
{
  if (!stmt_usable(st))
    return NULL;
  return exec_next(st->conn, st->emulated ? CALL_NEXT : CALL_STMT_NEXT,
                   stmt_abi(st));
}

/* ---- the end ---- */

/* `keep_rows` of other statements: the garbage collector can free this object
 * while the script reads them. */
static void stmt_close_quietly(struct stmt *st, bool keep_rows)
{
  struct conn *c = st->conn;

  if (st->closed)
    return;
  if (!keep_rows || conn_has_more(c) || c->rs.statement == stmt_abi(st))
    (void)recover_drain(c);
  if (conn_is_open(c) && st->native.ready && st->native.prepared)
    stmt_unprepare(c, st->native.prepared, false);
  stmt_release(st);
  st->closed = true;
}

int stmt_close(struct stmt *st)
{
  if (!st->closed && conn_is_closed(st->conn))
    log_msg(LOG_ALERT, "attempt to use an already closed connection");
  stmt_close_quietly(st, false);
  return 0;
}

void stmt_free(struct stmt *st)
{
  struct conn *c;

  if (!st)
    return;
  c = st->conn;
  stmt_close_quietly(st, true);
  if (st->native.prev)
    st->native.prev->next = st->native.next;
  else
    c->stmts = st->native.next;
  if (st->native.next)
    st->native.next->prev = st->native.prev;
  free(st);
  conn_unref(c);
}
