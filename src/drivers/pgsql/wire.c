/*
 * wire.c - sends a statement, receives its answer, and reads rows.
 */
#include "drivers/pgsql/wire.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/compiler.h"
#include "db/emul.h"
#include "db/env.h"
#include "drivers/pgsql/session.h"
#include "drivers/wire/link.h"
#include "loop/loop.h"

static int request_put_digits(char to[8], int value)
{
  return snprintf(to, 8, "%d", value);
}

static void request_put_value(struct pgsql_prepared *st, unsigned i)
{
  const sql_bind *b = &st->base.binds[i];
  char *to = st->bytes[i];
  uint64_t u64;
  uint32_t u32;
  uint16_t u16;
  size_t len;

  st->values[i] = to;
  if (b->is_null && *b->is_null) {
    st->values[i] = NULL;
    return;
  }
  switch (b->type) {
  case SQL_TYPE_BIGINT:
  case SQL_TYPE_DOUBLE:
    memcpy(&u64, b->buffer, sizeof(u64));
    u64 = htobe64(u64);
    memcpy(to, &u64, sizeof(u64));
    break;
  case SQL_TYPE_INT:
  case SQL_TYPE_FLOAT:
    memcpy(&u32, b->buffer, sizeof(u32));
    u32 = htobe32(u32);
    memcpy(to, &u32, sizeof(u32));
    break;
  case SQL_TYPE_SMALLINT:
    memcpy(&u16, b->buffer, sizeof(u16));
    u16 = htobe16(u16);
    memcpy(to, &u16, sizeof(u16));
    break;
  case SQL_TYPE_TINYINT:
    st->lengths[i] = request_put_digits(to, (int)emul_bind_int(b));
    break;
  case SQL_TYPE_CHAR:
  case SQL_TYPE_VARCHAR:
    st->values[i] = emul_bind_text(b, &len);
    st->lengths[i] = (int)len;
    break;
  default:
    st->values[i] = NULL;
  }
}

void pgsql_put_values(struct pgsql_prepared *st)
{
  for (unsigned i = 0; i < st->base.n_params; i++)
    request_put_value(st, i);
}

enum {
  IN_AHEAD = 16 * 1024, /* for long answers in few pieces */
};

void pgsql_wire_set_blocking(struct pgsql_wire *w, int fd, bool on)
{
  const int flags = fcntl(fd, F_GETFL);

  if (flags < 0 ||
      fcntl(fd, F_SETFL, on ? flags & ~O_NONBLOCK : flags | O_NONBLOCK) < 0)
    w->may_block = false;
  else
    w->blocking = on;
}

/* Consumed bytes are dropped unless `keep`. */
static inline bool answer_extend(struct wire_buffer *in, size_t size, bool keep)
{
  const bool filled = in->end > 0 && in->end == in->room;

  if (!keep && in->pos > 0) {
    wire_buffer_cut(in, 0, in->pos);
    in->pos = 0;
    if (filled && in->room < IN_AHEAD)
      return wire_buffer_grow(in, in->room + 1);
  }
  return wire_buffer_extend(in, size);
}

/*
 * Wait for more of the answer, of which `size` bytes from w->in.pos on are
 * wanted.  Bytes before are dropped unless `keep`.  False: see
 * pgsql_wire_why_broken().
 *
 * libpq's socket does not block, so waiting is poll(); on TCP recv() alone may
 * wait, which saves a call; for Unix sockets see wire_receive().
 */
static bool pgsql_wire_receive(struct pgsql_wire *w, const struct wire_link *l,
                               size_t size, bool keep)
{
  /* The first bytes take the server a while, the next ones do not. */
  const bool wait = w->in.end == 0 && !w->blocking;
  int rc;

  if (UNLIKELY(!answer_extend(&w->in, size, keep))) {
    w->broken_by = ENOMEM;
    return false;
  }
  rc = wire_receive(&w->in, l, wait);
  if (UNLIKELY(rc < 0))
    w->broken_by = rc == -EPIPE ? 0 : -rc;
  return rc == 0;
}

const char *pgsql_wire_why_broken(const struct pgsql_wire *w)
{
  if (w->broken_by == ENOMEM)
    return "not enough memory for the result";
  if (w->broken_by == EFBIG)
    return RESULT_TOO_LARGE;
  if (w->broken_by == EOPNOTSUPP)
    return "COPY FROM STDIN cannot be in a pipeline";
  if (w->broken_by == EPROTO)
    return "lost synchronization with server: its answer is not understood";
  if (w->broken_by == ECONNRESET || w->broken_by == 0)
    return "server closed the connection unexpectedly";
  if (w->broken_by == ETIMEDOUT)
    return "could not receive data from server: Connection timed out";
  return "could not receive data from server";
}

