/*
 * wire_answer.c - the messages of an answer, and what each of them means.
 *
 * Whatever the server sends, all lengths are checked here, so that rows which
 * were counted can be read without looking for their ends.
 */
#include "drivers/pgsql/wire_answer.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/compiler.h"
#include "db/env.h"
#include "drivers/pgsql/wire_io.h"
#include "drivers/wire/link.h"

enum {
  STATE_LENGTH = 5,
  UNREAD_KEPT = 64 * 1024, /* bytes of rows that nobody reads */
};

static const struct wire_frame frame = { WIRE_HEAD, message_size };

/* ---- single messages ---- */

/* The first error counts.  False: it does not say which one it is. */
static bool note_error(struct pgsql_session *p, const uint8_t *body, size_t len,
                       struct pgsql_wire_answer *a, struct outcome *out)
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
      severity = (const char *)body + 1; /* the first one is translated */
    } else if (*body == 'M') {
      a->text_at = (size_t)(body + 1 - p->wire.in.bytes);
    }
    body = zero + 1;
  }
  a->goodbye = pgsql_is_goodbye(out->state, severity);
  return known;
}

/* Its name and its new value, each with a terminator. */
static bool note_setting(struct pgsql_session *p, const uint8_t *body,
                         size_t len)
{
  const uint8_t *const zero = memchr(body, '\0', len);
  const uint8_t *const value = zero ? zero + 1 : NULL;

  if (!value || !memchr(value, '\0', len - (size_t)(value - body)))
    return false;
  pgsql_hear_setting(p, (const char *)body, (const char *)value);
  return true;
}

static inline void note_ready(struct pgsql_session *p, uint8_t status)
{
  p->base.trx = status == 'T'   ? TRX_OPEN
                : status == 'E' ? TRX_ABORTED
                                : TRX_NONE;
}

/* The number at the end of a command tag; 0 if there is none. */
static uint64_t count_of(const uint8_t *tag, const uint8_t *end)
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

static inline bool note_tag(struct pgsql_session *p,
                            struct pgsql_wire_answer *a, const uint8_t *body,
                            size_t len)
{
  static const char rollback[] = "ROLLBACK";

  if (len == 0 || body[len - 1] != '\0')
    return false;
  a->complete = true;
  if (a->rows == 0) {
    a->changed = count_of(body, body + len - 1);
    a->rolled_back = len == sizeof(rollback) &&
                     memcmp(body, rollback, sizeof(rollback)) == 0;
    if (UNLIKELY(body[0] == 'L'))
      pgsql_hear_tag(p, (const char *)body);
  }
  return true;
}

static bool note_columns(struct pgsql_wire_answer *a, const uint8_t *body,
                         size_t len)
{
  if (len < 2)
    return false;
  a->shape = SHAPE_ROWS;
  a->n_fields = get_u16(body);
  return true;
}

/*
 * The server asks for rows of a COPY: there are none.  Meanwhile it has passed
 * over the Sync of an execution, and awaits another one.
 */
static bool refuse_copy(struct pgsql_session *p, struct pgsql_wire_answer *a)
{
  static const uint8_t fail_and_sync[] = {
    'f', 0, 0, 0, 5, 0, 'S', 0, 0, 0, 4
  };

  if (a->refused_copy)
    return false;
  if (a->piped) { /* it takes what was sent for rows, and may pass over Sync */
    p->wire.broken_by = EOPNOTSUPP;
    return false;
  }
  a->refused_copy = true;
  (void)wire_send(p->fd, fail_and_sync,
                  sizeof(fail_and_sync) - (a->direct ? WIRE_HEAD : 0), 0);
  return true; /* if it is not sent, reading tells why */
}

/* One message that is no row; false: it does not belong here. */
static bool note_message(struct pgsql_session *p, uint8_t type,
                         const uint8_t *body, size_t len,
                         struct pgsql_wire_answer *a, struct outcome *out)
{
  switch (type) {
  case '1': /* ParseComplete */
    return a->piped || a->parsed;
  case '2': /* BindComplete */
  case 'N': /* NoticeResponse */
    return true;
  case 'A': /* NotificationResponse: the library may get some, too */
    pgsql_hear_listen(p);
    return true;
  case 'I': /* EmptyQueryResponse */
    a->complete = true;
    return true;
  case 'T': /* RowDescription */
    return note_columns(a, body, len);
  case 'n': /* NoData */
    a->shape = SHAPE_NO_ROWS;
    return true;
  case 'C': /* CommandComplete */
    return note_tag(p, a, body, len);
  case 'E': /* ErrorResponse */
    return note_error(p, body, len, a, out);
  case 'S': /* ParameterStatus */
    return note_setting(p, body, len);
  case 'G': /* CopyInResponse */
    return refuse_copy(p, a);
  case 'H': /* CopyOutResponse */
    a->copied_out = true;
    return true;
  case 'd': /* CopyData */
  case 'c': /* CopyDone */
    return a->copied_out;
  default: /* also CopyBothResponse: replication, which has no end */
    return false;
  }
}

