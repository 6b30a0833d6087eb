/*
 * wire_bulk.c - one request that executes a statement with many rows:
 * COM_STMT_BULK_EXECUTE of MariaDB.
 */
#include "drivers/mysql/wire_bulk.h"

#include "base/compiler.h"
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

bool mysqld_bulk_possible(struct prepared *base)
{
  struct mysql_prepared *p = prepared_of(base);

  /* The server refuses statements that have rows, or no parameters; and others
   * but simple INSERT, REPLACE, UPDATE and DELETE: see mysqld_bulk_run(). */
  return prepared_session(p)->wire.bulk && base->n_binds > 0 &&
         p->n_cols == 0 && !p->no_bulk;
}

int mysqld_bulk_begin(struct prepared *base, struct outcome *out)
{
  struct mysql_prepared *p = prepared_of(base);
  struct mysql_session *s = prepared_session(p);
  struct wire_pipe *pipe = &s->wire.pipe;
  uint8_t *to;

  wire_pipe_clear(pipe);
  if (UNLIKELY(!mysqld_wire_is_clear(&s->wire, s->fd)))
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

int mysqld_bulk_row(struct prepared *base, size_t most, struct outcome *out)
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
  s->wire.large |= pipe->out.room > WIRE_KEEP; /* if it is never sent */
  for (unsigned i = 0; i < base->n_binds; i++) {
    const bool null = param_is_null(&base->binds[i]);

    *to++ = null ? BULK_NULL : BULK_VALUE;
    if (!null)
      to = mysqld_params_put_value(&base->binds[i], to);
  }
  pipe->out.end = (size_t)(to - pipe->out.bytes);
  return 0;
}

int mysqld_bulk_run(struct prepared *base, struct outcome *out)
{
  struct mysql_session *s = session_of(base->session);
  struct wire_buffer *packet = &s->wire.pipe.out;
  int rc;

  mysqld_wire_forget(&s->wire);
  packet_head(packet->bytes, packet->end - PACKET_HEAD, 0);
  s->sent = packet->end;
  if (UNLIKELY(!wire_send(s->fd, packet->bytes, packet->end, 0)))
    return mysqld_error_gone(s, out);
  mysqld_wire_await(&s->wire, s->fd);
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
