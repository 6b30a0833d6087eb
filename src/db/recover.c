#include "db/recover.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "db/acknowledge.h"
#include "db/call.h"
#include "db/conn_message.h"
#include "db/dialect.h"
#include "db/emul.h"
#include "db/error_policy.h"
#include "db/transport.h"

static void recover_save(struct conn *c)
{
  conn_fail(c, c->out.msg ? c->out.msg : "");
}

void recover_count_error(struct conn *c)
{
  if (!c->env->recorder)
    return;
  call_count(c, COUNTER_ERROR);
  errtab_count(&c->env->process->errors, c->driver->name, c->fail.code,
               c->fail.state, c->fail.text);
}

void recover_failed_too(struct conn *c)
{
  if (c->out.api_error || verdict_is_cut(&c->out, conn_is_dead(c)))
    return;
  recover_save(c);
  recover_count_error(c);
}

static void recover_lost(struct conn *c, const char *why, bool refused,
                         uint64_t since_ns)
{
  struct strbuf target = { 0 };

  c->driver->target(c->session, &target);
  outage_lost(&c->env->process->outage, strbuf_str(&target), why, refused,
              since_ns);
  strbuf_done(&target);
}

/* Until the end of the run cuts it: not just slow. */
#define CUT_NS (3 * NS_PER_S / 2)

/* Has an outage begun? */
static bool recover_note_attempt(struct conn *c, bool out, uint64_t since_ns,
                                 uint64_t tried_ns, struct strbuf *reason)
{
  const uint64_t now = clock_now_ns();
  struct recorder *r = c->env->recorder;
  char code[16];

  if (env_is_over(c->env, now) && (out || now < tried_ns + CUT_NS))
    return out;
  strbuf_clear(reason);
  transport_reason(c, reason);
  if (env_is_over(c->env, now))
    return out;
  if (c->out.other_role)
    (void)snprintf(code, sizeof(code), "role");
  else if (c->driver->caps & DRIVER_BY_NUMBER)
    (void)snprintf(code, sizeof(code), "%d", c->out.code);
  else
    (void)snprintf(code, sizeof(code), "%s", c->out.state);
  if (r)
    service_fault(&r->service, now, error_connect_fault(c->driver, &c->out),
                  code, strbuf_str(reason));
  if (!out)
    recover_lost(c, strbuf_str(reason), false, since_ns);
  outage_failed(&c->env->process->outage, strbuf_str(reason), tried_ns, now);
  return true;
}

static void recover_fail_for_good(struct conn *c, const struct strbuf *reason)
{
  conn_fail(c, strbuf_str(reason));
  c->fail.lost = true;
  c->owed &= ~(unsigned)CONN_OWES_FAILURE;
  conn_keep_connect_message(c);
  recover_count_error(c);
  c->pub.error = DB_ERROR_FATAL;
}

static void recover_not_back(struct conn *c, bool out, bool over,
                             const struct strbuf *reason)
{
  struct outage *o = &c->env->process->outage;

  if (out)
    outage_gave_up(o, over, clock_now_ns());
  else if (over && reason->len > 0)
    outage_cut(o, strbuf_str(reason));
  if (over)
    call_abandon(c);
  else
    recover_fail_for_good(c, reason);
}

/* `lost`: an outage has begun; else a failure begins one. */
static bool recover_come_back(struct conn *c, uint64_t until_ns, bool lost)
{
  struct transport_retry r = { .until_ns = until_ns };
  const uint64_t since_ns = clock_now_ns();
  struct strbuf reason = { 0 };
  enum transport_rc rc;
  bool out = lost, over;

  while ((rc = transport_try(c, &r)) == TRANSPORT_AGAIN) {
    out = recover_note_attempt(c, out, since_ns, r.tried_ns, &reason);
    call_pause(c, r.next_ns);
  }
  if (rc == TRANSPORT_BACK) {
    if (out)
      outage_back(&c->env->process->outage, clock_now_ns());
    log_msg(LOG_DEBUG, "Reconnected");
    call_count(c, COUNTER_RECONNECT);
  } else {
    over = verdict_is_cut(&c->out, conn_is_dead(c)) ||
           verdict_not_connected(env_phase(c->env, clock_now_ns()),
                                 rc == TRANSPORT_PERMANENT) == VERDICT_ABANDON;
    if (rc == TRANSPORT_PERMANENT || (!over && reason.len == 0)) {
      strbuf_clear(&reason);
      transport_reason(c, &reason);
    }
    recover_not_back(
      c, out,
      over && (lost || !out || until_ns == UINT64_MAX || conn_is_dead(c)),
      &reason);
  }
  strbuf_done(&reason);
  return rc == TRANSPORT_BACK;
}

/* UINT64_MAX if losses are ignored. */
static uint64_t recover_limit(const struct conn *c)
{
  const struct outcome gone = transport_gone(c);

  return ignore_list_has(&c->handle->state->ignore, &gone) ? UINT64_MAX
                                                           : transport_limit(c);
}

