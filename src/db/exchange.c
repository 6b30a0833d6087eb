/*
 * exchange.c - what all statements have before and after their call of the
 * driver.
 */
#include "db/exchange.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "db/acknowledge.h"
#include "db/conn_message.h"
#include "db/emul.h"
#include "db/pool.h"
#include "db/recover.h"
#include "db/verdict.h"

/* The connection broke in an earlier call, and was not replaced. */
static void fail_again(struct conn *c, const char *sql, size_t len)
{
  char text[FAILURE_TEXT];

  (void)snprintf(text, sizeof(text), "%s", c->fail.text);
  c->out = (struct outcome){ .code = c->fail.code, .lost = true };
  memcpy(c->out.state, c->fail.state, sizeof(c->out.state));
  c->out.msg = text[0] ? text : "connection to server lost";
  recover_failed(c, CALL_QUERY, sql, len);
}

bool exchange_begins_transaction(const struct conn *c, const char *sql,
                                 size_t len)
{
  size_t n;
  const char *word = emul_first_word(sql, len, c->session->dialect, &n);

  return emul_word_is(word, n, "BEGIN") || emul_word_is(word, n, "START");
}

bool exchange_take_care(struct conn *c, const char *sql, size_t len,
                        bool keep_rows)
{
  if (call_disturbs(c))
    return false;
  if (c->owed & CONN_OWES_FAILURE && !conn_is_dead(c)) {
    recover_take_late(c); /* its message waits for the hook */
    c->cls = NULL;
    return false;
  }
  if (c->owed & CONN_OWES_MESSAGE)
    conn_say(c);
  if (conn_is_closed(c)) {
    log_msg(LOG_ALERT, "attempt to use an already closed connection");
    call_misuse(c, "SQL API error");
    return false;
  }
  if (conn_is_dead(c)) {
    call_abandon(c);
    return false;
  }
  if (c->state == CONN_AWAY && !pool_lease(c))
    return false;
  if (c->state == CONN_LOST) {
    fail_again(c, sql, len);
    return false;
  }
  if (conn_has_rest(c) &&
      (conn_has_more(c) || !(conn_has_rows(c) && keep_rows)) &&
      !recover_drain(c)) {
    c->owed &= ~(unsigned)CONN_OWES_FAILURE;
    return false;
  }
  if (c->owed & CONN_OWES_CANCEL && !(conn_has_rows(c) && keep_rows) &&
      !call_pass_cancel(c)) {
    recover_failed(c, CALL_QUERY, CALL_AFTER_CANCEL,
                   sizeof(CALL_AFTER_CANCEL) - 1);
    c->fail.earlier = true;
    return false;
  }
  if (c->owed & CONN_OWES_ROLLBACK && exchange_begins_transaction(c, sql, len))
    return recover_rollback(c, false) == DB_ERROR_NONE;
  return true;
}

bool exchange_ends_transaction(const struct conn *c, const char *sql,
                               size_t len)
{
  const unsigned dialect = c->session->dialect;
  size_t n;
  const char *word = emul_first_word(sql, len, dialect, &n);
  const char *next;

  if (emul_word_is(word, n, "COMMIT") || emul_word_is(word, n, "END"))
    return true;
  if (!emul_word_is(word, n, "ROLLBACK"))
    return false;
  do { /* ROLLBACK [WORK | TRANSACTION] TO ... does not end it */
    word += n;
    next = emul_first_word(word, len - (size_t)(word - sql), dialect, &n);
    word = next;
  } while (emul_word_is(word, n, "WORK") ||
           emul_word_is(word, n, "TRANSACTION"));
  return !emul_word_is(word, n, "TO");
}

void exchange_clear_mark(struct conn *c, const char *sql, size_t len)
{
  if (c->session->trx == TRX_NONE || exchange_ends_transaction(c, sql, len))
    c->owed &= ~(unsigned)CONN_OWES_ROLLBACK;
}

void exchange_sample(struct conn *c, const struct exchange *info, bool failed)
{
  const uint64_t took_ns = clock_now_ns() - info->start_ns;
  const struct stmt_sample s = { .failed = failed,
                                 .nrows = failed ? 0 : c->out.nrows };
  struct db_env *env = c->env;

  if (env->process->set.debug && env->recorder)
    times_add(&env->process->execution, took_ns);
  if (env->on_statement)
    env->on_statement(env->on_statement_ctx, info->cls, info->sql, info->len,
                      took_ns, &s);
}

