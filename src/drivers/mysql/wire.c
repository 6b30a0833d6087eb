/*
 * wire.c - the backend that speaks the protocol on a plain socket.
 */
#include "drivers/mysql/wire.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/compiler.h"
#include "base/mem.h"
#include "db/env.h"
#include "drivers/mysql/bytes.h"
#include "drivers/mysql/error.h"
#include "drivers/mysql/session.h"
#include "loop/loop.h"

static size_t wire_packet_size(const uint8_t *head)
{
  return PACKET_HEAD + packet_length(head);
}

static const struct wire_frame frame = { PACKET_HEAD, wire_packet_size };

/* Of each buffer, after a statement. */
static inline size_t wire_most_kept(const struct wire *w)
{
  return w->light ? WIRE_FIRST : WIRE_KEEP;
}

uint8_t *mysqld_wire_out(struct wire *w, size_t len)
{
  const size_t need = PACKET_HEAD + len;

  if (UNLIKELY(need > w->out.room)) {
    if (!wire_buffer_grow(&w->out, need))
      return NULL;
    w->large |= w->out.room > wire_most_kept(w);
  }
  return w->out.bytes + PACKET_HEAD;
}

bool mysqld_wire_send(struct wire *w, const struct wire_link *l, size_t len,
                      unsigned seq)
{
  uint8_t *p = w->out.bytes;

  while (len >= PACKET_MAX) {
    packet_head(p, PACKET_MAX, seq++);
    if (!wire_send(l, p, PACKET_HEAD + PACKET_MAX, MSG_MORE))
      return false;
    p += PACKET_MAX;
    len -= PACKET_MAX;
  }
  packet_head(p, len, seq);
  w->seq = (uint8_t)(seq + 1);
  return wire_send(l, p, PACKET_HEAD + len, 0);
}

bool mysqld_wire_is_farewell(const uint8_t *packet, size_t len)
{
  return len >= 3 && packet[0] == FIRST_ERROR &&
         mysqld_error_is_lost((int)bytes_le(packet + 1, 2));
}

bool mysqld_wire_look(struct wire *w, const struct wire_link *l)
{
  return w->in.pos == w->in.end && !wire_look(&w->in, l);
}

int mysqld_wire_fill(struct wire *w, const struct wire_link *l)
{
  int rc;

  rc = wire_frame_fill(&frame, &w->in, l, w->poll_first);
  w->large |= w->in.room > wire_most_kept(w);
  return rc == 0 || rc == -ENOMEM ? rc : -EPIPE;
}

int mysqld_wire_packet_slow(struct wire *w, const struct wire_link *l,
                            const uint8_t **ret)
{
  const uint8_t *p;
  size_t len;
  const int rc = mysqld_wire_fill(w, l);

  if (rc < 0)
    return rc;
  p = w->in.bytes + w->in.pos;
  len = packet_length(p);
  *ret = p + PACKET_HEAD;
  if (packet_number(p) != w->seq && !mysqld_wire_is_farewell(*ret, len))
    return -EPROTO;
  w->seq++;
  w->in.pos += PACKET_HEAD + len;
  return (int)len;
}

/* Pending and unexpected bytes stay. */
static COLD void wire_trim_light(struct wire *w)
{
  if (w->in.room > WIRE_FIRST && w->in.pos == w->in.end)
    wire_buffer_shrink(&w->in);
  wire_buffer_shrink(&w->out);
  if (w->pipe.out.room > WIRE_FIRST && w->pipe.out.pos == w->pipe.out.end)
    wire_buffer_done(&w->pipe.out);
  w->large = w->in.room > WIRE_FIRST;
  if (w->big.room > WIRE_FIRST)
    strbuf_done(&w->big);
}

void mysqld_wire_lighten(struct wire *w)
{
  w->light = true;
  wire_buffer_done(&w->in);
  wire_buffer_done(&w->out);
  w->large = false;
}

void mysqld_wire_trim(struct wire *w)
{
  if (UNLIKELY(w->light)) {
    wire_trim_light(w);
    return;
  }
  if (UNLIKELY(w->in.room > WIRE_KEEP))
    mysqld_wire_forget(w);
  wire_buffer_trim(&w->in);
  wire_buffer_trim(&w->out);
  if (!w->pipe.sending) /* a part is still to be sent */
    wire_buffer_trim(&w->pipe.out);
  if (UNLIKELY(w->big.room > WIRE_KEEP))
    strbuf_done(&w->big);
  w->large = false;
}

