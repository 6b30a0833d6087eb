/*
 * pipe.c - several requests in flight, and many rows in one
 * (COM_STMT_BULK_EXECUTE of MariaDB).
 */
#include "base/compiler.h"
#include "db/env.h"
#include "drivers/mysql/error.h"
#include "drivers/mysql/params.h"
#include "drivers/mysql/session.h"
#include "drivers/mysql/wire.h"

enum {
  BULK_HEAD = 7, /* command, statement, flags */
  BULK_SENDS_TYPES = 128,
  BULK_VALUE = 0,
  BULK_NULL = 1,
  CODE_NOT_IN_BULK = 1295, /* ER_UNSUPPORTED_PS */
};

static bool mysqld_bulk_possible(struct prepared *base)
{
  struct mysql_prepared *p = prepared_of(base);

  /* Others than simple INSERT, REPLACE, UPDATE and DELETE: see
   * mysqld_bulk_run(). */
  return prepared_session(p)->wire.bulk && base->n_binds > 0 &&
         p->n_cols == 0 && !p->no_bulk;
}

static int mysqld_bulk_begin(struct prepared *base, struct outcome *out)
{
  struct mysql_prepared *p = prepared_of(base);
  struct mysql_session *s = prepared_session(p);
  struct wire_pipe *pipe = &s->wire.pipe;
  uint8_t *to;

  wire_pipe_clear(pipe);
  if (UNLIKELY(!mysqld_wire_is_clear(&s->wire, &s->link)))
    return mysqld_wire_surplus(s, out);
  to = wire_pipe_room(pipe, PACKET_HEAD + BULK_HEAD + 2 * base->n_binds);
  if (UNLIKELY(!to))
    return mysqld_error_no_memory(s, out);
  to += PACKET_HEAD;
  to[0] = COMMAND_BULK;
  put_le32(to + 1, p->id);
  put_le16(to + 5, BULK_SENDS_TYPES);
  to += BULK_HEAD;
  for (unsigned i = 0; i < base->n_binds; i++) {
    *to++ = mysqld_params_type(base->binds[i].type);
    *to++ = 0; /* signed */
  }
  pipe->out.end = (size_t)(to - pipe->out.bytes);
  return 0;
}

static int mysqld_bulk_row(struct prepared *base, size_t most,
                           struct outcome *out)
{
  struct mysql_session *s = session_of(base->session);
  struct wire_pipe *pipe = &s->wire.pipe;
  const struct params_form values = { 0 };
  const size_t size = base->n_binds +
                      mysqld_params_size(base->binds, base->n_binds, values);
  uint8_t *to;

  if (pipe->out.end - PACKET_HEAD + size > most ||
      pipe->out.end - PACKET_HEAD + size >= PACKET_MAX)
    return 1;
  to = wire_pipe_room(pipe, size);
  if (UNLIKELY(!to))
    return mysqld_error_no_memory(s, out);
  s->wire.large |= pipe->out.room > WIRE_KEEP; /* a row may never be sent */
  for (unsigned i = 0; i < base->n_binds; i++) {
    const bool null = param_is_null(&base->binds[i]);

    *to++ = null ? BULK_NULL : BULK_VALUE;
    if (!null)
      to = mysqld_params_put_value(&base->binds[i], to);
  }
  pipe->out.end = (size_t)(to - pipe->out.bytes);
  return 0;
}

static int mysqld_bulk_run(struct prepared *base, struct outcome *out)
{
  struct mysql_session *s = session_of(base->session);
  struct wire_buffer *packet = &s->wire.pipe.out;
  int rc;

  mysqld_wire_forget(&s->wire);
  packet_head(packet->bytes, packet->end - PACKET_HEAD, 0);
  s->sent = packet->end;
  if (UNLIKELY(!wire_send(&s->link, packet->bytes, packet->end, 0)))
    return mysqld_error_gone(s, out);
  mysqld_wire_await(&s->wire, &s->link);
  rc = mysqld_wire_result(s, NULL, out);
  if (UNLIKELY(rc < 0)) {
    out->emulate = out->code == CODE_NOT_IN_BULK;
    prepared_of(base)->no_bulk = out->emulate;
    mysqld_error_note_trx(s, out, base->sql, base->len);
  }
  wire_buffer_clear(packet);
  wire_buffer_trim(packet);
  return rc;
}

/* Each answer begins to number its packets anew. */

static const char too_long[] = "a statement of a pipeline has at most 16 MiB";

static bool pipe_possible(struct session *base, const char **ret_why)
{
  const struct mysql_session *s = session_of(base);

  if (s->open && s->backend == &mysqld_wire_backend)
    return true;
  if (s->open)
    *ret_why = s->why_library ? s->why_library : "--mysql-protocol=library";
  return false;
}

static int pipe_begin(struct session *base, struct outcome *out)
{
  struct mysql_session *s = session_of(base);

  wire_pipe_clear(&s->wire.pipe);
  if (UNLIKELY(!mysqld_wire_is_clear(&s->wire, &s->link)))
    return mysqld_wire_surplus(s, out);
  mysqld_wire_forget(&s->wire);
  return 0;
}