/* What may come at any time, and belongs to no result. */
static inline bool is_aside(uint8_t type)
{
  return type == 'N' || type == 'S' || type == 'A';
}

/* ---- after the answer ---- */

/* One message; false: it does not belong there. */
static bool hear_aside(struct pgsql_session *p, const uint8_t *m, size_t size)
{
  struct outcome out = { 0 };
  struct pgsql_wire_answer aside = { 0 };

  if (size < WIRE_HEAD || (*m != 'E' && !is_aside(*m)) ||
      !note_message(p, *m, m + WIRE_HEAD, size - WIRE_HEAD, &aside, &out))
    return false;
  if (aside.failed)
    pgsql_note_last_words(
      p, out.state,
      aside.text_at ? (const char *)p->wire.in.bytes + aside.text_at : NULL);
  return true;
}

/*
 * The server has said something after its answer: settings that were changed
 * for all, notices, or why it ends the session.  What has begun to come is read
 * to its end, because the library knows nothing of it.
 */
COLD static bool hear_asides(struct pgsql_session *p)
{
  struct pgsql_wire *w = &p->wire;

  while (w->in.pos < w->in.end) {
    const size_t size = wire_frame_size(&frame, &w->in);

    if (size > WIRE_MESSAGE_MAX)
      return false;
    if (wire_buffer_have(&w->in) < size) {
      if (!pgsql_wire_receive(w, p->fd, size, true))
        return true; /* the next statement notices it */
      continue;
    }
    if (!hear_aside(p, w->in.bytes + w->in.pos, size))
      return false;
    w->in.pos += size;
  }
  return true;
}

bool pgsql_wire_look(struct pgsql_session *p)
{
  struct pgsql_wire *w = &p->wire;

  wire_buffer_clear(&w->in);
  if (!wire_look(&w->in, p->fd))
    return true;
  w->broken_by = 0;
  if (hear_asides(p))
    return true;
  w->broken_by = EPROTO;
  return false;
}

/* ---- the whole ---- */

/* Count whole rows from `pos` on: most of what large results cost. */
static inline void plain_rows(struct pgsql_wire *w, struct pgsql_wire_answer *a)
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

/* More is to be received.  Rows that nobody will read make room.  False: the
 * result is too large. */
COLD static bool make_room(struct pgsql_session *p,
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

/* The messages up to ReadyForQuery or to the next result. */
static inline bool messages(struct pgsql_session *p,
                            struct pgsql_wire_answer *a, struct outcome *out)
{
  struct pgsql_wire *w = &p->wire;

  for (;;) {
    const uint8_t *m;
    size_t size;

    if (LIKELY(w->in.end > 0)) { /* there is a buffer */
      static const uint8_t bound[WIRE_HEAD] = { '2', 0, 0, 0, 4 };

      if ((w->in.pos == 0 || a->piped) &&
          wire_buffer_have(&w->in) > sizeof(bound) &&
          memcmp(w->in.bytes + w->in.pos, bound, sizeof(bound)) == 0)
        w->in.pos += sizeof(bound);
      if (LIKELY(!a->complete))
        plain_rows(w, a);
    }
    size = wire_frame_size(&frame, &w->in);
    if (UNLIKELY(size < WIRE_HEAD || size > WIRE_MESSAGE_MAX))
      break;
    if (wire_buffer_have(&w->in) < size) {
      /* Rows stay, and the text of an error.  At first there is nothing. */
      if (UNLIKELY(w->in.end > 0) && !make_room(p, a)) {
        w->broken_by = EFBIG;
        return false;
      }
      if (!pgsql_wire_receive(w, p->fd, size, a->rows > 0 || a->failed))
        return false;
      continue;
    }
    m = w->in.bytes + w->in.pos;
    if (*m == 'Z') {
      if (size == WIRE_HEAD || a->piped)
        break;
      note_ready(p, m[WIRE_HEAD]);
      w->in.pos += size;
      return true;
    }
    if (a->complete && a->direct && !is_aside(*m)) {
      w->more = true;
      return true;
    }
    if (LIKELY(*m == 'C')
          ? !note_tag(p, a, m + WIRE_HEAD, size - WIRE_HEAD)
          : !note_message(p, *m, m + WIRE_HEAD, size - WIRE_HEAD, a, out))
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
  if (UNLIKELY(!messages(p, a, out)))
    return false;
  if (LIKELY(w->in.pos == w->in.end) || w->more || a->piped || a->followed ||
      hear_asides(p))
    return true;
  w->broken_by = EPROTO;
  return false;
}