void mysqld_wire_done(struct wire *w)
{
  wire_buffer_done(&w->in);
  wire_buffer_done(&w->out);
  wire_pipe_done(&w->pipe);
  strbuf_done(&w->big);
  memset(w, 0, sizeof(*w));
}

enum {
  COLUMN_TAIL = 12,  /* end of a column definition */
  PROGRESS = 0xffff, /* no error */
  USUAL_LENGTH = 15,
  UNREAD_KEPT = 64 * 1024, /* bytes of rows that nobody reads */
};

int mysqld_wire_failed(struct mysql_session *s, int rc, struct outcome *out)
{
  if (rc == -EPROTO)
    return mysqld_error_out_of_step(s, out);
  if (rc != -ENOMEM)
    return mysqld_error_lost(s, out);
  (void)mysqld_error_no_memory(s, out);
  out->lost = true; /* nothing tells further answers apart */
  s->lost = true;
  return -1;
}

int mysqld_wire_refused(struct mysql_session *s, const uint8_t *packet,
                        size_t len, struct outcome *out)
{
  struct bytes text;
  const char *state;
  int code;

  if (!bytes_error(packet, len, &code, &state, &text))
    return mysqld_error_malformed(s, out);
  return mysqld_error_set(s, out, code, state, (const char *)text.at,
                          (size_t)(text.end - text.at));
}

int mysqld_wire_surplus(struct mysql_session *s, struct outcome *out)
{
  struct wire *w = &s->wire;
  const uint8_t *p = w->in.bytes + w->in.pos;
  const size_t have = w->in.end - w->in.pos;

  if (have > PACKET_HEAD && have - PACKET_HEAD >= packet_length(p) &&
      mysqld_wire_is_farewell(p + PACKET_HEAD, packet_length(p)))
    return mysqld_wire_refused(s, p + PACKET_HEAD, packet_length(p), out);
  return mysqld_error_out_of_step(s, out);
}

/* MariaDB reports progress between any two packets. */
static bool answer_is_progress(const uint8_t *packet, size_t len)
{
  return packet[0] == FIRST_ERROR && len >= 3 &&
         bytes_le(packet + 1, 2) == PROGRESS;
}

static bool answer_is_end(const struct wire *w, const uint8_t *packet,
                          size_t len)
{
  return packet[0] == FIRST_END &&
         (w->forms.no_eof ? len < PACKET_MAX : len == END_LENGTH);
}

static bool answer_end_parse(const struct wire *w, const uint8_t *packet,
                             size_t len, unsigned *ret_status)
{
  uint64_t affected;

  if (w->forms.no_eof)
    return bytes_ok(packet, len, &affected, ret_status);
  *ret_status = (unsigned)bytes_le(packet + 3, 2);
  return true;
}

static void answer_column_set(struct column *c, const uint8_t *packet,
                              size_t len)
{
  const uint8_t *p = packet + len - COLUMN_TAIL;

  c->length = (uint32_t)bytes_le(p + 2, 4);
  c->type = p[6];
  c->flags = (uint16_t)bytes_le(p + 7, 2);
  c->decimals = p[9];
}

static inline int answer_columns_end(struct mysql_session *s,
                                     struct outcome *out)
{
  const uint8_t *packet;
  int len;

  if (s->wire.forms.no_eof)
    return 0;
  len = mysqld_wire_packet(&s->wire, &s->link, &packet);
  if (UNLIKELY(len <= 0))
    return len < 0 ? mysqld_wire_failed(s, len, out)
                   : mysqld_error_malformed(s, out);
  return LIKELY(answer_is_end(&s->wire, packet, (size_t)len))
           ? 0
           : mysqld_error_malformed(s, out);
}