void pgsql_wire_end(struct pgsql_wire *w)
{
  w->rows_left = 0;
  w->more = false;
  if (w->small)
    wire_buffer_shrink(&w->in);
  else
    wire_buffer_trim(&w->in);
}

void pgsql_wire_done(struct pgsql_wire *w)
{
  wire_buffer_done(&w->in);
  wire_buffer_done(&w->out);
  wire_pipe_done(&w->pipe);
  *w = (struct pgsql_wire){ 0 };
}

void pgsql_wire_lend(struct pgsql_session *p)
{
  if (p->wire.blocking)
    pgsql_wire_set_blocking(&p->wire, p->link.fd, false);
}

enum {
  TEXT_COPIED = 16 * 1024, /* longer texts are sent in place */
};

static bool pgsql_wire_send_query(struct pgsql_session *p, const char *sql,
                                  size_t len)
{
  struct pgsql_wire *w = &p->wire;
  const bool copied = len <= TEXT_COPIED;
  const size_t need = WIRE_HEAD + (copied ? len + 1 : 0);
  uint8_t *to;

  if (UNLIKELY(!wire_buffer_reserve(&w->out, need)))
    return false;
  to = put_u8(w->out.bytes, 'Q');
  to = put_u32(to, (uint32_t)(4 + len + 1));
  pgsql_wire_begin(w, p->link.fd);
  if (LIKELY(copied)) {
    memcpy(to, sql, len + 1);
    (void)wire_send(&p->link, w->out.bytes, WIRE_HEAD + len + 1, 0);
  } else if (wire_send(&p->link, w->out.bytes, WIRE_HEAD, MSG_MORE)) {
    (void)wire_send(&p->link, (const uint8_t *)sql, len + 1, 0);
  }
  return true;
}

/* Without its first byte. */
static size_t request_parse_size(const struct pgsql_prepared *st,
                                 const char *sql)
{
  const unsigned n = st->types ? st->base.n_params : 0;

  return 4 + strlen(st->name) + 1 + strlen(sql) + 1 + 2 + 4 * (size_t)n;
}

static uint8_t *request_put_parse(uint8_t *to, const struct pgsql_prepared *st,
                                  const char *sql)
{
  const unsigned n = st->types ? st->base.n_params : 0;
  const size_t name = strlen(st->name) + 1, text = strlen(sql) + 1;

  to = put_u8(to, 'P');
  to = put_u32(to, (uint32_t)request_parse_size(st, sql));
  memcpy(to, st->name, name);
  memcpy(to + name, sql, text);
  to = put_u16(to + name + text, n);
  for (unsigned i = 0; i < n; i++)
    to = put_u32(to, st->types[i]);
  return to;
}

static bool pgsql_wire_send_parse(struct pgsql_prepared *st, const char *sql)
{
  static const uint8_t sync[] = { 'S', 0, 0, 0, 4 };
  struct pgsql_session *p = pgsql_of(st->base.session);
  struct pgsql_wire *w = &p->wire;
  const size_t size = request_parse_size(st, sql);

  if (size > WIRE_MESSAGE_MAX ||
      !wire_buffer_reserve(&w->out, 1 + size + sizeof(sync)))
    return false;
  memcpy(request_put_parse(w->out.bytes, st, sql), sync, sizeof(sync));
  pgsql_wire_begin(w, p->link.fd);
  (void)wire_send(&p->link, w->out.bytes, 1 + size + sizeof(sync), 0);
  return true;
}

/* Parse without a name if need be, bind to the unnamed portal, describe it if
 * need be, execute, sync. */
static size_t request_size_of(const struct pgsql_prepared *st, size_t name_len)
{
  size_t size = 64 + name_len + 2 * (size_t)st->base.n_params;

  if (st->text)
    size += 1 + request_parse_size(st, st->text);
  for (unsigned i = 0; i < st->base.n_params; i++)
    size += 4 + (st->values[i] ? (size_t)st->lengths[i] : 0);
  return size;
}

static uint8_t *request_put_bind(uint8_t *to, const struct pgsql_prepared *st,
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
  to = put_u16(to, 0);
  (void)put_u32(start + 1, (uint32_t)(to - start - 1));
  return to;
}

