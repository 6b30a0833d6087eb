/*
 * pgsql_wire.c - prepared statements: the messages of an execution, and what
 * its answer means.
 */
#include "drivers/pgsql/pgsql_wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "db/emul.h"
#include "drivers/pgsql/pgsql_internal.h"
#include "drivers/pgsql/pgsql_wire_io.h"

const char *pgsql_wire_why_not(const struct pgsql_session *p)
{
  if (PQsslInUse(p->conn))
    return "the connection uses TLS (--pgsql-sslmode=disable is without)";
  return PQgssEncInUse(p->conn) ? "the connection is encrypted by GSS" : NULL;
}

bool pgsql_wire_suits(const struct pgsql_session *p, const char *sql,
                      size_t len)
{
  static const char *const for_libpq[] = { "COPY",    "SET",    "RESET",
                                           "DISCARD", "LISTEN", "EXECUTE" };
  size_t n;
  const char *word = emul_first_word(sql, len, p->base.dialect, &n);

  for (size_t i = 0; i < ARRAY_SIZE(for_libpq); i++) {
    if (emul_word_is(word, n, for_libpq[i]))
      return false;
  }
  return true;
}

/* ---- sending ---- */

/* Bind to the unnamed portal, describe it if need be, execute, sync. */
static size_t size_of(const struct pgsql_prepared *st, size_t name_len)
{
  size_t size = 64 + name_len + 2 * (size_t)st->base.n_params;

  for (unsigned i = 0; i < st->base.n_params; i++)
    size += 4 + (st->values[i] ? (size_t)st->lengths[i] : 0);
  return size;
}

static uint8_t *put_bind(uint8_t *to, const struct pgsql_prepared *st,
                         size_t name_len)
{
  const unsigned n = st->base.n_params;
  uint8_t *const start = to;

  *to = 'B';
  to = put_u8(to + 5, 0);
  memcpy(to, st->name, name_len + 1);
  to = put_u16(to + name_len + 1, n);
  for (unsigned i = 0; i < n; i++)
    to = put_u16(to, (unsigned)st->formats[i]);
  to = put_u16(to, n);
  for (unsigned i = 0; i < n; i++) {
    if (!st->values[i]) {
      to = put_u32(to, UINT32_MAX);
      continue;
    }
    to = put_u32(to, (uint32_t)st->lengths[i]);
    memcpy(to, st->values[i], (size_t)st->lengths[i]);
    to += st->lengths[i];
  }
  to = put_u16(to, 0); /* all results as text */
  (void)put_u32(start + 1, (uint32_t)(to - start - 1));
  return to;
}

static const uint8_t execute_and_sync[] = { 'E', 0, 0,   0, 9, 0, 0, 0,
                                            0,   0, 'S', 0, 0, 0, 4 };

static size_t put_messages(uint8_t *out, const struct pgsql_prepared *st,
                           size_t name_len)
{
  static const uint8_t describe[] = { 'D', 0, 0, 0, 6, 'P', 0 };
  uint8_t *to = put_bind(out, st, name_len);

  if (st->shape == SHAPE_UNKNOWN) {
    memcpy(to, describe, sizeof(describe));
    to += sizeof(describe);
  }
  memcpy(to, execute_and_sync, sizeof(execute_and_sync));
  return (size_t)(to + sizeof(execute_and_sync) - out);
}

/* ---- the same, patched in place ---- */

enum {
  FRAME_WIDE = 8, /* bytes of a value */
  FRAME_STEP = 4 + FRAME_WIDE,
};

/* Patch the values into the messages that were made before; false: there are
 * none, or a value is NULL, which changes their form. */