/* `n` definitions and their end; `cols` may be NULL.  0 or -1. */
static int mysqld_wire_columns(struct mysql_session *s, struct column *cols,
                               uint32_t n, struct outcome *out)
{
  const uint8_t *packet;
  int len;

  for (uint32_t i = 0; i < n; i++) {
    len = mysqld_wire_packet(&s->wire, &s->link, &packet);
    if (len < 0)
      return mysqld_wire_failed(s, len, out);
    if (len < COLUMN_TAIL)
      return mysqld_error_malformed(s, out);
    if (cols)
      answer_column_set(&cols[i], packet, (size_t)len);
  }
  return answer_columns_end(s, out);
}

/* Definitions follow. */
static bool answer_room_for(struct mysql_prepared *p, uint32_t n)
{
  struct column *cols;

  if (p->n_cols == n)
    return true;
  cols = reallocarray(p->cols, n, sizeof(*cols));
  if (!cols)
    return false;
  p->cols = cols;
  p->n_cols = n;
  return true;
}

/*
 * Count rows from *pos on, while a head and a byte follow and nothing needs a
 * closer look: most of the time of large results.  Within PACKET_MAX bytes no
 * row has several packets.
 */
static uint64_t answer_plain_rows(const struct wire *w, size_t *pos)
{
  const size_t have = w->in.end - *pos;
  const uint8_t *p, *last;
  uint64_t n = 0;

  if (have <= PACKET_HEAD)
    return 0;
  p = w->in.bytes + *pos;
  last = p + (have - PACKET_HEAD <= PACKET_MAX ? have - PACKET_HEAD - 1
                                               : PACKET_MAX);
  for (;;) {
    const size_t len = packet_length(p);
    const size_t left = (size_t)(last - p);

    if (len == 0 || p[PACKET_HEAD] >= FIRST_END || len + PACKET_HEAD > left)
      break;
    p += PACKET_HEAD + len;
    n++;
  }
  *pos = (size_t)(p - w->in.bytes);
  return n;
}

/* Before more is received: rows up to *pos make room if nobody will read them.
 * False: too large a result. */
static COLD bool answer_make_room(struct mysql_session *s, size_t begin,
                                  size_t *pos)
{
  struct wire *w = &s->wire;

  if (!s->base.unread)
    return env_may_keep(s->base.env, w->in.end - begin);
  if (*pos - begin >= UNREAD_KEPT) {
    wire_buffer_cut(&w->in, begin, *pos);
    *pos = begin;
  }
  return true;
}

static int answer_rows(struct mysql_session *s, uint32_t nfields,
                       struct outcome *out)
{
  struct wire *w = &s->wire;
  const size_t begin = w->in.pos;
  size_t pos = begin, len;
  uint64_t n = 0;
  uint64_t others = w->seq;
  unsigned status;
  bool inside = false;
  const uint8_t *p;

  for (;;) {
    if (LIKELY(!inside))
      n += answer_plain_rows(w, &pos);
    if (UNLIKELY(w->in.end - pos < PACKET_HEAD + 1 ||
                 w->in.end - pos <
                   (len = packet_length(w->in.bytes + pos)) + PACKET_HEAD)) {
      int rc;

      if (UNLIKELY(!answer_make_room(s, begin, &pos)))
        return mysqld_error_too_large(s, out);
      w->in.pos = pos;
      rc = mysqld_wire_fill(w, &s->link);
      if (rc < 0) {
        out->during_results = true;
        return mysqld_wire_failed(s, rc, out);
      }
      len = packet_length(w->in.bytes + pos);
    }
    p = w->in.bytes + pos + PACKET_HEAD;
    pos += PACKET_HEAD + len;
    /* Plain rows are not checked: this number tells as much. */
    if (UNLIKELY(p[-1] != (uint8_t)(n + others) &&
                 !mysqld_wire_is_farewell(p, len)))
      return mysqld_error_out_of_step(s, out);
    others++;
    if (UNLIKELY(!inside && (len == 0 || *p >= FIRST_END))) {
      w->in.pos = pos;
      if (len == 0)
        return mysqld_error_malformed(s, out);
      if (answer_is_progress(p, len)) {
        wire_buffer_cut(&w->in, pos - PACKET_HEAD - len, pos);
        pos -= PACKET_HEAD + len;
        continue;
      }
      if (*p == FIRST_ERROR) {
        out->during_results = true;
        return mysqld_wire_refused(s, p, len, out);
      }
      if (answer_is_end(w, p, len))
        break;
    }
    inside = len == PACKET_MAX;
    n += !inside;
    others -= !inside; /* counted as a row */
  }
  w->seq = (uint8_t)(n + others);
  w->next_row = begin;
  w->rows_left = s->base.unread ? 0 : n; /* some may be gone */
  w->nfields = nfields;
  if (!answer_end_parse(w, p, len, &status))
    return mysqld_error_malformed(s, out);
  mysqld_error_none(s, out, status, nfields, n);
  out->settled = !s->more && !w->large;
  return 0;
}

