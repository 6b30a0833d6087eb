#include "db/bulk.h"

#include <string.h>

#include "base/compiler.h"
#include "base/log.h"
#include "db/call.h"
#include "db/conn.h"
#include "db/dialect.h"
#include "db/exec.h"
#include "db/recover.h"
#include "loop/loop.h"

static void bulk_rows_cut(struct bulk *b, uint64_t rows, size_t len)
{
  b->rows = rows;
  b->text.len = len;
  if (b->text.text)
    b->text.text[len] = '\0';
}

static void bulk_rows_mark(struct bulk *b, uint64_t event)
{
  b->event = event;
  b->event_rows = b->rows;
  b->event_len = b->text.len;
}

static void bulk_rows_rewind(struct bulk *b)
{
  bulk_rows_cut(b, 0, b->prefix_len);
  bulk_rows_mark(b, b->event);
}

static void bulk_rows_add(struct bulk *b, const char *row, size_t len)
{
  struct strbuf *text = &b->text;
  const bool more = b->rows > 0;
  char *to;

  if (UNLIKELY(len >= text->room || text->room - len - 1 <= text->len + more)) {
    if (more)
      strbuf_add(text, ",", 1);
    strbuf_add(text, row, len);
    return;
  }
  to = text->text + text->len;
  *to = ','; /* the first row overwrites it */
  memcpy(to + more, row, len);
  text->len += more + len;
  text->text[text->len] = '\0';
}

enum {
  TRIES_AT_ONCE = 10, /* then pauses of 1, 2, 4 .. 100 ms */
  PAUSE_MAX_MS = 100,
  TRIES_OUTSIDE = 100, /* about 9 s */
};

static bool bulk_is_last(const struct conn *c, unsigned tries)
{
  return tries >= TRIES_OUTSIDE && !env_in_event(c->env);
}

/* False: the run is over. */
static bool bulk_pause_after(struct conn *c, unsigned tries)
{
  struct db_process *p = c->env->process;
  uint64_t until = clock_now_ns();
  uint64_t ms = 1;

  if (env_has_to_leave(c->env, until)) {
    call_abandon(c);
    return false;
  }
  if (tries <= TRIES_AT_ONCE)
    return true;
  for (unsigned i = TRIES_AT_ONCE + 1; i < tries && ms < PAUSE_MAX_MS; i++)
    ms *= 2;
  until += (ms < PAUSE_MAX_MS ? ms : PAUSE_MAX_MS) * NS_PER_MS;
  while (clock_now_ns() < until && !env_has_to_leave(c->env, clock_now_ns()))
    loop_wait_while(&p->never, 0, until);
  return true;
}

/* Uncounted; repeats while the failure is ignorable. */
static int bulk_send_own(struct conn *c, const char *sql)
{
  for (unsigned tries = 1;; tries++) {
    int rc;

    if (exec_needs_care(c) && !exec_take_care(c, "", 0, false))
      return 1;
    (void)call_start(c);
    rc = call_query(c, sql, strlen(sql));
    call_stop(c);
    if (rc == 0)
      return 0;
    if (c->out.lost || !recover_ignorable(c) || bulk_is_last(c, tries)) {
      recover_failed(c, CALL_QUERY, sql, strlen(sql));
      return 1;
    }
    if (!bulk_pause_after(c, tries))
      return 1;
  }
}

static int bulk_begin_own(struct conn *c)
{
  struct bulk *b = &c->bulk;

  if (!(c->driver->caps & DRIVER_BULK_TRX) || c->env->process->in_run ||
      b->own_trx || c->session->trx != TRX_NONE)
    return 0;
  if (bulk_send_own(c, "BEGIN IMMEDIATE") != 0)
    return 1;
  b->own_trx = true;
  b->trx_rows = 0;
  return 0;
}

static int bulk_commit_own(struct conn *c)
{
  if (!c->bulk.own_trx)
    return 0;
  c->bulk.own_trx = false;
  if (c->session->trx == TRX_NONE)
    return 0;
  return bulk_send_own(c, "COMMIT");
}

/* With earlier rows, or statements of the script. */
static bool bulk_is_shared(const struct conn *c)
{
  const struct bulk *b = &c->bulk;

  return c->session->trx != TRX_NONE && (!b->own_trx || b->trx_rows > 0);
}

/* `shared`: the transaction has to be repeated as a whole. */
static bool bulk_undone(struct conn *c, bool shared)
{
  if (c->bulk.own_trx && c->session->trx != TRX_NONE) {
    c->owed &= ~(unsigned)CONN_OWES_ROLLBACK;
    return true;
  }
  return !shared && conn_restart(c) != DB_ERROR_FATAL;
}

