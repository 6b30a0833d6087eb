/*
 * wire.c - sends a statement, receives its answer, and describes it in the
 * terms of the SQL layer; also the rows of its result.
 */
#include "drivers/pgsql/wire.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/compiler.h"
#include "drivers/pgsql/session.h"
#include "drivers/pgsql/wire_answer.h"
#include "drivers/pgsql/wire_io.h"
#include "loop/loop.h"

const char *pgsql_wire_why_not(const struct pgsql_session *p)
{
  if (PQsslInUse(p->conn))
    return "the connection uses TLS (--pgsql-sslmode=disable is without)";
  return PQgssEncInUse(p->conn) ? "the connection is encrypted by GSS" : NULL;
}

/* ---- outcomes ---- */

/* Returns the text of the error, which stays in the buffer. */
static const char *text_of(const struct pgsql_session *p,
                           const struct pgsql_wire_answer *a)
{
  if (a->refused_copy)
    return pgsql_copy_refused;
  return a->text_at ? (const char *)p->wire.in.bytes + a->text_at : "";
}

COLD int pgsql_wire_fail(struct pgsql_session *p,
                         const struct pgsql_wire_answer *a, bool broken,
                         struct outcome *out)
{
  p->wire.more = false;
  out->in_trx = broken && p->base.trx != TRX_NONE;
  if (broken)
    p->base.trx = TRX_NONE;
  p->broken |= broken;
  out->lost = p->broken || a->goodbye;
  if (out->state[0]) {
    out->msg = text_of(p, a);
  } else if (p->last_state[0]) {
    memcpy(out->state, p->last_state, sizeof(out->state));
    out->msg = strbuf_str(&p->last_text);
  } else {
    memcpy(out->state, "08006", 6);
    out->msg = pgsql_wire_why_broken(&p->wire);
  }
  return -1;
}

/* ---- direct statements ---- */

int pgsql_wire_query(struct pgsql_session *p, const char *sql, size_t len,
                     struct outcome *out)
{
  const bool was_aborted = p->base.trx == TRX_ABORTED;
  struct pgsql_wire_answer a = { .direct = true };

  if (UNLIKELY(p->broken) || !pgsql_wire_is_clear(p))
    return pgsql_wire_fail(p, &a, true, out);
  if (UNLIKELY(!pgsql_wire_send_query(p, sql, len)))
    return pgsql_no_memory(out);
  if (UNLIKELY(!pgsql_wire_read(p, &a, out)))
    return pgsql_wire_fail(p, &a, true, out);
  if (UNLIKELY(a.failed))
    return pgsql_wire_fail(p, &a, false, out);
  if (UNLIKELY(was_aborted) && a.rolled_back && pgsql_is_commit(p, sql, len)) {
    (void)pgsql_wire_drain(p, out);
    *out = (struct outcome){ .lost = p->broken };
    return pgsql_refused_commit(out);
  }
  pgsql_wire_succeed(p, &a, out);
  return 0;
}

int pgsql_wire_next(struct pgsql_session *p, struct outcome *out)
{
  struct pgsql_wire_answer a = { .direct = true };

  if (UNLIKELY(!pgsql_wire_read(p, &a, out)))
    return pgsql_wire_fail(p, &a, true, out);
  if (UNLIKELY(a.failed))
    return pgsql_wire_fail(p, &a, false, out);
  pgsql_wire_succeed(p, &a, out);
  return 0;
}

int pgsql_wire_drain(struct pgsql_session *p, struct outcome *out)
{
  int rc = 0;

  while (p->wire.more) { /* a failure ends the loop, too */
    *out = (struct outcome){ 0 };
    rc = pgsql_wire_next(p, out);
    p->wire.rows_left = 0;
  }
  if (out->lost) /* it may give the reason of the loss */
    pgsql_note_last_words(p, out->state, out->msg);
  return rc;
}

/* ---- prepared statements ---- */