static const uint8_t execute_and_sync[] = { 'E', 0, 0,   0, 9, 0, 0, 0,
                                            0,   0, 'S', 0, 0, 0, 4 };

static size_t request_put_messages(uint8_t *out,
                                   const struct pgsql_prepared *st,
                                   size_t name_len)
{
  static const uint8_t describe[] = { 'D', 0, 0, 0, 6, 'P', 0 };
  uint8_t *to = st->text ? request_put_parse(out, st, st->text) : out;

  to = request_put_bind(to, st, name_len);
  if (st->shape == SHAPE_UNKNOWN) {
    memcpy(to, describe, sizeof(describe));
    to += sizeof(describe);
  }
  memcpy(to, execute_and_sync, sizeof(execute_and_sync));
  return (size_t)(to + sizeof(execute_and_sync) - out);
}

enum {
  FRAME_WIDE = 8,
  FRAME_STEP = 4 + FRAME_WIDE,
};

/* Patch values into earlier messages.  False: none, or a NULL, which changes
 * the form. */
static inline bool request_frame_fill(const struct pgsql_prepared *st)
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

/* From messages that were sent with `len` bytes. */
static void request_frame_make(struct pgsql_prepared *st, const uint8_t *out,
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
    return; /* only an optimization */
  memcpy(st->frame, out, len);
  st->frame_len = (uint32_t)len;
  /* Behind the values: the format of results, and later messages. */
  st->frame_values = (uint32_t)(len - sizeof(execute_and_sync) - 2) -
                     n * FRAME_STEP + 4;
}

void pgsql_wire_forget(struct pgsql_prepared *st)
{
  free(st->frame);
  st->frame = NULL;
}

enum {
  SYNC_BYTES = 5,
};

COLD static bool request_add_slow(struct pgsql_prepared *st,
                                  struct wire_pipe *pipe)
{
  const size_t name_len = strlen(st->name);
  uint8_t *to;
  size_t len;

  pgsql_put_values(st);
  to = wire_pipe_room(pipe, request_size_of(st, name_len) + SYNC_BYTES);
  if (!to)
    return false;
  len = request_put_messages(to, st, name_len);
  if (!st->frame && st->shape != SHAPE_UNKNOWN)
    request_frame_make(st, to, len);
  pipe->out.end += len - SYNC_BYTES;
  return true;
}

bool pgsql_wire_add_execute(struct pgsql_prepared *st, struct wire_pipe *pipe)
{
  uint8_t *to;

  if (UNLIKELY(!request_frame_fill(st)))
    return request_add_slow(st, pipe);
  to = wire_pipe_room(pipe, st->frame_len + SYNC_BYTES);
  if (UNLIKELY(!to))
    return false;
  memcpy(to, st->frame, st->frame_len - SYNC_BYTES);
  pipe->out.end += st->frame_len - SYNC_BYTES;
  return true;
}

COLD static bool request_send_slow(struct pgsql_prepared *st)
{
  struct pgsql_session *p = pgsql_of(st->base.session);
  struct pgsql_wire *w = &p->wire;
  const size_t name_len = strlen(st->name);
  size_t len;

  pgsql_put_values(st);
  if (!wire_buffer_reserve(&w->out, request_size_of(st, name_len)))
    return false;
  len = request_put_messages(w->out.bytes, st, name_len);
  if (!st->frame && st->shape != SHAPE_UNKNOWN)
    request_frame_make(st, w->out.bytes, len);
  (void)wire_send(&p->link, w->out.bytes, len, 0);
  return true;
}

static bool pgsql_wire_send_execute(struct pgsql_prepared *st)
{
  struct pgsql_session *p = pgsql_of(st->base.session);

  pgsql_wire_begin(&p->wire, p->link.fd);
  if (UNLIKELY(!request_frame_fill(st)))
    return request_send_slow(st);
  (void)wire_send(&p->link, st->frame, st->frame_len, 0);
  return true;
}

/* All lengths are checked here, so counted rows are read without a look for
 * ends. */

enum {
  STATE_LENGTH = 5,
  UNREAD_KEPT = 64 * 1024, /* bytes of rows that nobody reads */
};

static const struct wire_frame frame = { WIRE_HEAD, message_size };

/* The first error counts.  False: without an SQLSTATE. */
static bool answer_note_error(struct pgsql_session *p, const uint8_t *body,
                              size_t len, struct pgsql_wire_answer *a,
                              struct outcome *out)
{
  const uint8_t *const end = body + len;
  const char *severity = "";
  bool known = false;