/* A number of columns, and perhaps whether definitions follow. */
static int answer_result_set(struct mysql_session *s, struct mysql_prepared *p,
                             const uint8_t *packet, size_t len,
                             struct outcome *out)
{
  struct bytes b = { packet, packet + len };
  bool described = true;
  uint64_t n;

  if (!bytes_number(&b, &n) || n == 0 || n > UINT16_MAX)
    return mysqld_error_malformed(s, out);
  if (b.at < b.end)
    described = *b.at != 0;
  if (p && described && !answer_room_for(p, (uint32_t)n))
    return mysqld_wire_failed(s, -ENOMEM, out);
  if (p && !described && p->n_cols != n)
    return mysqld_error_malformed(s, out);
  if (described
        ? mysqld_wire_columns(s, p ? p->cols : NULL, (uint32_t)n, out) < 0
        : answer_columns_end(s, out) < 0)
    return -1;
  return answer_rows(s, (uint32_t)n, out);
}

static int answer_ok(struct mysql_session *s, const uint8_t *packet, size_t len,
                     struct outcome *out)
{
  uint64_t affected;
  unsigned status;

  if (!bytes_ok(packet, len, &affected, &status))
    return mysqld_error_malformed(s, out);
  mysqld_error_none(s, out, status, 0, affected);
  return 0;
}

/* The server asked with number `seq`, and gets an empty file. */
static bool answer_refuse_file(struct mysql_session *s, unsigned seq)
{
  s->wire.seq = (uint8_t)(seq + 2);
  return mysqld_wire_out(&s->wire, 0) &&
         mysqld_wire_send(&s->wire, &s->link, 0, seq + 1);
}

/* To a prepared statement: the known number of columns, without definitions,
 * and their end, compared with packet numbers in one step. */
static inline bool answer_is_usual(const struct wire *w,
                                   const struct mysql_prepared *p)
{
  const uint64_t head = UINT64_C(0x0005000001000002) | (uint64_t)p->n_cols
                                                         << 32;
  uint64_t first;
  uint32_t rest;

  if (w->in.end - w->in.pos < USUAL_LENGTH || w->forms.no_eof || w->seq != 1 ||
      p->n_cols - 1 >= BYTES_NULL - 1)
    return false;
  memcpy(&first, w->in.bytes + w->in.pos, sizeof(first));
  memcpy(&rest, w->in.bytes + w->in.pos + sizeof(first) - 1, sizeof(rest));
  return le64toh(first) == head && le32toh(rest) == 0xfe020000;
}

/* *ret_refused: success, but the server got an empty file. */
static int wire_answer(struct mysql_session *s, struct mysql_prepared *p,
                       struct outcome *out, bool *ret_refused)
{
  struct wire *w = &s->wire;
  const uint8_t *packet;
  bool refused = false;
  int len;

  *ret_refused = false;
  for (;;) {
    len = mysqld_wire_packet(w, &s->link, &packet);
    if (UNLIKELY(len <= 0))
      return len < 0 ? mysqld_wire_failed(s, len, out)
                     : mysqld_error_malformed(s, out);
    switch (*packet) {
    case FIRST_OK:
      *ret_refused = refused;
      return answer_ok(s, packet, (size_t)len, out);
    case FIRST_ERROR:
      if (answer_is_progress(packet, (size_t)len))
        continue;
      return mysqld_wire_refused(s, packet, (size_t)len, out);
    case FIRST_FILE:
      if (UNLIKELY(w->pipe.in_flight > 0))
        return mysqld_error_no_file_here(s, out);
      if (!answer_refuse_file(s, packet[-1]))
        return mysqld_error_gone(s, out);
      refused = true;
      continue;
    default:
      return answer_result_set(s, p, packet, (size_t)len, out);
    }
  }
}

