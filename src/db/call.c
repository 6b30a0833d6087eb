/*
 * call.c - the steps that all calls on a connection share.
 */
#include "db/call.h"
#include "db/policy.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "db/emul.h"
#include "db/stmt.h"

_Static_assert((int)SB_CNT_READ == (int)COUNTER_READ &&
                 (int)SB_CNT_WRITE == (int)COUNTER_WRITE &&
                 (int)SB_CNT_OTHER == (int)COUNTER_OTHER,
               "scripts see our counters");

void call_misuse(struct conn *c, const char *api_error)
{
  memset(&c->fail, 0, sizeof(c->fail));
  c->fail.api_error = api_error;
  c->pub.error = DB_ERROR_FATAL;
  c->pub.sql_errno = 0;
  c->pub.sql_state = NULL;
  c->pub.sql_errmsg = NULL;
  c->cls = NULL;
}

/* It will be told by the next call, unless the run is over. */
static void keep_late(struct conn *c)
{
  policy_failed(c, CALL_UNREAD, "", 0);
  c->fail.earlier = true;
  if (c->fail.abandoned)
    return;
  c->late = c->pub.error;
  c->attention |= CONN_LATE;
  env_note_unread(c->env, true);
}

bool call_end_results(struct conn *c)
{
  int rc;

  call_end_rows(c);
  c->more = false;
  if (!(c->attention & CONN_RESULT))
    return true;
  c->attention &= ~(unsigned)CONN_RESULT;
  if (c->state != CONN_OPEN)
    return true;
  (void)call_start(c); /* reading what is pending may block */
  rc = c->driver->end_results(c->session, &c->out);
  call_stop(c);
  if (UNLIKELY(rc < 0))
    keep_late(c);
  return rc == 0;
}

void call_take_late(struct conn *c)
{
  c->attention &= ~(unsigned)CONN_LATE;
  c->pub.error = c->late;
  c->pub.sql_errno = c->fail.code;
  c->pub.sql_state = c->fail.state[0] ? c->fail.state : NULL;
  c->pub.sql_errmsg = c->fail.text;
}

static const char after_cancel[] = "SELECT 1 /* after a cancel */";

bool call_pass_cancel(struct conn *c)
{
  const enum trx_state before = c->session->trx;
  int rc;

  c->attention &= ~(unsigned)CONN_CANCELLED;
  if (c->state != CONN_OPEN || !watch_await(&c->watched))
    return true;
  (void)call_start(c);
  rc = c->driver->query(c->session, after_cancel, sizeof(after_cancel) - 1,
                        &c->out);
  if (rc == 0 && !c->out.settled)
    rc = c->driver->end_results(c->session, &c->out);
  call_stop(c);
  return rc == 0 || (!c->out.lost && (c->session->trx != TRX_ABORTED ||
                                      c->session->trx == before));
}

/* The connection broke in an earlier call, and nobody replaced it. */
static void fail_again(struct conn *c, const char *sql, size_t len)
{
  char text[sizeof(c->fail.text)];

  memcpy(text, c->fail.text, sizeof(text));
  c->out = (struct outcome){ .code = c->fail.code, .lost = true };
  memcpy(c->out.state, c->fail.state, sizeof(c->out.state));
  c->out.msg = text[0] ? text : "connection to server lost";
  policy_failed(c, CALL_QUERY, sql, len);
}

static bool begins_transaction(const struct conn *c, const char *sql,
                               size_t len)
{
  size_t n;
  const char *word = emul_first_word(sql, len, c->session->dialect, &n);

  return emul_word_is(word, n, "BEGIN") || emul_word_is(word, n, "START");
}

