/*
 * wire_request.c - the messages that ask for something: a text, or the
 * execution of a prepared statement.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/compiler.h"
#include "drivers/pgsql/session.h"
#include "drivers/pgsql/wire.h"
#include "drivers/pgsql/wire_io.h"

enum {
  TEXT_COPIED = 16 * 1024, /* longer texts are sent from where they are */
};

/* ---- texts ---- */

bool pgsql_wire_send_query(struct pgsql_session *p, const char *sql, size_t len)
{
  struct pgsql_wire *w = &p->wire;
  const bool copied = len <= TEXT_COPIED;
  const size_t need = WIRE_HEAD + (copied ? len + 1 : 0);
  uint8_t *to;

  if (UNLIKELY(!wire_buffer_reserve(&w->out, need)))
    return false;
  to = put_u8(w->out.bytes, 'Q');
  to = put_u32(to, (uint32_t)(4 + len + 1));
  pgsql_wire_begin(w, p->fd);
  if (LIKELY(copied)) {
    memcpy(to, sql, len + 1);
    (void)wire_send(p->fd, w->out.bytes, WIRE_HEAD + len + 1, 0);
  } else if (wire_send(p->fd, w->out.bytes, WIRE_HEAD, MSG_MORE)) {
    (void)wire_send(p->fd, (const uint8_t *)sql, len + 1, 0);
  }
  return true;
}

/* ---- preparing ---- */

bool pgsql_wire_send_parse(struct pgsql_prepared *st, const char *sql)
{
  static const uint8_t sync[] = { 'S', 0, 0, 0, 4 };
  struct pgsql_session *p = pgsql_of(st->base.session);
  struct pgsql_wire *w = &p->wire;
  const unsigned n = st->types ? st->base.n_params : 0;
  const size_t name = strlen(st->name) + 1, text = strlen(sql) + 1;
  const size_t size = 4 + name + text + 2 + 4 * (size_t)n;
  uint8_t *to;

  if (size > WIRE_MESSAGE_MAX ||
      !wire_buffer_reserve(&w->out, 1 + size + sizeof(sync)))
    return false;
  to = put_u8(w->out.bytes, 'P');
  to = put_u32(to, (uint32_t)size);
  memcpy(to, st->name, name);
  memcpy(to + name, sql, text);
  to = put_u16(to + name + text, n);
  for (unsigned i = 0; i < n; i++)
    to = put_u32(to, st->types[i]);
  memcpy(to, sync, sizeof(sync));
  pgsql_wire_begin(w, p->fd);
  (void)wire_send(p->fd, w->out.bytes, 1 + size + sizeof(sync), 0);
  return true;
}

/* ---- executions ---- */

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

/* ---- the same for a pipeline ---- */

enum {
  SYNC_BYTES = 5, /* at the end of the messages */
};

COLD static bool add_slow(struct pgsql_prepared *st, struct wire_pipe *pipe)
{
  const size_t name_len = strlen(st->name);
  uint8_t *to;
  size_t len;

  pgsql_put_values(st);
  to = wire_pipe_room(pipe, size_of(st, name_len) + SYNC_BYTES);
  if (!to)
    return false;
  len = put_messages(to, st, name_len);
  if (!st->frame && st->shape != SHAPE_UNKNOWN)
    frame_make(st, to, len);
  pipe->out.end += len - SYNC_BYTES;
  return true;
}

bool pgsql_wire_add_execute(struct pgsql_prepared *st, struct wire_pipe *pipe)
{
  uint8_t *to;

  if (UNLIKELY(!frame_fill(st)))
    return add_slow(st, pipe);
  to = wire_pipe_room(pipe, st->frame_len + SYNC_BYTES);
  if (UNLIKELY(!to))
    return false;
  memcpy(to, st->frame, st->frame_len - SYNC_BYTES);
  pipe->out.end += st->frame_len - SYNC_BYTES;
  return true;
}

COLD static bool send_slow(struct pgsql_prepared *st)
{
  struct pgsql_session *p = pgsql_of(st->base.session);
  struct pgsql_wire *w = &p->wire;
  const size_t name_len = strlen(st->name);
  size_t len;

  pgsql_put_values(st);
  if (!wire_buffer_reserve(&w->out, size_of(st, name_len)))
    return false;
  len = put_messages(w->out.bytes, st, name_len);
  if (!st->frame && st->shape != SHAPE_UNKNOWN)
    frame_make(st, w->out.bytes, len);
  (void)wire_send(p->fd, w->out.bytes, len, 0);
  return true;
}

bool pgsql_wire_send_execute(struct pgsql_prepared *st)
{
  struct pgsql_session *p = pgsql_of(st->base.session);

  pgsql_wire_begin(&p->wire, p->fd);
  if (UNLIKELY(!frame_fill(st)))
    return send_slow(st);
  (void)wire_send(p->fd, st->frame, st->frame_len, 0);
  return true;
}