static inline bool frame_fill(const struct pgsql_prepared *st)
{
  const sql_bind *b = st->base.binds;
  const unsigned n = st->base.n_params;
  uint8_t *to;

  if (UNLIKELY(!st->frame))
    return false;
  to = st->frame + st->frame_values;
  for (unsigned i = 0; i < n; i++, to += FRAME_STEP) {
    uint64_t v;

    if (UNLIKELY(b[i].is_null && *b[i].is_null))
      return false;
    memcpy(&v, b[i].buffer, sizeof(v));
    v = htobe64(v);
    memcpy(to, &v, sizeof(v));
  }
  return true;
}

/* Of the messages that were sent with `len` bytes. */
static void frame_make(struct pgsql_prepared *st, const uint8_t *out,
                       size_t len)
{
  const unsigned n = st->base.n_params;

  for (unsigned i = 0; i < n; i++) {
    if (!st->values[i] || st->lengths[i] != FRAME_WIDE ||
        st->values[i] != st->bytes[i])
      return;
  }
  st->frame = malloc(len);
  if (!st->frame)
    return; /* it works without */
  memcpy(st->frame, out, len);
  st->frame_len = (uint32_t)len;
  /* Behind them: the format of the results, and the messages that follow. */
  st->frame_values = (uint32_t)(len - sizeof(execute_and_sync) - 2) -
                     n * FRAME_STEP + 4;
}

void pgsql_wire_forget(struct pgsql_prepared *st)
{
  free(st->frame);
  st->frame = NULL;
}

/* ---- the answer ---- */

/* What an answer said. */
struct answer {
  bool failed;
  bool changed;     /* rows, by the number in the command's tag */
  bool rolled_back; /* it says ROLLBACK */
  uint64_t rows;
  size_t first_row;
};

enum {
  STATE_LENGTH = 5
};

/* The first error counts.  False: it does not say which one it is. */
static bool note_error(struct pgsql_session *p, const uint8_t *body, size_t len,
                       struct answer *a, struct outcome *out)
{
  const uint8_t *const end = body + len;

  bool known = false;

  if (a->failed)
    return true;
  a->failed = true;
  p->text[0] = '\0';
  while (body < end && *body != '\0') {
    const uint8_t *const zero = memchr(body, '\0', (size_t)(end - body));

    if (!zero)
      break;
    if (*body == 'C' && zero - body == 1 + STATE_LENGTH) {
      memcpy(out->state, body + 1, STATE_LENGTH + 1);
      known = true;
    } else if (*body == 'M') {
      (void)snprintf(p->text, sizeof(p->text), "%s", body + 1);
    }
    body = zero + 1;
  }
  return known;
}

static void note_ready(struct pgsql_session *p, uint8_t status)
{
  p->base.trx = status == 'T'   ? TRX_OPEN
                : status == 'E' ? TRX_ABORTED
                                : TRX_NONE;
}

/* The number at the end of a command tag is not 0. */
static bool has_count(const uint8_t *tag, const uint8_t *end)
{
  while (end > tag && end[-1] >= '0' && end[-1] <= '9')
    end--;
  return end > tag && end[-1] == ' ' && *end >= '1' && *end <= '9';
}

static inline bool note_tag(struct answer *a, const uint8_t *body, size_t len)
{
  static const char rollback[] = "ROLLBACK";

  if (len == 0 || body[len - 1] != '\0')
    return false;
  if (a->rows == 0) {
    a->changed = has_count(body, body + len - 1);
    a->rolled_back = len == sizeof(rollback) &&
                     memcmp(body, rollback, sizeof(rollback)) == 0;
  }
  return true;
}

/* One message that is no row; false: it does not belong here. */
static bool note_message(struct pgsql_session *p, struct pgsql_prepared *st,
                         uint8_t type, const uint8_t *body, size_t len,
                         struct answer *a, struct outcome *out)
{
  switch (type) {
  case '2': /* BindComplete */
  case 'N': /* NoticeResponse */
  case 'A': /* NotificationResponse */
  case 'I': /* EmptyQueryResponse */
    return true;
  case 'T': /* RowDescription */
    if (len < 2)
      return false;
    st->shape = SHAPE_ROWS;
    st->n_fields = get_u16(body);
    return true;
  case 'n': /* NoData */
    st->shape = SHAPE_NO_ROWS;
    return true;
  case 'C': /* CommandComplete */
    return note_tag(a, body, len);
  case 'E': /* ErrorResponse */
    return note_error(p, body, len, a, out);
  case 'S': /* ParameterStatus: the library does not hear of it */
    p->settings_moved = true;
    return true;
  default:
    return false;
  }
}