/* No success, whatever the server says; further results are read. */
static COLD int answer_without_file(struct mysql_session *s,
                                    struct outcome *out)
{
  bool refused;

  while (s->more) {
    memset(out, 0, sizeof(*out));
    (void)wire_answer(s, s->wire.from, out, &refused);
    if (out->lost)
      return -1;
  }
  s->wire.rows_left = 0;
  memset(out, 0, sizeof(*out));
  return mysqld_error_set(s, out, CODE_NO_FILE, NULL, NO_FILE_TEXT,
                          sizeof(NO_FILE_TEXT) - 1);
}

int mysqld_wire_result(struct mysql_session *s, struct mysql_prepared *p,
                       struct outcome *out)
{
  struct wire *w = &s->wire;
  bool refused;
  int rc;

  w->rows_left = 0;
  w->from = p;
  if (LIKELY(p && answer_is_usual(w, p))) {
    w->in.pos += USUAL_LENGTH;
    w->seq = 3;
    return answer_rows(s, p->n_cols, out);
  }
  rc = wire_answer(s, p, out, &refused);
  return LIKELY(!refused || rc < 0) ? rc : answer_without_file(s, out);
}

enum {
  EXECUTE_HEAD = 10,   /* command, statement, flags, iterations */
  PARAMETER_COUNT = 8, /* flag */
};

/* Without the types, which were sent. */
static void wire_execute_frame_make(struct mysql_prepared *p,
                                    const uint8_t *command)
{
  struct mysql_session *s = prepared_session(p);
  const sql_bind *binds = p->base.binds;
  const unsigned n = p->base.n_binds;
  const struct params_form form = { .named = s->wire.forms.attributes };
  const uint8_t *end;

  free(p->frame);
  p->frame = NULL;
  for (unsigned i = 0; i < n; i++) {
    if (!mysqld_params_is_wide(binds[i].type) || param_is_null(&binds[i]))
      return;
  }
  p->frame = malloc(PACKET_HEAD + EXECUTE_HEAD +
                    mysqld_params_size(binds, n, form));
  if (!p->frame)
    return;
  memcpy(p->frame + PACKET_HEAD, command, EXECUTE_HEAD);
  end = mysqld_params_put(binds, n, form,
                          p->frame + PACKET_HEAD + EXECUTE_HEAD);
  p->frame_len = (uint32_t)(end - p->frame);
  p->frame_values = p->frame_len - n * (uint32_t)sizeof(uint64_t);
  packet_head(p->frame, p->frame_len - PACKET_HEAD, 0);
}

static struct params_form wire_execute_form_of(const struct mysql_prepared *p)
{
  const struct mysql_session *s = session_of(p->base.session);

  return (struct params_form){ .types = !p->types_sent,
                               .named = s->wire.forms.attributes };
}

size_t mysqld_wire_execute_size(const struct mysql_prepared *p)
{
  return EXECUTE_HEAD + mysqld_params_size(p->base.binds, p->base.n_binds,
                                           wire_execute_form_of(p));
}

size_t mysqld_wire_put_execute(struct mysql_prepared *p, uint8_t *to)
{
  const struct params_form form = wire_execute_form_of(p);
  const unsigned n = p->base.n_binds;
  const uint8_t *end;

  to[0] = COMMAND_EXECUTE;
  put_le32(to + 1, p->id);
  to[5] = form.named && n > 0 ? PARAMETER_COUNT : 0; /* no cursor */
  put_le32(to + 6, 1);
  end = mysqld_params_put(p->base.binds, n, form, to + EXECUTE_HEAD);
  if (!p->types_sent)
    wire_execute_frame_make(p, to);
  p->types_sent = true;
  return (size_t)(end - to);
}

enum {
  PREPARED_LENGTH = 12,
};