bool exchange_make_room(struct conn *c, uint32_t nfields)
{
  sql_value *values = reallocarray(c->values, nfields, sizeof(*values));

  if (!values)
    return false;
  c->values = values;
  c->values_room = nfields;
  c->rs.row.values = values;
  return true;
}

/* What is no result set is passed over, each counted by its class. */
static int skip_empty(struct conn *c)
{
  while (c->out.counter != COUNTER_READ && c->out.more) {
    const enum counter counter = c->out.counter;
    int rc;

    (void)call_start(c);
    rc = call_next_result(c);
    call_stop(c);
    call_count(c, counter);
    if (rc < 0)
      return rc;
    if (c->out.ended) { /* the last one had been the last one */
      c->out.counter = counter;
      return 1;
    }
  }
  return 0;
}

/* After a result: that of a statement, or the next one. */
static enum conn_state state_after(const struct conn *c)
{
  const struct outcome *out = &c->out;
  const bool rest = conn_has_rest(c);

  if (out->counter != COUNTER_READ) {
    if (out->more)
      return CONN_MORE;
    return rest ? CONN_REST : CONN_IDLE;
  }
  if (out->more)
    return CONN_ROWS_MORE;
  return rest || !out->settled ? CONN_ROWS_REST : CONN_ROWS;
}

static sql_result *success(struct conn *c, const struct exchange *info)
{
  const struct outcome *out = &c->out;
  enum conn_state state;
  sql_result *rs;

  call_no_error(c);
  if (UNLIKELY(c->owed & CONN_OWES_ROLLBACK))
    exchange_clear_mark(c, info->sql, info->len);
  if (out->more)
    env_note_unread(c->env, true);
  c->state = state = state_after(c);
  if (out->counter != COUNTER_READ)
    return NULL;
  if (UNLIKELY(out->nfields > c->values_room) &&
      !exchange_make_room(c, out->nfields)) {
    (void)recover_drain(c);
    c->owed &= ~(unsigned)CONN_OWES_FAILURE;
    call_misuse(c, "not enough memory");
    return NULL;
  }
  rs = exchange_open_rows(c, info->stmt);
  c->state = state;
  return rs;
}

sql_result *exchange_end(struct conn *c, int rc, const struct exchange *info)
{
  bool counted = false;

  if (c->state == CONN_ROWS) /* of the statement before */
    call_idle(c);
  if (UNLIKELY(rc == 0 && c->out.more && c->out.counter != COUNTER_READ &&
               c->driver->caps & DRIVER_SKIPS_EMPTY)) {
    rc = skip_empty(c);
    counted = rc > 0;
  }
  if (UNLIKELY(c->env->ack_due))
    acknowledge(c, info->call, rc);
  if (UNLIKELY(info->start_ns != 0 && c->env->timed) &&
      !(rc < 0 && verdict_is_cut(&c->out, conn_is_dead(c))))
    exchange_sample(c, info, rc < 0);
  if (UNLIKELY(rc < 0)) {
    if (info->stmt && info->call == CALL_QUERY) /* with the values put in */
      recover_failed(c, info->call, strbuf_str(&c->text), c->text.len);
    else
      recover_failed(c, info->call, info->sql, info->len);
    return NULL;
  }
  if (!counted)
    call_count(c, c->out.counter);
  return success(c, info);
}

sql_result *exchange_next(struct conn *c, enum call call, sql_statement *stmt)
{
  struct exchange info = { .call = call, .stmt = stmt, .sql = "" };
  int rc;

  if (!conn_is_open(c) || conn_is_dead(c) ||
      c->owed & (CONN_OWES_MESSAGE | CONN_OWES_FAILURE)) {
    if (!exchange_take_care(c, "", 0, true))
      return NULL;
  }
  call_end_rows(c);
  if (!conn_has_more(c)) {
    (void)recover_drain(c); /* rows at most */
    call_no_error(c);
    return NULL;
  }
  info.start_ns = call_start(c);
  rc = call_next_result(c);
  call_stop(c);
  if (rc == 0 && c->out.ended) {
    c->state = CONN_REST;
    call_no_error(c);
    return NULL;
  }
  return exchange_end(c, rc, &info);
}
