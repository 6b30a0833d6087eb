/*
 * wire_pipe.c - several requests in flight on a plain socket.
 *
 * The server reads one command after another, and answers each of them; it does
 * not know of pipelines.  Each answer begins to number its packets anew.
 */
#include "drivers/mysql/wire_pipe.h"

#include "base/compiler.h"
#include "db/env.h"
#include "drivers/mysql/error.h"
#include "drivers/mysql/session.h"
#include "drivers/mysql/wire.h"
#include "drivers/mysql/wire_bulk.h"
#include "drivers/mysql/wire_execute.h"

static const char too_long[] = "a statement of a pipeline has at most 16 MiB";

static bool possible(struct session *base, const char **ret_why)
{
  const struct mysql_session *s = session_of(base);

  if (s->open && s->backend == &mysqld_wire_backend)
    return true;
  if (s->open)
    *ret_why = s->why_library ? s->why_library : "--mysql-protocol=library";
  return false;
}

static int begin(struct session *base, struct outcome *out)
{
  struct mysql_session *s = session_of(base);

  wire_pipe_clear(&s->wire.pipe);
  if (UNLIKELY(!mysqld_wire_is_clear(&s->wire, s->fd)))
    return mysqld_wire_surplus(s, out);
  mysqld_wire_forget(&s->wire);
  return 0;
}

/* A packet of `len` bytes was written behind its head. */
static void added(struct wire_pipe *p, uint8_t *packet, size_t len)
{
  packet_head(packet, len, 0);
  p->out.end += PACKET_HEAD + len;
  p->in_flight++;
}

static int add_query(struct session *base, const char *sql, size_t len,
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
  packet[head++] = COMMAND_QUERY;
  if (s->wire.forms.attributes) {
    packet[head++] = 0; /* no parameters */
    packet[head++] = 1; /* one set of them */
  }
  memcpy(packet + head, sql, len);
  added(p, packet, head - PACKET_HEAD + len);
  return 0;
}

COLD static int add_slowly(struct mysql_prepared *p, struct outcome *out)
{
  struct mysql_session *s = prepared_session(p);
  const size_t size = mysqld_execute_size(p);
  uint8_t *packet;

  if (size >= PACKET_MAX) {
    out->api_error = too_long;
    return -1;
  }
  packet = wire_pipe_room(&s->wire.pipe, PACKET_HEAD + size);
  if (!packet)
    return mysqld_error_no_memory(s, out);
  added(&s->wire.pipe, packet, mysqld_execute_put(p, packet + PACKET_HEAD));
  return 0;
}

static int add_execute(struct prepared *base, struct outcome *out)
{
  struct mysql_prepared *p = prepared_of(base);
  struct wire_pipe *pipe = &prepared_session(p)->wire.pipe;
  uint8_t *packet;

  if (UNLIKELY(!mysqld_execute_patch(p)))
    return add_slowly(p, out);
  packet = wire_pipe_room(pipe, p->frame_len);
  if (UNLIKELY(!packet))
    return mysqld_error_no_memory(prepared_session(p), out);
  memcpy(packet, p->frame, p->frame_len);
  pipe->out.end += p->frame_len;
  pipe->in_flight++;
  return 0;
}

static bool is_full(const struct session *base)
{
  return wire_pipe_is_full(&session_of(base)->wire.pipe);
}

static bool send_chunk(struct session *base, bool last, bool wait)
{
  struct mysql_session *s = session_of(base);
  const uint64_t most = base->env ? base->env->process->set.max_result_bytes
                                  : 0;

  (void)last;
  return wire_pipe_send(&s->wire.pipe, s->fd, &s->wire.in,
                        most > 0 ? (size_t)most : SIZE_MAX, wait);
}

static int receive(struct session *base, struct prepared *prepared,
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
    mysqld_wire_await(w, s->fd);
  rc = mysqld_wire_result(s, prepared ? prepared_of(prepared) : NULL, out);
  if (UNLIKELY(rc < 0))
    mysqld_error_note_trx(s, out, sql, len);
  return rc;
}

static int rest(struct session *base, struct outcome *out)
{
  struct mysql_session *s = session_of(base);
  int rc = 0;

  while (s->more) { /* a failure ends the loop, too */
    *out = (struct outcome){ 0 };
    wire_pipe_next(&s->wire.in);
    rc = mysqld_wire_result(s, s->wire.from, out);
  }
  s->wire.rows_left = 0;
  if (UNLIKELY(rc < 0))
    mysqld_error_note_trx(s, out, NULL, 0);
  return rc;
}

static int end(struct session *base, struct outcome *out)
{
  struct wire *w = &session_of(base)->wire;

  (void)out;
  w->rows_left = 0;
  w->from = NULL;
  wire_buffer_trim(&w->pipe.out);
  if (w->in.pos == w->in.end) /* else the next request notices it */
    mysqld_wire_trim(w);
  return 0;
}

/* ---- requests of several clients ---- */

static bool mark_apart(struct session *base)
{
  session_of(base)->wire.pipe.apart = true;
  return true;
}

static bool push(struct session *base, bool wait)
{
  struct mysql_session *s = session_of(base);

  return wire_pipe_push(&s->wire.pipe, s->fd, &s->wire.in, wait);
}

static uint64_t sends(const struct session *base)
{
  return session_of(base)->wire.pipe.sends;
}

static bool has_arrived(const struct session *base)
{
  return wire_buffer_have(&session_of(base)->wire.in) > 0;
}

static int end_apart(struct session *base, struct outcome *out)
{
  struct wire *w = &session_of(base)->wire;

  (void)out;
  w->rows_left = 0;
  w->from = NULL;
  if (UNLIKELY(w->large) && w->in.pos == w->in.end && w->pipe.out.end == 0)
    mysqld_wire_trim(w);
  return 0;
}

const struct driver_pipe mysqld_pipe = {
  .possible = possible,
  .begin = begin,
  .query = add_query,
  .execute = add_execute,
  .full = is_full,
  .send = send_chunk,
  .receive = receive,
  .rest = rest,
  .end = end,
  .mark_apart = mark_apart,
  .push = push,
  .sends = sends,
  .has_arrived = has_arrived,
  .end_apart = end_apart,
  .bulk_possible = mysqld_bulk_possible,
  .bulk_begin = mysqld_bulk_begin,
  .bulk_row = mysqld_bulk_row,
  .bulk_run = mysqld_bulk_run,
};