bool call_take_care(struct conn *c, const char *sql, size_t len, bool keep_rows)
{
  if (c->attention & CONN_LATE && !env_is_dead(c->env)) {
    call_take_late(c); /* its message waits for the hook */
    c->cls = NULL;
    return false;
  }
  if (c->attention & CONN_MESSAGE)
    conn_say(c);
  if (c->state == CONN_CLOSED) {
    log_msg(LOG_ALERT, "attempt to use an already closed connection");
    call_misuse(c, "SQL API error");
    return false;
  }
  if (env_is_dead(c->env)) {
    policy_abandon(c);
    return false;
  }
  if (c->state == CONN_LOST) {
    fail_again(c, sql, len);
    return false;
  }
  if (c->attention & CONN_RESULT && (c->more || !keep_rows) &&
      !call_end_results(c)) {
    c->attention &= ~(unsigned)CONN_LATE;
    return false;
  }
  if (c->attention & CONN_CANCELLED && !(c->rs_open && keep_rows) &&
      !call_pass_cancel(c)) {
    policy_failed(c, CALL_QUERY, after_cancel, sizeof(after_cancel) - 1);
    c->fail.earlier = true;
    return false;
  }
  if (c->attention & CONN_MARKED && begins_transaction(c, sql, len))
    return policy_rollback(c, false) == DB_ERROR_NONE;
  return true;
}

/* COMMIT and ROLLBACK clear the mark, also with AND CHAIN; what ends the
 * transaction in another way does, too. */
static void clear_mark(struct conn *c, const char *sql, size_t len)
{
  const unsigned dialect = c->session->dialect;
  size_t n;
  const char *word = emul_first_word(sql, len, dialect, &n);
  const char *next;

  if (c->session->trx == TRX_NONE || emul_word_is(word, n, "COMMIT") ||
      emul_word_is(word, n, "END")) {
    c->attention &= ~(unsigned)CONN_MARKED;
    return;
  }
  if (!emul_word_is(word, n, "ROLLBACK"))
    return;
  do { /* ROLLBACK [WORK | TRANSACTION] TO ... does not end it */
    word += n;
    next = emul_first_word(word, len - (size_t)(word - sql), dialect, &n);
    word = next;
  } while (emul_word_is(word, n, "WORK") ||
           emul_word_is(word, n, "TRANSACTION"));
  if (!emul_word_is(word, n, "TO"))
    c->attention &= ~(unsigned)CONN_MARKED;
}

static void sample(struct conn *c, const struct call_info *info, bool failed)
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

static bool room_for(struct conn *c, uint32_t nfields)
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
    rc = c->driver->next_result(c->session, &c->out);
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

static sql_result *success(struct conn *c, const struct call_info *info)
{
  const struct outcome *out = &c->out;

  call_no_error(c);
  if (UNLIKELY(c->attention & CONN_MARKED))
    clear_mark(c, info->sql, info->len);
  c->more = out->more;
  if (out->more)
    env_note_unread(c->env, true);
  if (out->counter != COUNTER_READ) {
    if (out->more)
      c->attention |= CONN_RESULT;
    return NULL;
  }
  if (!out->settled)
    c->attention |= CONN_RESULT;
  if (UNLIKELY(out->nfields > c->values_room) && !room_for(c, out->nfields)) {
    (void)call_end_results(c);
    c->attention &= ~(unsigned)CONN_LATE;
    call_misuse(c, "not enough memory");
    return NULL;
  }
  return call_open_rows(c, info->stmt ? stmt_abi(info->stmt) : NULL);
}

sql_result *call_end(struct conn *c, int rc, const struct call_info *info)
{
  bool counted = false;

  if (UNLIKELY(rc == 0 && c->out.more && c->out.counter != COUNTER_READ &&
               c->driver->caps & DRIVER_SKIPS_EMPTY)) {
    rc = skip_empty(c);
    counted = rc > 0;
  }
  if (UNLIKELY(info->start_ns != 0 && c->env->timed) &&
      !(rc < 0 && policy_is_cut(c)))
    sample(c, info, rc < 0);
  if (UNLIKELY(rc < 0)) {
    if (info->stmt && info->call == CALL_QUERY) /* with the values put in */
      policy_failed(c, info->call, strbuf_str(&c->text), c->text.len);
    else
      policy_failed(c, info->call, info->sql, info->len);
    return NULL;
  }
  if (!counted)
    call_count(c, c->out.counter);
  return success(c, info);
}