static void pipe_added(struct wire_pipe *p, uint8_t *packet, size_t len)
{
  packet_head(packet, len, 0);
  p->out.end += PACKET_HEAD + len;
  p->in_flight++;
}

static int pipe_add_query(struct session *base, const char *sql, size_t len,
                          struct outcome *out)
{
  struct mysql_session *s = session_of(base);
  struct wire_pipe *p = &s->wire.pipe;
  uint8_t *packet;
  size_t head = PACKET_HEAD;

  if (UNLIKELY(len + 3 >= PACKET_MAX)) {
    out->api_error = too_long;
    return -1;
  }
  packet = wire_pipe_room(p, PACKET_HEAD + 3 + len);
  if (UNLIKELY(!packet))
    return mysqld_error_no_memory(s, out);
  head += mysqld_wire_head(&s->wire, COMMAND_QUERY, packet + head);
  memcpy(packet + head, sql, len);
  pipe_added(p, packet, head - PACKET_HEAD + len);
  return 0;
}

COLD static int pipe_add_slowly(struct mysql_prepared *p, struct outcome *out)
{
  struct mysql_session *s = prepared_session(p);
  const size_t size = mysqld_wire_execute_size(p);
  uint8_t *packet;

  if (size >= PACKET_MAX) {
    out->api_error = too_long;
    return -1;
  }
  packet = wire_pipe_room(&s->wire.pipe, PACKET_HEAD + size);
  if (!packet)
    return mysqld_error_no_memory(s, out);
  pipe_added(&s->wire.pipe, packet,
             mysqld_wire_put_execute(p, packet + PACKET_HEAD));
  return 0;
}

static int pipe_add_execute(struct prepared *base, struct outcome *out)
{
  struct mysql_prepared *p = prepared_of(base);
  struct wire_pipe *pipe = &prepared_session(p)->wire.pipe;
  uint8_t *packet;

  if (UNLIKELY(!mysqld_wire_patch(p)))
    return pipe_add_slowly(p, out);
  packet = wire_pipe_room(pipe, p->frame_len);
  if (UNLIKELY(!packet))
    return mysqld_error_no_memory(prepared_session(p), out);
  memcpy(packet, p->frame, p->frame_len);
  pipe->out.end += p->frame_len;
  pipe->in_flight++;
  return 0;
}

static bool pipe_is_full(const struct session *base)
{
  return wire_pipe_is_full(&session_of(base)->wire.pipe);
}

static bool pipe_send_chunk(struct session *base, bool last, bool wait)
{
  struct mysql_session *s = session_of(base);
  const uint64_t most = base->env ? base->env->process->set.max_result_bytes
                                  : 0;

  (void)last;
  return wire_pipe_send(&s->wire.pipe, &s->link, &s->wire.in,
                        most > 0 ? (size_t)most : SIZE_MAX, wait);
}

static int pipe_receive(struct session *base, struct prepared *prepared,
                        const char *sql, size_t len, struct outcome *out)
{
  struct mysql_session *s = session_of(base);
  struct wire *w = &s->wire;
  int rc;

  w->pipe.in_flight--;
  wire_pipe_next(&w->in);
  w->seq = 1;
  s->sent = len;
  if (w->in.end == 0)
    mysqld_wire_await(w, &s->link);
  rc = mysqld_wire_result(s, prepared ? prepared_of(prepared) : NULL, out);
  if (UNLIKELY(rc < 0))
    mysqld_error_note_trx(s, out, sql, len);
  return rc;
}

static int pipe_rest(struct session *base, struct outcome *out)
{
  struct mysql_session *s = session_of(base);
  int rc = 0;

  while (s->more) {
    *out = (struct outcome){ 0 };
    wire_pipe_next(&s->wire.in);
    rc = mysqld_wire_result(s, s->wire.from, out);
  }
  s->wire.rows_left = 0;
  if (UNLIKELY(rc < 0))
    mysqld_error_note_trx(s, out, NULL, 0);
  return rc;
}

static int pipe_end(struct session *base, struct outcome *out)
{
  struct wire *w = &session_of(base)->wire;

  (void)out;
  w->rows_left = 0;
  w->from = NULL;
  wire_buffer_trim(&w->pipe.out);
  if (w->in.pos == w->in.end) /* else left to the next request */
    mysqld_wire_trim(w);
  return 0;
}

const struct driver_pipe mysqld_pipe = {
  .possible = pipe_possible,
  .begin = pipe_begin,
  .query = pipe_add_query,
  .execute = pipe_add_execute,
  .full = pipe_is_full,
  .send = pipe_send_chunk,
  .receive = pipe_receive,
  .rest = pipe_rest,
  .end = pipe_end,
  .bulk_possible = mysqld_bulk_possible,
  .bulk_begin = mysqld_bulk_begin,
  .bulk_row = mysqld_bulk_row,
  .bulk_run = mysqld_bulk_run,
};