  if (a->failed)
    return true;
  a->failed = true;
  while (body < end && *body != '\0') {
    const uint8_t *const zero = memchr(body, '\0', (size_t)(end - body));

    if (!zero)
      break;
    if (*body == 'C' && zero - body == 1 + STATE_LENGTH) {
      memcpy(out->state, body + 1, STATE_LENGTH + 1);
      known = true;
    } else if (*body == 'V' || (*body == 'S' && !*severity)) {
      severity = (const char *)body + 1; /* the first field is translated */
    } else if (*body == 'M') {
      a->text_at = (size_t)(body + 1 - p->wire.in.bytes);
    }
    body = zero + 1;
  }
  a->goodbye = pgsql_is_goodbye(out->state, severity);
  return known;
}

static bool answer_note_setting(struct pgsql_session *p, const uint8_t *body,
                                size_t len)
{
  const uint8_t *const zero = memchr(body, '\0', len);
  const uint8_t *const value = zero ? zero + 1 : NULL;

  if (!value || !memchr(value, '\0', len - (size_t)(value - body)))
    return false;
  pgsql_hear_setting(p, (const char *)body, (const char *)value);
  return true;
}

static inline void answer_note_ready(struct pgsql_session *p, uint8_t status)
{
  p->base.trx = status == 'T'   ? TRX_OPEN
                : status == 'E' ? TRX_ABORTED
                                : TRX_NONE;
}

static uint64_t answer_count_of(const uint8_t *tag, const uint8_t *end)
{
  const uint8_t *digit = end;
  uint64_t count = 0;

  while (digit > tag && digit[-1] >= '0' && digit[-1] <= '9')
    digit--;
  if (digit == tag || digit[-1] != ' ')
    return 0;
  for (; digit < end; digit++)
    count = count * 10 + (uint64_t)(*digit - '0');
  return count;
}

static inline bool answer_note_tag(struct pgsql_session *p,
                                   struct pgsql_wire_answer *a,
                                   const uint8_t *body, size_t len)
{
  static const char rollback[] = "ROLLBACK";

  if (len == 0 || body[len - 1] != '\0')
    return false;
  a->complete = true;
  if (a->rows == 0) {
    a->changed = answer_count_of(body, body + len - 1);
    a->rolled_back = len == sizeof(rollback) &&
                     memcmp(body, rollback, sizeof(rollback)) == 0;
    if (UNLIKELY(body[0] == 'L'))
      pgsql_hear_tag(p, (const char *)body);
  }
  return true;
}

static bool answer_note_columns(struct pgsql_wire_answer *a,
                                const uint8_t *body, size_t len)
{
  if (len < 2)
    return false;
  a->shape = SHAPE_ROWS;
  a->n_fields = get_u16(body);
  return true;
}

/* The server has passed over the Sync of an execution. */
static bool answer_refuse_copy(struct pgsql_session *p,
                               struct pgsql_wire_answer *a)
{
  static const uint8_t fail_and_sync[] = {
    'f', 0, 0, 0, 5, 0, 'S', 0, 0, 0, 4
  };

  if (a->refused_copy)
    return false;
  if (a->piped) { /* the server takes what was sent for rows, and may pass over
                     Sync */
    p->wire.broken_by = EOPNOTSUPP;
    return false;
  }
  a->refused_copy = true;
  (void)wire_send(&p->link, fail_and_sync,
                  sizeof(fail_and_sync) - (a->direct ? WIRE_HEAD : 0), 0);
  return true;
}

/* One message that is no row; false: not expected here. */
static bool answer_note_message(struct pgsql_session *p, uint8_t type,
                                const uint8_t *body, size_t len,
                                struct pgsql_wire_answer *a,
                                struct outcome *out)
{
  switch (type) {
  case '1': /* ParseComplete */
    return a->piped || a->parsed;
  case '2': /* BindComplete */
  case 'N': /* NoticeResponse */
    return true;
  case 'A': /* NotificationResponse: libpq may get some, too */
    pgsql_hear_listen(p);
    return true;
  case 'I': /* EmptyQueryResponse */
    a->complete = true;
    return true;
  case 'T': /* RowDescription */
    return answer_note_columns(a, body, len);
  case 'n': /* NoData */
    a->shape = SHAPE_NO_ROWS;
    return true;
  case 'C': /* CommandComplete */
    return answer_note_tag(p, a, body, len);
  case 'E': /* ErrorResponse */
    return answer_note_error(p, body, len, a, out);
  case 'S': /* ParameterStatus */
    return answer_note_setting(p, body, len);
  case 'G': /* CopyInResponse */
    return answer_refuse_copy(p, a);
  case 'H': /* CopyOutResponse */
    a->copied_out = true;
    return true;
  case 'd': /* CopyData */
  case 'c': /* CopyDone */
    return a->copied_out;
  default: /* also CopyBothResponse: replication is endless */
    return false;
  }
}

