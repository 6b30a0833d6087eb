/*
 * pipe.c - several statements in flight, by the extended protocol.
 *
 * After an error the server passes over everything up to the Sync at the end.
 * A server keeps short answers back until a Sync or a Flush, which ends each
 * chunk but the last.
 */
#include <string.h>
#include <sys/socket.h>

#include "base/compiler.h"
#include "db/env.h"
#include "drivers/pgsql/session.h"
#include "drivers/pgsql/wire.h"

enum {
  MARK = 5,
  ASK_MAX = 128,
};

static bool pipe_possible(struct session *s, const char **ret_why)
{
  const struct pgsql_session *p = pgsql_of(s);

  if (p->plain)
    return true;
  *ret_why = p->listens ? "the connection listens for notifications"
                        : pgsql_wire_why_not(p);
  if (!*ret_why)
    *ret_why = "--pgsql-protocol=library";
  return false;
}

static int pipe_begin(struct session *s, struct outcome *out)
{
  struct pgsql_session *p = pgsql_of(s);
  const struct pgsql_wire_answer nothing = { 0 };

  wire_pipe_clear(&p->wire.pipe);
  if (UNLIKELY(p->closing.len > 0))
    pgsql_close_pending(p);
  if (UNLIKELY(p->broken) || !pgsql_wire_is_clear(p))
    return pgsql_wire_fail(p, &nothing, true, out);
  p->wire.was_aborted = p->base.trx == TRX_ABORTED;
  pgsql_wire_begin(&p->wire, p->link.fd);
  return 0;
}

/* Parse without a name, bind, describe, execute. */
static int pipe_add_query(struct session *s, const char *sql, size_t len,
                          struct outcome *out)
{
  static const uint8_t bind[] = { 'B', 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0 };
  static const uint8_t describe[] = { 'D', 0, 0, 0, 6, 'P', 0 };
  static const uint8_t execute[] = { 'E', 0, 0, 0, 9, 0, 0, 0, 0, 0 };
  struct wire_pipe *pipe = &pgsql_of(s)->wire.pipe;
  uint8_t *to;

  if (UNLIKELY(len > PGSQL_WIRE_TEXT_MAX - ASK_MAX)) {
    out->api_error = "a statement of a pipeline is too long";
    return -1;
  }
  to = wire_pipe_room(pipe, len + ASK_MAX + MARK);
  if (UNLIKELY(!to))
    return pgsql_no_memory(out);
  to = put_u8(to, 'P');
  to = put_u32(to, (uint32_t)(4 + 1 + len + 1 + 2));
  to = put_u8(to, 0); /* no name */
  memcpy(to, sql, len);
  to = put_u8(to + len, 0);
  to = put_u16(to, 0); /* no types */
  memcpy(to, bind, sizeof(bind));
  to += sizeof(bind);
  memcpy(to, describe, sizeof(describe));
  to += sizeof(describe);
  memcpy(to, execute, sizeof(execute));
  to += sizeof(execute);
  pipe->out.end = (size_t)(to - pipe->out.bytes);
  return 0;
}

static int pipe_add_execute(struct prepared *prepared, struct outcome *out)
{
  struct pgsql_prepared *st = (struct pgsql_prepared *)prepared;
  struct wire_pipe *pipe = &pgsql_of(prepared->session)->wire.pipe;

  return LIKELY(pgsql_wire_add_execute(st, pipe)) ? 0 : pgsql_no_memory(out);
}

static bool pipe_is_full(const struct session *s)
{
  return wire_pipe_is_full(&pgsql_const(s)->wire.pipe);
}

static bool send_chunk(struct session *s, bool last, bool wait)
{
  struct pgsql_session *p = pgsql_of(s);
  struct wire_pipe *pipe = &p->wire.pipe;
  const uint64_t most = s->env ? s->env->process->set.max_result_bytes : 0;
  uint8_t *to;

  if (!pipe->sending) {
    to = wire_pipe_room(pipe, MARK);
    if (UNLIKELY(!to)) {
      (void)shutdown(p->link.fd, SHUT_RDWR);
    } else {
      (void)put_u32(put_u8(to, last ? 'S' : 'H'), 4);
      pipe->out.end += MARK;
    }
  }
  return wire_pipe_send(pipe, &p->link, &p->wire.in,
                        most > 0 ? (size_t)most : SIZE_MAX, wait);
}

static int pipe_receive(struct session *s, struct prepared *prepared,
                        const char *sql, size_t len, struct outcome *out)
{
  struct pgsql_session *p = pgsql_of(s);
  struct pgsql_prepared *st = (struct pgsql_prepared *)prepared;
  struct pgsql_wire_answer a = { .piped = true };

  if (UNLIKELY(p->wire.pipe.failed)) {
    out->skipped = true;
    return -1;
  }
  if (LIKELY(st != NULL)) {
    a.shape = st->shape;
    a.n_fields = st->n_fields;
  }
  wire_pipe_next(&p->wire.in);
  if (UNLIKELY(!pgsql_wire_read(p, &a, out)))
    return pgsql_wire_fail(p, &a, true, out);
  if (LIKELY(st && !st->varies)) {
    st->shape = a.shape;
    st->n_fields = a.n_fields;
  }
  if (UNLIKELY(a.failed)) {
    p->wire.pipe.failed = true;
    return pgsql_wire_fail(p, &a, false, out);
  }
  if (UNLIKELY(p->wire.was_aborted) && a.rolled_back &&
      pgsql_is_commit(p, sql, len))
    return pgsql_refused_commit(out);
  pgsql_wire_succeed(p, &a, out);
  return 0;
}

/* Before it perhaps an error, such as a deferred constraint. */
static int end(struct session *s, struct outcome *out)
{
  struct pgsql_session *p = pgsql_of(s);
  struct pgsql_wire_answer a = { 0 };

  wire_pipe_next(&p->wire.in);
  if (UNLIKELY(!pgsql_wire_read(p, &a, out)))
    return pgsql_wire_fail(p, &a, true, out);
  wire_buffer_trim(&p->wire.pipe.out);
  if (UNLIKELY(a.failed))
    return pgsql_wire_fail(p, &a, false, out);
  pgsql_wire_end(&p->wire);
  return 0;
}

const struct driver_pipe pgsql_pipe = {
  .possible = pipe_possible,
  .begin = pipe_begin,
  .query = pipe_add_query,
  .execute = pipe_add_execute,
  .full = pipe_is_full,
  .send = send_chunk,
  .receive = pipe_receive,
  .end = end,
};