static int bulk_send_packet(struct conn *c)
{
  struct bulk *b = &c->bulk;

  for (unsigned tries = 1;; tries++) {
    bool shared;

    if (bulk_begin_own(c) != 0)
      return 1;
    shared = bulk_is_shared(c);
    (void)conn_query(c, b->text.text, b->text.len);
    if (c->pub.error == DB_ERROR_NONE)
      break;
    if (c->pub.error == DB_ERROR_FATAL || !bulk_undone(c, shared) ||
        bulk_is_last(c, tries) || !bulk_pause_after(c, tries))
      return 1;
  }
  (void)recover_drain(c);
  b->trx_rows += b->rows;
  if (b->own_trx && b->trx_rows >= BULK_TRX_ROWS)
    return bulk_commit_own(c);
  return 0;
}

/* Earlier events were counted: their rows stay. */
static bool bulk_has_to_keep(const struct conn *c)
{
  return c->fail.abandoned ||
         (c->pub.error == DB_ERROR_IGNORABLE && env_in_event(c->env));
}

/* Measured rows count as measured, even if thread_done() sends them. */
static int bulk_flush(struct conn *c)
{
  struct db_env *env = c->env;
  struct recorder *now = env->recorder;
  int rc = 0;

  if (c->bulk.rows > 0) {
    if (!now)
      env->recorder = c->bulk.recorder;
    rc = bulk_send_packet(c);
    env->recorder = now;
  }
  if (rc != 0 && bulk_has_to_keep(c))
    return rc;
  c->bulk.recorder = NULL;
  bulk_rows_rewind(&c->bulk);
  return rc;
}

const struct statement_sizes *bulk_sizes(struct conn *c)
{
  static const struct statement_sizes usual = { .good = BULK_PACKET,
                                                .max = SIZE_MAX };
  const struct dialect *d = process_dialect(c->env->process);
  uint64_t until_ns;

  if (!conn_is_open(c) ||
      (!c->driver->statement_sizes && !(d && d->load_bytes)))
    return &usual;
  if (c->sized != c->generation) {
    c->sizes = usual;
    until_ns = call_ask(c);
    if (c->driver->statement_sizes)
      c->driver->statement_sizes(c->session, &c->sizes);
    (void)call_asked(c, until_ns);
    if (d && d->load_bytes && d->load_bytes < c->sizes.good)
      c->sizes.good = (size_t)d->load_bytes;
    c->sized = c->generation;
  }
  return &c->sizes;
}

int bulk_init(struct conn *c, const char *sql, size_t len)
{
  struct bulk *b = &c->bulk;

  if (exec_needs_care(c) && !exec_take_care(c, "", 0, false))
    return 1;
  call_no_error(c);
  b->active = false;
  b->recorder = NULL;
  if (len >= BULK_PACKET)
    return 1;
  b->limit = c->env->process->in_run ? BULK_PACKET : bulk_sizes(c)->good;
  strbuf_clear(&b->text);
  strbuf_add(&b->text, sql, len);
  if (b->text.failed) {
    strbuf_done(&b->text);
    return 1;
  }
  b->prefix_len = len;
  bulk_rows_rewind(b);
  b->active = true;
  return 0;
}

int bulk_next(struct conn *c, const char *row, size_t len)
{
  struct bulk *b = &c->bulk;

  if (conn_is_closed(c)) {
    (void)exec_take_care(c, "", 0, false); /* ALERT */
    return 1;
  }
  call_no_error(c);
  if (!b->active) {
    log_msg(LOG_ALERT,
            "attempt to call bulk_insert_next() before bulk_insert_init()");
    return 1;
  }
  if (b->rows > 0 && b->text.len + 1 + len > b->limit && bulk_flush(c) != 0)
    return 1;
  if (env_in_event(c->env) && b->event != *c->env->event_number)
    bulk_rows_mark(b, *c->env->event_number);
  bulk_rows_add(b, row, len);
  if (b->text.failed) {
    strbuf_done(&b->text);
    b->active = false;
    return 1;
  }
  b->rows++;
  if (c->env->recorder)
    b->recorder = c->env->recorder;
  return 0;
}

int bulk_done(struct conn *c)
{
  struct bulk *b = &c->bulk;
  int rc;

  if (conn_is_closed(c)) {
    b->active = false;
    return 0;
  }
  call_no_error(c);
  if (!b->active)
    return 0;
  rc = bulk_flush(c);
  if (b->rows > 0)
    return rc;
  if (rc == 0)
    rc = bulk_commit_own(c);
  b->active = false;
  return rc;
}

void bulk_undo(struct conn *c)
{
  struct bulk *b = &c->bulk;

  if (!b->active || !env_in_event(c->env) || b->event != *c->env->event_number)
    return;
  bulk_rows_cut(b, b->event_rows, b->event_len);
  if (b->rows == 0)
    b->recorder = NULL;
}