/* Messages that come at any time and belong to no result. */
static inline bool answer_is_aside(uint8_t type)
{
  return type == 'N' || type == 'S' || type == 'A';
}

/* False: not expected there. */
static bool answer_hear_aside(struct pgsql_session *p, const uint8_t *m,
                              size_t size)
{
  struct outcome out = { 0 };
  struct pgsql_wire_answer aside = { 0 };

  if (size < WIRE_HEAD || (*m != 'E' && !answer_is_aside(*m)) ||
      !answer_note_message(p, *m, m + WIRE_HEAD, size - WIRE_HEAD, &aside,
                           &out))
    return false;
  if (aside.failed)
    pgsql_note_last_words(
      p, out.state,
      aside.text_at ? (const char *)p->wire.in.bytes + aside.text_at : NULL);
  return true;
}

/* libpq has not seen the message that has begun: read it here. */
COLD static bool answer_hear_asides(struct pgsql_session *p)
{
  struct pgsql_wire *w = &p->wire;

  while (w->in.pos < w->in.end) {
    const size_t size = wire_frame_size(&frame, &w->in);

    if (size > WIRE_MESSAGE_MAX)
      return false;
    if (wire_buffer_have(&w->in) < size) {
      if (!pgsql_wire_receive(w, &p->link, size, true))
        return true;
      continue;
    }
    if (!answer_hear_aside(p, w->in.bytes + w->in.pos, size))
      return false;
    w->in.pos += size;
  }
  return true;
}

bool pgsql_wire_look(struct pgsql_session *p)
{
  struct pgsql_wire *w = &p->wire;

  wire_buffer_clear(&w->in);
  if (!wire_look(&w->in, &p->link))
    return true;
  w->broken_by = 0;
  if (answer_hear_asides(p))
    return true;
  w->broken_by = EPROTO;
  return false;
}

/* Most of the time of large results goes here. */
static inline void answer_plain_rows(struct pgsql_wire *w,
                                     struct pgsql_wire_answer *a)
{
  const uint8_t *m = w->in.bytes + w->in.pos;
  size_t left = wire_buffer_have(&w->in);
  uint64_t n = 0;

  while (left >= WIRE_HEAD && *m == 'D') {
    const size_t size = message_size(m);

    if (size < WIRE_HEAD || size > left)
      break;
    m += size;
    left -= size;
    n++;
  }
  if (a->rows == 0 && n > 0)
    a->first_row = w->in.pos;
  a->rows += n;
  w->in.pos = (size_t)(m - w->in.bytes);
}

/* Rows that nobody will read make room.  False: too large a result. */
COLD static bool answer_make_room(struct pgsql_session *p,
                                  const struct pgsql_wire_answer *a)
{
  struct pgsql_wire *w = &p->wire;
  const size_t begin = a->rows > 0 ? a->first_row : w->in.pos;

  if (!p->base.unread || a->failed)
    return env_may_keep(p->base.env, w->in.end - begin);
  if (w->in.pos - begin >= UNREAD_KEPT) {
    wire_buffer_cut(&w->in, begin, w->in.pos);
    w->in.pos = begin;
  }
  return true;
}

static inline bool answer_messages(struct pgsql_session *p,
                                   struct pgsql_wire_answer *a,
                                   struct outcome *out)
{
  struct pgsql_wire *w = &p->wire;