/* Count whole rows from w->pos on: most of what large results cost. */
static inline void plain_rows(struct pgsql_wire *w, struct answer *a)
{
  const uint8_t *m = w->in + w->pos;
  size_t left = w->end - w->pos;
  uint64_t n = 0;

  while (left >= WIRE_HEAD && *m == 'D') {
    const size_t size = 1 + (size_t)get_u32(m + 1);

    if (size < WIRE_HEAD || size > left)
      break;
    m += size;
    left -= size;
    n++;
  }
  if (a->rows == 0 && n > 0)
    a->first_row = w->pos;
  a->rows += n;
  w->pos = (size_t)(m - w->in);
}

/* Read up to ReadyForQuery.  False: the connection is of no use any more. */
static bool read_answer(struct pgsql_session *p, struct pgsql_prepared *st,
                        struct answer *a, struct outcome *out)
{
  struct pgsql_wire *w = &p->wire;

  for (;;) {
    const uint8_t *m;
    size_t have, size;

    if (LIKELY(w->end > 0)) { /* there is a buffer */
      static const uint8_t bound[WIRE_HEAD] = { '2', 0, 0, 0, 4 };

      if (w->pos == 0 && w->end > sizeof(bound) &&
          LIKELY(memcmp(w->in, bound, sizeof(bound)) == 0))
        w->pos = sizeof(bound);
      plain_rows(w, a);
    }
    have = w->end - w->pos;
    if (have < WIRE_HEAD) {
      if (!wire_receive(w, p->fd, a->rows > 0))
        return false;
      continue;
    }
    m = w->in + w->pos;
    size = 1 + (size_t)get_u32(m + 1);
    if (UNLIKELY(size < WIRE_HEAD || size > WIRE_MESSAGE_MAX))
      return false;
    if (have < size) {
      if (!wire_receive(w, p->fd, a->rows > 0))
        return false;
      continue;
    }
    if (*m == 'Z') {
      if (size == WIRE_HEAD)
        return false;
      note_ready(p, m[WIRE_HEAD]);
      w->pos += size;
      return true;
    }
    if (LIKELY(*m == 'C')
          ? !note_tag(a, m + WIRE_HEAD, size - WIRE_HEAD)
          : !note_message(p, st, *m, m + WIRE_HEAD, size - WIRE_HEAD, a, out))
      return false;
    w->pos += size;
  }
}

/* One message behind the answer; false: it does not belong there. */
static bool hear_aside(struct pgsql_session *p, struct pgsql_prepared *st,
                       const uint8_t *m, size_t size)
{
  char text[sizeof(p->text)]; /* of the answer, if that was an error */
  struct outcome out = { 0 };
  struct answer aside = { 0 };
  bool good;

  memcpy(text, p->text, sizeof(text));
  good = size >= WIRE_HEAD && *m != '\0' && strchr("NSAE", *m) &&
         note_message(p, st, *m, m + WIRE_HEAD, size - WIRE_HEAD, &aside, &out);
  if (good && aside.failed)
    pgsql_note_last_words(p, out.state, p->text);
  memcpy(p->text, text, sizeof(text));
  return good;
}

/*
 * The server has said something behind its answer: settings that were changed
 * for all, notices, or why it ends the session.  What has begun to come is read
 * to its end, because the library knows nothing of it.
 */
