/*
 * wire.c - statements and their rows on a plain socket, without the
 * client library.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/mem.h"
#include "drivers/mysql/bytes.h"
#include "drivers/mysql/error.h"
#include "drivers/mysql/session.h"
#include "drivers/mysql/wire.h"
#include "drivers/mysql/wire_execute.h"
#include "loop/loop.h"

enum {
  PREPARED_LENGTH = 12,
};

/* Sends a command and its text. */
static int send_text(struct mysql_session *s, enum wire_command command,
                     const char *text, size_t len, struct outcome *out)
{
  uint8_t *to = mysqld_wire_out(&s->wire, 3 + len);
  size_t head = 0;

  if (!to)
    return mysqld_error_no_memory(s, out);
  to[head++] = (uint8_t)command;
  if (command == COMMAND_QUERY && s->wire.forms.attributes) {
    to[head++] = 0; /* no parameters */
    to[head++] = 1; /* one set of them */
  }
  memcpy(to + head, text, len);
  s->sent = len;
  return mysqld_wire_send(&s->wire, s->fd, head + len, 0)
           ? 0
           : mysqld_error_gone(s, out);
}

static int wire_query(struct mysql_session *s, const char *sql, size_t len,
                      struct outcome *out)
{
  if (UNLIKELY(!mysqld_wire_is_clear(&s->wire, s->fd)))
    return mysqld_wire_surplus(s, out);
  mysqld_wire_forget(&s->wire);
  if (send_text(s, COMMAND_QUERY, sql, len, out) < 0)
    return -1;
  mysqld_wire_await(&s->wire, s->fd);
  return mysqld_wire_result(s, NULL, out);
}

static int wire_next_result(struct mysql_session *s, struct outcome *out)
{
  struct wire *w = &s->wire;

  if (!s->more) {
    out->ended = true;
    return 0;
  }
  /* The earlier rows have ended; the bytes after them move to the front. */
  wire_buffer_cut(&w->in, 0, w->in.pos);
  w->in.pos = 0;
  return mysqld_wire_result(s, w->from, out);
}

static int wire_end_results(struct mysql_session *s, struct outcome *out)
{
  int rc = 0;

  while (s->more) { /* a failure ends the loop, too */
    *out = (struct outcome){ 0 };
    rc = wire_next_result(s, out);
  }
  s->wire.rows_left = 0;
  s->wire.from = NULL;
  mysqld_wire_trim(&s->wire);
  return rc;
}

/* ---- rows ---- */

/* Returns the next row; one that takes several packets is put together. */
static const uint8_t *next_row(struct wire *w, size_t *ret_len)
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

static bool text_row(const uint8_t *row, size_t len, uint32_t n,
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
  row = next_row(w, &len);
  if (!row)
    return 0;
  if (!w->from)
    return text_row(row, len, w->nfields, values);
  return len > 0 && mysqld_session_digits(s, w->nfields) &&
         mysqld_value_row(w->from->cols, w->nfields, row + 1, len - 1,
                          s->digits, values);
}

/* ---- prepared statements ---- */

/* Reads what follows the answer to the preparation. */
static int read_prepared(struct mysql_prepared *p, const uint8_t *packet,
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

  if (!mysqld_wire_is_clear(w, s->fd))
    return mysqld_wire_surplus(s, out);
  begin = w->in.end; /* rows of an open result stay */
  if (send_text(s, COMMAND_PREPARE, p->base.sql, p->base.len, out) < 0)
    return -1;
  w->in.pos = begin;
  len = mysqld_wire_packet(w, s->fd, &packet);
  if (len < 0)
    return mysqld_wire_failed(s, len, out);
  if (len > 0 && *packet == 0xff)
    rc = mysqld_wire_refused(s, packet, (size_t)len, out);
  else if (len < PREPARED_LENGTH || *packet != 0)
    rc = mysqld_error_malformed(s, out);
  else
    rc = read_prepared(p, packet, out);
  if (rc == 0 && w->in.pos < w->in.end)
    rc = mysqld_wire_surplus(s, out);
  w->in.pos = w->in.end = begin;
  return rc;
}

COLD static int send_execute(struct mysql_prepared *p, struct outcome *out)
{
  struct mysql_session *s = prepared_session(p);
  uint8_t *to = mysqld_wire_out(&s->wire, mysqld_execute_size(p));

  if (UNLIKELY(!to))
    return mysqld_error_no_memory(s, out);
  s->sent = mysqld_execute_put(p, to);
  return LIKELY(mysqld_wire_send(&s->wire, s->fd, s->sent, 0))
           ? 0
           : mysqld_error_gone(s, out);
}

static int wire_execute(struct mysql_prepared *p, struct outcome *out)
{
  struct mysql_session *s = prepared_session(p);

  if (UNLIKELY(!mysqld_wire_is_clear(&s->wire, s->fd)))
    return mysqld_wire_surplus(s, out);
  mysqld_wire_forget(&s->wire);
  if (LIKELY(mysqld_execute_patch(p))) {
    s->sent = p->frame_len - PACKET_HEAD;
    if (UNLIKELY(!wire_send(s->fd, p->frame, p->frame_len, 0)))
      return mysqld_error_gone(s, out);
  } else if (send_execute(p, out) < 0) {
    return -1;
  }
  mysqld_wire_await(&s->wire, s->fd);
  return mysqld_wire_result(s, p, out);
}

static void wire_unprepare(struct mysql_prepared *p, bool going)
{
  struct mysql_session *s = prepared_session(p);
  uint8_t *to;

  if (p->open && !going && !s->lost && (to = mysqld_wire_out(&s->wire, 5))) {
    to[0] = COMMAND_CLOSE;
    put_le32(to + 1, p->id);
    /*
     * The command has no answer; the next statement notices a broken
     * connection.
     */
    (void)mysqld_wire_send(&s->wire, s->fd, 5, 0);
    loop_settle(s->fd);
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

static void wire_nothing(struct mysql_session *s)
{
  (void)s;
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
  .closing = wire_nothing,
  .closed = wire_closed,
};