int mysqld_wire_send_text(struct mysql_session *s, enum wire_command command,
                          const char *text, size_t len, struct outcome *out)
{
  uint8_t *to = mysqld_wire_out(&s->wire, 3 + len);
  size_t head;

  if (!to)
    return mysqld_error_no_memory(s, out);
  head = mysqld_wire_head(&s->wire, command, to);
  memcpy(to + head, text, len);
  s->sent = len;
  return mysqld_wire_send(&s->wire, &s->link, head + len, 0)
           ? 0
           : mysqld_error_gone(s, out);
}

static int wire_query(struct mysql_session *s, const char *sql, size_t len,
                      struct outcome *out)
{
  if (UNLIKELY(!mysqld_wire_is_clear(&s->wire, &s->link)))
    return mysqld_wire_surplus(s, out);
  mysqld_wire_forget(&s->wire);
  if (mysqld_wire_send_text(s, COMMAND_QUERY, sql, len, out) < 0)
    return -1;
  mysqld_wire_await(&s->wire, &s->link);
  return mysqld_wire_result(s, NULL, out);
}

static int wire_next_result(struct mysql_session *s, struct outcome *out)
{
  struct wire *w = &s->wire;

  if (!s->more) {
    out->ended = true;
    return 0;
  }
  /* The bytes behind the earlier rows move to the front. */
  wire_buffer_cut(&w->in, 0, w->in.pos);
  w->in.pos = 0;
  return mysqld_wire_result(s, w->from, out);
}

static int wire_end_results(struct mysql_session *s, struct outcome *out)
{
  int rc = 0;

  while (s->more) {
    *out = (struct outcome){ 0 };
    rc = wire_next_result(s, out);
  }
  s->wire.rows_left = 0;
  s->wire.from = NULL;
  mysqld_wire_trim(&s->wire);
  return rc;
}

static bool wire_digits(struct mysql_session *s, uint32_t columns)
{
  const size_t need = (size_t)columns * VALUE_ROOM;
  char *p;

  if (LIKELY(need <= s->digits_room))
    return true;
  p = realloc(s->digits, need);
  if (!p)
    return false;
  s->digits = p;
  s->digits_room = need;
  return true;
}

static const uint8_t *wire_next_row(struct wire *w, size_t *ret_len)
{
  const uint8_t *p = w->in.bytes + w->next_row;
  size_t len = packet_length(p);

  w->next_row += PACKET_HEAD + len;
  w->rows_left--;
  if (LIKELY(len < PACKET_MAX)) {
    *ret_len = len;
    return p + PACKET_HEAD;
  }
  strbuf_clear(&w->big);
  strbuf_add(&w->big, p + PACKET_HEAD, len);
  while (len == PACKET_MAX) {
    p = w->in.bytes + w->next_row;
    len = packet_length(p);
    w->next_row += PACKET_HEAD + len;
    strbuf_add(&w->big, p + PACKET_HEAD, len);
  }
  *ret_len = w->big.len;
  return w->big.failed ? NULL : (const uint8_t *)w->big.text;
}

static bool wire_text_row(const uint8_t *row, size_t len, uint32_t n,
                          sql_value *values)
{
  struct bytes b = { row, row + len };

  for (uint32_t i = 0; i < n; i++) {
    if (b.at < b.end && *b.at == BYTES_NULL) {
      b.at++;
      values[i] = (sql_value){ 0, NULL };
    } else if (!bytes_string(&b, &values[i])) {
      return false;
    }
  }
  return true;
}

static int wire_fetch(struct mysql_session *s, sql_value *values)
{
  struct wire *w = &s->wire;
  const uint8_t *row;
  size_t len;

  if (w->rows_left == 0)
    return 0;
  row = wire_next_row(w, &len);
  if (!row)
    return 0;
  if (!w->from)
    return wire_text_row(row, len, w->nfields, values);
  return len > 0 && wire_digits(s, w->nfields) &&
         mysqld_value_row(w->from->cols, w->nfields, row + 1, len - 1,
                          s->digits, values);
}

static int wire_read_prepared(struct mysql_prepared *p, const uint8_t *packet,
                              struct outcome *out)
{
  struct mysql_session *s = prepared_session(p);
  const uint32_t n_cols = (uint32_t)bytes_le(packet + 5, 2);
  const uint32_t n_params = (uint32_t)bytes_le(packet + 7, 2);

