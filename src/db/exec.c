#include "db/exec.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "db/acknowledge.h"
#include "db/broker.h"
#include "db/conn_message.h"
#include "db/emul.h"
#include "db/error_policy.h"
#include "db/recover.h"

static bool exec_quote(void *ctx, const char *text, size_t len,
                       struct strbuf *to, const char **ret_why)
{
  struct conn *c = ctx;

  return c->driver->quote(c->session, text, len, to, ret_why);
}

bool exec_literals(struct conn *c, struct emul_scan *scan, const char *sql,
                   size_t len, const sql_bind *binds, size_t n)
{
  const struct emul_quote q = { exec_quote, c->driver->quote_special, c };
  const char *why = NULL;

  if ((scan->flags != c->session->dialect &&
       emul_scan(scan, sql, len, c->session->dialect) < 0) ||
      (emul_format(scan, sql, len, binds, n, &q, &c->text, &why) == 0 &&
       c->text.failed))
    why = "not enough memory";
  if (!why)
    return true;
  strbuf_done(&c->text);
  call_misuse(c, why);
  return false;
}

static void exec_fail_again(struct conn *c, const char *sql, size_t len)
{
  char text[FAILURE_TEXT];

  (void)snprintf(text, sizeof(text), "%s", c->fail.text);
  c->out = (struct outcome){ .code = c->fail.code, .lost = true };
  memcpy(c->out.state, c->fail.state, sizeof(c->out.state));
  c->out.msg = text[0] ? text : "connection to server lost";
  recover_failed(c, CALL_QUERY, sql, len);
}

bool exec_begins_transaction(const struct conn *c, const char *sql, size_t len)
{
  size_t n;
  const char *word = emul_first_word(sql, len, c->session->dialect, &n);

  return emul_word_is(word, n, "BEGIN") || emul_word_is(word, n, "START");
}

bool exec_take_care(struct conn *c, const char *sql, size_t len, bool keep_rows)
{
  if (call_disturbs(c))
    return false;
  if (c->owed & CONN_OWES_FAILURE && !conn_is_dead(c)) {
    recover_take_late(c);
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
  if (c->state == CONN_AWAY && !broker_acquire(c))
    return false;
  if (c->state == CONN_LOST) {
    exec_fail_again(c, sql, len);
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
  if (c->owed & CONN_OWES_ROLLBACK && exec_begins_transaction(c, sql, len))
    return recover_rollback(c, false) == DB_ERROR_NONE;
  return true;
}

bool exec_ends_transaction(const struct conn *c, const char *sql, size_t len)
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

void exec_clear_mark(struct conn *c, const char *sql, size_t len)
{
  if (c->session->trx == TRX_NONE || exec_ends_transaction(c, sql, len))
    c->owed &= ~(unsigned)CONN_OWES_ROLLBACK;
}

void exec_sample(struct conn *c, const struct exec *info, bool failed)
{
  const uint64_t took_ns = clock_now_ns() - info->start_ns;
  const struct stmt_sample s = { .failed = failed,
                                 .nrows = failed ? 0 : c->out.nrows };
  struct db_env *env = c->env;

  if (env->process->set.debug && env->recorder)
    db_times_add(&env->process->execution, took_ns);
  if (env->on_statement)
    env->on_statement(env->on_statement_ctx, info->cls, info->sql, info->len,
                      took_ns, &s);
}

bool exec_make_room(struct conn *c, uint32_t nfields)
{
  sql_value *values = reallocarray(c->values, nfields, sizeof(*values));

  if (!values)
    return false;
  c->values = values;
  c->values_room = nfields;
  c->rs.row.values = values;
  return true;
}

/* Counts each by its class. */
static int exec_skip_empty(struct conn *c)
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
    if (c->out.ended) { /* nothing followed */
      c->out.counter = counter;
      return 1;
    }
  }
  return 0;
}

static enum conn_state exec_state_after(const struct conn *c)
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

static sql_result *exec_success(struct conn *c, const struct exec *info)
{
  const struct outcome *out = &c->out;
  enum conn_state state;
  sql_result *rs;

  call_no_error(c);
  if (UNLIKELY(c->owed & CONN_OWES_ROLLBACK))
    exec_clear_mark(c, info->sql, info->len);
  if (out->more)
    env_note_unread(c->env, true);
  c->state = state = exec_state_after(c);
  if (out->counter != COUNTER_READ)
    return NULL;
  if (UNLIKELY(out->nfields > c->values_room) &&
      !exec_make_room(c, out->nfields)) {
    (void)recover_drain(c);
    c->owed &= ~(unsigned)CONN_OWES_FAILURE;
    call_misuse(c, "not enough memory");
    return NULL;
  }
  rs = exec_open_rows(c, info->stmt);
  c->state = state;
  return rs;
}

sql_result *exec_end(struct conn *c, int rc, const struct exec *info)
{
  bool counted = false;

  if (c->state == CONN_ROWS)
    call_idle(c);
  if (UNLIKELY(rc == 0 && c->out.more && c->out.counter != COUNTER_READ &&
               c->driver->caps & DRIVER_SKIPS_EMPTY)) {
    rc = exec_skip_empty(c);
    counted = rc > 0;
  }
  if (UNLIKELY(c->env->ack_due))
    acknowledge(c, info->call, rc);
  if (UNLIKELY(info->start_ns != 0 && c->env->timed) &&
      !(rc < 0 && verdict_is_cut(&c->out, conn_is_dead(c))))
    exec_sample(c, info, rc < 0);
  if (UNLIKELY(rc < 0)) {
    if (info->stmt && info->call == CALL_QUERY) /* with its values */
      recover_failed(c, info->call, strbuf_str(&c->text), c->text.len);
    else
      recover_failed(c, info->call, info->sql, info->len);
    return NULL;
  }
  if (!counted)
    call_count(c, c->out.counter);
  return exec_success(c, info);
}

sql_result *exec_next(struct conn *c, enum call call, sql_statement *stmt)
{
  struct exec info = { .call = call, .stmt = stmt, .sql = "" };
  int rc;

  if (!conn_is_open(c) || conn_is_dead(c) ||
      c->owed & (CONN_OWES_MESSAGE | CONN_OWES_FAILURE)) {
    if (!exec_take_care(c, "", 0, true))
      return NULL;
  }
  call_end_rows(c);
  if (!conn_has_more(c)) {
    (void)recover_drain(c); /* at most rows */
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
  return exec_end(c, rc, &info);
}