bool recover_again(struct conn *c, bool limited)
{
  transport_drop(c);
  c->state = CONN_LOST;
  if (!recover_come_back(c, limited ? recover_limit(c) : UINT64_MAX, false))
    return false;
  call_no_error(c);
  return true;
}

bool recover_reopen(struct conn *c, const char *why)
{
  recover_lost(c, why, false, clock_now_ns());
  return recover_come_back(c, recover_limit(c), true);
}

static void outage_begin(struct conn *c, bool refused)
{
  struct strbuf reason = { 0 };
  char name[16];

  conn_error_name(c, name, sizeof(name));
  strbuf_addf(&reason, "%s: %s", name, c->fail.text);
  recover_lost(c, strbuf_str(&reason), refused, clock_now_ns());
  strbuf_done(&reason);
  log_msg(LOG_DEBUG, "Reconnecting");
}

/* `refused`: tries the next server first. */
static sql_error_t recover_replace(struct conn *c, bool refused)
{
  const struct failure before = c->fail;
  char text[FAILURE_TEXT];

  (void)snprintf(text, sizeof(text), "%s", before.text);
  transport_drop(c);
  outage_begin(c, refused);
  if (refused)
    c->first++;
  if (recover_come_back(c, UINT64_MAX, true)) {
    c->fail.reconnected = true;
    c->pub.error = DB_ERROR_IGNORABLE;
    return DB_ERROR_IGNORABLE;
  }
  if (!c->fail.abandoned)
    return DB_ERROR_FATAL;
  /* For later verdicts. */
  c->fail.code = before.code;
  memcpy(c->fail.state, before.state, sizeof(before.state));
  conn_fail_text(c, text);
  return DB_ERROR_FATAL;
}

static enum fault_place place_of(const struct conn *c, const char *sql,
                                 size_t len)
{
  size_t n;
  const char *word = emul_first_word(sql, len, c->session->dialect, &n);

  if (emul_word_is(word, n, "COMMIT") || emul_word_is(word, n, "END"))
    return FAULT_COMMITS;
  return c->out.in_trx || c->session->trx != TRX_NONE ? FAULT_INSIDE
                                                      : FAULT_ALONE;
}

static void recover_note_fault(const struct conn *c, const char *sql,
                               size_t len)
{
  struct recorder *r = c->env->recorder;
  enum fault_phase phase;
  char name[16];

  if (!r || !error_fault(c->driver, &c->out, place_of(c, sql, len), &phase))
    return;
  conn_error_name(c, name, sizeof(name));
  service_fault(&r->service, clock_now_ns(), phase, name, c->fail.text);
}

static struct verdict_case recover_case_of(const struct conn *c, enum call call)
{
  const struct dialect *d = process_dialect(c->env->process);

  return (struct verdict_case){
    .out = &c->out,
    .call = call,
    .ignore = &c->handle->state->ignore,
    .retry = d ? &d->retry : NULL,
    .always_ignorable = c->driver->always_ignorable,
    .phase = env_phase(c->env, clock_now_ns()),
    .in_trx = conn_is_open(c) && c->session->trx != TRX_NONE,
    .at_once = c->driver->caps & DRIVER_ROLLBACK_AT_ONCE,
  };
}

bool recover_refused(const struct conn *c)
{
  return c->handle->state->ignore.failover && error_refusal(c->driver, &c->out);
}

bool recover_ignorable(const struct conn *c)
{
  struct verdict_case v = recover_case_of(c, CALL_QUERY);

  v.refused = recover_refused(c);
  return verdict_ignorable(&v);
}

static void recover_ignore_error(struct conn *c, enum call call,
                                 const struct verdict *v)
{
  char name[16];

  if (call == CALL_ROLLBACK) {
    log_msg(LOG_DEBUG, "ROLLBACK failed, to be repeated: %s", c->fail.text);
  } else {
    conn_error_name(c, name, sizeof(name));
    log_msg(LOG_DEBUG, "Ignoring error %s %s", name, c->fail.text);
  }
  c->pub.error = DB_ERROR_IGNORABLE;
  if (v->mark)
    c->owed |= CONN_OWES_ROLLBACK;
  if (v->rollback)
    (void)recover_rollback(c, true);
}

static void recover_abandon(struct conn *c, const struct verdict *v)
{
  if (v->drop)
    transport_drop(c);
  if (v->mark)
    c->owed |= CONN_OWES_ROLLBACK;
  call_abandon(c);
}

void recover_failed(struct conn *c, enum call call, const char *sql, size_t len)
{
  struct verdict_case what = recover_case_of(c, call);
  struct verdict v;

  what.refused = recover_refused(c);
  v = verdict_failed(&what);
  c->cls = NULL;
  if (c->out.lost || v.class == VERDICT_REPLACE)
    acknowledge_loss(c);
  call_end_answer(c);
  if (v.class == VERDICT_MISUSE) {
    call_misuse(c, c->out.api_error);
    return;
  }
  if (v.class == VERDICT_ABANDON) {
    recover_abandon(c, &v);
    return;
  }
  recover_save(c);
  recover_note_fault(c, sql, len);
  if (v.count)
    recover_count_error(c);
  if (v.class == VERDICT_REPLACE) {
    (void)recover_replace(c, what.refused && !c->out.lost);
  } else if (v.class == VERDICT_IGNORE) {
    recover_ignore_error(c, call, &v);
  } else {
    c->pub.error = DB_ERROR_FATAL;
    conn_keep_message(c, call, sql, len);
    if (v.drop)
      transport_drop(c);
  }
}