static bool hear_asides(struct pgsql_session *p, struct pgsql_prepared *st)
{
  struct pgsql_wire *w = &p->wire;

  while (w->pos < w->end) {
    const size_t have = w->end - w->pos;
    size_t size = WIRE_HEAD;

    if (have >= WIRE_HEAD)
      size = 1 + (size_t)get_u32(w->in + w->pos + 1);
    if (have < size) {
      if (!wire_receive(w, p->fd, true))
        return true; /* the next statement notices it */
      continue;
    }
    if (!hear_aside(p, st, w->in + w->pos, size))
      return false;
    w->pos += size;
  }
  return true;
}

/* ---- outcomes ---- */

static int fail(struct pgsql_session *p, bool broken, struct outcome *out)
{
  pgsql_wire_end(&p->wire);
  if (broken)
    p->base.trx = TRX_NONE;
  p->broken |= broken;
  out->lost = p->broken || pgsql_is_goodbye(out->state);
  if (!out->state[0] && p->last_state[0]) {
    memcpy(out->state, p->last_state, sizeof(out->state));
    (void)snprintf(p->text, sizeof(p->text), "%s", p->last_text);
  } else if (!out->state[0]) {
    memcpy(out->state, "08006", 6);
    (void)snprintf(p->text, sizeof(p->text), "%s", wire_why_broken(&p->wire));
  }
  out->msg = p->text;
  return -1;
}

/* False: no memory. */
COLD static bool send_execution(struct pgsql_prepared *st)
{
  struct pgsql_session *p = pgsql_of(st->base.session);
  struct pgsql_wire *w = &p->wire;
  const size_t name_len = strlen(st->name);
  size_t len;

  pgsql_put_values(st);
  if (!wire_out_room(w, size_of(st, name_len)))
    return false;
  len = put_messages(w->out, st, name_len);
  if (!st->frame && st->shape != SHAPE_UNKNOWN)
    frame_make(st, w->out, len);
  pgwire_send(w, p->fd, w->out, len);
  return true;
}

int pgsql_wire_execute(struct pgsql_prepared *st, struct outcome *out)
{
  struct pgsql_session *p = pgsql_of(st->base.session);
  struct pgsql_wire *w = &p->wire;
  const bool was_aborted = p->base.trx == TRX_ABORTED;
  struct answer a = { 0 };

  if (LIKELY(frame_fill(st)))
    pgwire_send(w, p->fd, st->frame, st->frame_len);
  else if (!send_execution(st))
    return pgsql_no_memory(out);
  if (!read_answer(p, st, &a, out))
    return fail(p, true, out);
  if (UNLIKELY(w->pos < w->end) && !hear_asides(p, st))
    return fail(p, true, out);
  if (UNLIKELY(a.failed))
    return fail(p, false, out);
  if (UNLIKELY(was_aborted) && a.rolled_back &&
      pgsql_is_commit(p, st->base.sql, st->base.len))
    return pgsql_refused_commit(out);
  if (st->shape == SHAPE_ROWS) {
    out->counter = COUNTER_READ;
    out->nfields = st->n_fields;
    out->nrows = a.rows;
    w->row_at = a.first_row;
    w->rows_left = a.rows;
    w->n_fields = st->n_fields;
    out->settled = w->room <= WIRE_KEEP;
  } else {
    out->counter = a.changed ? COUNTER_WRITE : COUNTER_OTHER;
  }
  return 0;
}

/* ---- rows ---- */

/* The columns of one row; what is missing or wrong in it is NULL. */
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
  const uint8_t *m = w->in + w->row_at;
  size_t size = 1 + (size_t)get_u32(m + 1);

  while (*m != 'D') { /* a notice between rows */
    w->row_at += size;
    m += size;
    size = 1 + (size_t)get_u32(m + 1);
  }
  take_row(m + WIRE_HEAD, m + size, w->n_fields, values);
  w->row_at += size;
  w->rows_left--;
  return 1;
}