  for (;;) {
    const uint8_t *m;
    size_t size;

    if (LIKELY(w->in.end > 0)) {
      static const uint8_t bound[WIRE_HEAD] = { '2', 0, 0, 0, 4 };

      if ((w->in.pos == 0 || a->piped) &&
          wire_buffer_have(&w->in) > sizeof(bound) &&
          memcmp(w->in.bytes + w->in.pos, bound, sizeof(bound)) == 0)
        w->in.pos += sizeof(bound);
      if (LIKELY(!a->complete))
        answer_plain_rows(w, a);
    }
    size = wire_frame_size(&frame, &w->in);
    if (UNLIKELY(size < WIRE_HEAD || size > WIRE_MESSAGE_MAX))
      break;
    if (wire_buffer_have(&w->in) < size) {
      /* Rows stay, and the text of an error. */
      if (UNLIKELY(w->in.end > 0) && !answer_make_room(p, a)) {
        w->broken_by = EFBIG;
        return false;
      }
      if (!pgsql_wire_receive(w, &p->link, size, a->rows > 0 || a->failed))
        return false;
      continue;
    }
    m = w->in.bytes + w->in.pos;
    if (*m == 'Z') {
      if (size == WIRE_HEAD || a->piped)
        break;
      answer_note_ready(p, m[WIRE_HEAD]);
      w->in.pos += size;
      return true;
    }
    if (a->complete && a->direct && !answer_is_aside(*m)) {
      w->more = true;
      return true;
    }
    if (LIKELY(*m == 'C')
          ? !answer_note_tag(p, a, m + WIRE_HEAD, size - WIRE_HEAD)
          : !answer_note_message(p, *m, m + WIRE_HEAD, size - WIRE_HEAD, a,
                                 out))
      break;
    w->in.pos += size;
    if (UNLIKELY(a->piped) && (a->complete || a->failed))
      return true;
  }
  if (w->broken_by == 0)
    w->broken_by = EPROTO;
  return false;
}

bool pgsql_wire_read(struct pgsql_session *p, struct pgsql_wire_answer *a,
                     struct outcome *out)
{
  struct pgsql_wire *w = &p->wire;

  w->more = false;
  w->rows_left = 0;
  if (UNLIKELY(!answer_messages(p, a, out)))
    return false;
  if (LIKELY(w->in.pos == w->in.end) || w->more || a->piped ||
      answer_hear_asides(p))
    return true;
  w->broken_by = EPROTO;
  return false;
}

const char *pgsql_wire_why_not(const struct pgsql_session *p)
{
  if (PQsslInUse(p->conn))
    return "the connection uses TLS (--pgsql-sslmode=disable is without)";
  return PQgssEncInUse(p->conn) ? "the connection is encrypted by GSS" : NULL;
}

static const char *answer_text_of(const struct pgsql_session *p,
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
    out->msg = answer_text_of(p, a);
  } else if (p->last_state[0]) {
    memcpy(out->state, p->last_state, sizeof(out->state));
    out->msg = strbuf_str(&p->last_text);
  } else {
    memcpy(out->state, "08006", 6);
    out->msg = pgsql_wire_why_broken(&p->wire);
  }
  return -1;
}

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

  while (p->wire.more) {
    *out = (struct outcome){ 0 };
    rc = pgsql_wire_next(p, out);
    p->wire.rows_left = 0;
  }
  if (out->lost) /* maybe with the reason of the loss */
    pgsql_note_last_words(p, out->state, out->msg);
  return rc;
}

int pgsql_wire_execute(struct pgsql_prepared *st, struct outcome *out)
{
  struct pgsql_session *p = pgsql_of(st->base.session);
  const bool was_aborted = p->base.trx == TRX_ABORTED;
  struct pgsql_wire_answer a = { .parsed = st->text != NULL,
                                 .shape = st->shape,
                                 .n_fields = st->n_fields };

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

static void answer_take_row(const uint8_t *at, const uint8_t *end,
                            unsigned n_fields, sql_value *values)
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
  answer_take_row(m + WIRE_HEAD, m + size, w->n_fields, values);
  w->row_at += size;
  w->rows_left--;
  return 1;
}

void pgsql_wire_close(struct pgsql_session *p)
{
  static const uint8_t terminate[] = { 'X', 0, 0, 0, 4 };

  wire_part(&p->link, terminate, sizeof(terminate));
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

static int answer_prepare(struct pgsql_prepared *st, const char *sql,
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

/* The rows of an open result stay: the answer gets its own buffer. */
int pgsql_wire_prepare(struct pgsql_prepared *st, const char *sql,
                       struct outcome *out)
{
  struct pgsql_session *p = pgsql_of(st->base.session);
  struct pgsql_wire *w = &p->wire;
  const struct pgsql_wire before = *w;
  int rc;

  if (w->rows_left == 0)
    return answer_prepare(st, sql, out);
  w->in = (struct wire_buffer){ 0 };
  rc = answer_prepare(st, sql, out);
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