  p->id = (uint32_t)bytes_le(packet + 1, 4);
  p->open = true;
  p->base.n_params = n_params;
  if (n_params > 0 && mysqld_wire_columns(s, NULL, n_params, out) < 0)
    return -1;
  if (n_cols == 0)
    return 0;
  p->cols = mem_new(n_cols, sizeof(*p->cols));
  if (!p->cols)
    return mysqld_wire_failed(s, -ENOMEM, out);
  p->n_cols = n_cols;
  return mysqld_wire_columns(s, p->cols, n_cols, out);
}

static int wire_prepare(struct mysql_prepared *p, struct outcome *out)
{
  struct mysql_session *s = prepared_session(p);
  struct wire *w = &s->wire;
  const uint8_t *packet = NULL;
  size_t begin;
  int rc, len;

  if (!mysqld_wire_is_clear(w, &s->link))
    return mysqld_wire_surplus(s, out);
  begin = w->in.end;
  if (mysqld_wire_send_text(s, COMMAND_PREPARE, p->base.sql, p->base.len, out) <
      0)
    return -1;
  w->in.pos = begin;
  len = mysqld_wire_packet(w, &s->link, &packet);
  if (len < 0)
    return mysqld_wire_failed(s, len, out);
  if (len > 0 && *packet == 0xff)
    rc = mysqld_wire_refused(s, packet, (size_t)len, out);
  else if (len < PREPARED_LENGTH || *packet != 0)
    rc = mysqld_error_malformed(s, out);
  else
    rc = wire_read_prepared(p, packet, out);
  if (rc == 0 && w->in.pos < w->in.end)
    rc = mysqld_wire_surplus(s, out);
  w->in.pos = w->in.end = begin;
  return rc;
}

COLD static int wire_send_execute(struct mysql_prepared *p, struct outcome *out)
{
  struct mysql_session *s = prepared_session(p);
  uint8_t *to = mysqld_wire_out(&s->wire, mysqld_wire_execute_size(p));

  if (UNLIKELY(!to))
    return mysqld_error_no_memory(s, out);
  s->sent = mysqld_wire_put_execute(p, to);
  return LIKELY(mysqld_wire_send(&s->wire, &s->link, s->sent, 0))
           ? 0
           : mysqld_error_gone(s, out);
}

static int wire_execute(struct mysql_prepared *p, struct outcome *out)
{
  struct mysql_session *s = prepared_session(p);

  if (UNLIKELY(!mysqld_wire_is_clear(&s->wire, &s->link)))
    return mysqld_wire_surplus(s, out);
  mysqld_wire_forget(&s->wire);
  if (LIKELY(mysqld_wire_patch(p))) {
    s->sent = p->frame_len - PACKET_HEAD;
    if (UNLIKELY(!wire_send(&s->link, p->frame, p->frame_len, 0)))
      return mysqld_error_gone(s, out);
  } else if (wire_send_execute(p, out) < 0) {
    return -1;
  }
  mysqld_wire_await(&s->wire, &s->link);
  return mysqld_wire_result(s, p, out);
}

static void wire_unprepare(struct mysql_prepared *p, bool going)
{
  struct mysql_session *s = prepared_session(p);
  uint8_t *to;

  if (p->open && !going && !s->lost && (to = mysqld_wire_out(&s->wire, 5))) {
    to[0] = COMMAND_CLOSE;
    put_le32(to + 1, p->id);
    /* No answer; the next statement notices a broken connection. */
    (void)mysqld_wire_send(&s->wire, &s->link, 5, 0);
    loop_settle(s->link.fd);
  }
  if (s->wire.from == p) {
    s->wire.from = NULL;
    s->wire.rows_left = 0;
  }
  p->open = false;
  free(p->cols);
  p->cols = NULL;
  p->n_cols = 0;
  free(p->frame);
  p->frame = NULL;
}

static void wire_closed(struct mysql_session *s)
{
  mysqld_wire_done(&s->wire);
}

const struct backend mysqld_wire_backend = {
  .name = "wire",
  .query = wire_query,
  .fetch = wire_fetch,
  .next_result = wire_next_result,
  .end_results = wire_end_results,
  .prepare = wire_prepare,
  .execute = wire_execute,
  .unprepare = wire_unprepare,
  .closed = wire_closed,
};