int pgsql_wire_execute(struct pgsql_prepared *st, struct outcome *out)
{
  struct pgsql_session *p = pgsql_of(st->base.session);
  const bool was_aborted = p->base.trx == TRX_ABORTED;
  struct pgsql_wire_answer a = { .shape = st->shape, .n_fields = st->n_fields };

  if (UNLIKELY(p->broken) || !pgsql_wire_is_clear(p))
    return pgsql_wire_fail(p, &a, true, out);
  if (UNLIKELY(!pgsql_wire_send_execute(st)))
    return pgsql_no_memory(out);
  if (UNLIKELY(!pgsql_wire_read(p, &a, out)))
    return pgsql_wire_fail(p, &a, true, out);
  if (LIKELY(!st->varies)) {
    st->shape = a.shape;
    st->n_fields = a.n_fields;
  }
  if (UNLIKELY(a.failed))
    return pgsql_wire_fail(p, &a, false, out);
  if (UNLIKELY(was_aborted) && a.rolled_back &&
      pgsql_is_commit(p, st->base.sql, st->base.len))
    return pgsql_refused_commit(out);
  pgsql_wire_succeed(p, &a, out);
  return 0;
}

/* ---- rows ---- */

/*
 * Reads the columns of one row; a column that is missing or malformed is NULL.
 */
static void take_row(const uint8_t *at, const uint8_t *end, unsigned n_fields,
                     sql_value *values)
{
  unsigned n = 0;

  if (end - at >= 2) {
    n = get_u16(at);
    at += 2;
  }
  for (unsigned i = 0; i < n_fields; i++) {
    uint32_t len = UINT32_MAX;

    values[i] = (sql_value){ 0 };
    if (i < n && end - at >= 4) {
      len = get_u32(at);
      at += 4;
    }
    if (len > (size_t)(end - at)) /* NULL is -1 */
      continue;
    values[i] = (sql_value){ len, (const char *)at };
    at += len;
  }
}

int pgsql_wire_fetch(struct pgsql_wire *w, sql_value *values)
{
  const uint8_t *m = w->in.bytes + w->row_at;
  size_t size = message_size(m);

  while (*m != 'D') { /* a notice between rows */
    w->row_at += size;
    m += size;
    size = message_size(m);
  }
  take_row(m + WIRE_HEAD, m + size, w->n_fields, values);
  w->row_at += size;
  w->rows_left--;
  return 1;
}

/* ---- raw sessions: without libpq ---- */

void pgsql_wire_close(struct pgsql_session *p)
{
  static const uint8_t terminate[] = { 'X', 0, 0, 0, 4 };

  loop_forget(p->fd);
  (void)send(p->fd, terminate, sizeof(terminate), MSG_DONTWAIT | MSG_NOSIGNAL);
  (void)close(p->fd);
}

bool pgsql_wire_run(struct pgsql_session *p, const char *sql)
{
  struct outcome out = { 0 };
  const bool ran = pgsql_wire_query(p, sql, strlen(sql), &out) == 0 &&
                   pgsql_wire_drain(p, &out) == 0;

  if (!ran && out.lost && out.msg != strbuf_str(&p->last_text))
    pgsql_note_last_words(p, out.state, out.msg);
  pgsql_wire_end(&p->wire);
  return ran;
}

static int wire_prepare(struct pgsql_prepared *st, const char *sql,
                        struct outcome *out)
{
  struct pgsql_session *p = pgsql_of(st->base.session);
  struct pgsql_wire_answer a = { .parsed = true };

  if (p->broken || !pgsql_wire_is_clear(p))
    return pgsql_wire_fail(p, &a, true, out);
  if (!pgsql_wire_send_parse(st, sql))
    return pgsql_no_memory(out);
  if (!pgsql_wire_read(p, &a, out))
    return pgsql_wire_fail(p, &a, true, out);
  return a.failed ? pgsql_wire_fail(p, &a, false, out) : 0;
}

/* The rows of an open result stay; the answer is received beside them. */
int pgsql_wire_prepare(struct pgsql_prepared *st, const char *sql,
                       struct outcome *out)
{
  struct pgsql_session *p = pgsql_of(st->base.session);
  struct pgsql_wire *w = &p->wire;
  const struct pgsql_wire before = *w;
  int rc;

  if (w->rows_left == 0)
    return wire_prepare(st, sql, out);
  w->in = (struct wire_buffer){ 0 };
  rc = wire_prepare(st, sql, out);
  if (rc < 0 && out->msg) {
    strbuf_clear(&p->text);
    strbuf_add(&p->text, out->msg, strnlen(out->msg, PGSQL_TEXT - 1));
    out->msg = strbuf_str(&p->text);
  }
  wire_buffer_done(&w->in);
  w->in = before.in;
  w->row_at = before.row_at;
  w->rows_left = before.rows_left;
  w->n_fields = before.n_fields;
  return rc;
}