void recover_life_failed(struct conn *c, const char *sql, size_t len)
{
  const struct verdict_case what = recover_case_of(c, CALL_QUERY);
  char name[16];

  if (verdict_is_cut(&c->out, conn_is_dead(c)) ||
      verdict_not_connected(what.phase, c->out.permanent) == VERDICT_ABANDON) {
    call_abandon(c);
    return;
  }
  recover_save(c);
  if (c->out.lost) {
    struct strbuf reason = { 0 };

    transport_reason(c, &reason);
    conn_fail_text(c, strbuf_str(&reason));
    strbuf_done(&reason);
  }
  conn_error_name(c, name, sizeof(name));
  if (sql)
    recover_note_fault(c, sql, len);
  else if (c->env->recorder)
    service_fault(&c->env->recorder->service, clock_now_ns(),
                  error_connect_fault(c->driver, &c->out), name, c->fail.text);
  recover_count_error(c);
  if (!c->out.permanent && verdict_ignorable(&what)) {
    log_msg(LOG_DEBUG, "Ignoring error %s %s", name, c->fail.text);
    c->pub.error = DB_ERROR_IGNORABLE;
    return;
  }
  if (sql && !c->out.lost)
    conn_keep_message(c, CALL_QUERY, sql, len);
  else
    conn_keep_connect_message(c);
  c->pub.error = DB_ERROR_FATAL;
}

sql_error_t recover_forgiven(struct conn *c)
{
  const struct verdict_case what = recover_case_of(c, CALL_QUERY);
  const struct verdict v = verdict_forgiven(&what, c->state == CONN_LOST);

  c->fail.reconnected = false;
  if (v.class == VERDICT_ABANDON) {
    call_abandon(c);
    return DB_ERROR_FATAL;
  }
  if (v.class == VERDICT_REPLACE)
    return recover_replace(c, false);
  if (v.mark)
    c->owed |= CONN_OWES_ROLLBACK;
  if (v.rollback && recover_rollback(c, false) == DB_ERROR_FATAL)
    return DB_ERROR_FATAL;
  return DB_ERROR_IGNORABLE;
}

void recover_failed_late(struct conn *c, enum call call, const char *sql,
                         size_t len)
{
  recover_failed(c, call, sql, len);
  recover_owe(c);
}

void recover_owe(struct conn *c)
{
  c->fail.earlier = true;
  if (c->fail.abandoned)
    return;
  c->owed &= ~(unsigned)CONN_OWES_FAILURE;
  c->owed |= c->pub.error == DB_ERROR_IGNORABLE ? CONN_OWES_RESTART
                                                : CONN_OWES_ERROR;
  env_note_unread(c->env, true);
}

bool recover_drain(struct conn *c)
{
  if (LIKELY(call_drain(c) == 0))
    return true;
  recover_failed_late(c, CALL_UNREAD, "", 0);
  return false;
}

void recover_take_late(struct conn *c)
{
  c->pub.error = c->owed & CONN_OWES_RESTART ? DB_ERROR_IGNORABLE
                                             : DB_ERROR_FATAL;
  c->owed &= ~(unsigned)CONN_OWES_FAILURE;
  conn_show_failure(c);
}

sql_error_t recover_rollback(struct conn *c, bool keep_details)
{
  const struct failure before = c->fail;
  const struct conn_pub pub = c->pub;
  char text[FAILURE_TEXT];
  int rc;

  if (keep_details)
    (void)snprintf(text, sizeof(text), "%s", before.text);
  if (!recover_drain(c)) {
    c->owed &= ~(unsigned)CONN_OWES_FAILURE;
    if (c->pub.error == DB_ERROR_FATAL || c->fail.reconnected)
      return c->pub.error;
  }
  c->owed &= ~(unsigned)CONN_OWES_ROLLBACK;
  if (c->owed & CONN_OWES_CANCEL && !call_pass_cancel(c) && c->out.lost)
    rc = -1;
  else
    rc = call_own(c, "ROLLBACK");
  if (rc == 0)
    return DB_ERROR_NONE;
  recover_failed(c, CALL_ROLLBACK, "ROLLBACK", sizeof("ROLLBACK") - 1);
  if (c->pub.error == DB_ERROR_IGNORABLE && keep_details) {
    /* With the script's own error. */
    const bool replaced = c->fail.reconnected;

    c->fail = before;
    conn_fail_text(c, text);
    c->fail.reconnected = replaced;
    c->pub = pub;
    c->pub.error = DB_ERROR_IGNORABLE;
  }
  return c->pub.error;
}
