/*
 * wire_answer.c - the answers of the server: what happened, and where the rows
 * are.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "db/env.h"
#include "drivers/mysql/bytes.h"
#include "drivers/mysql/error.h"
#include "drivers/mysql/session.h"
#include "drivers/mysql/wire.h"

enum {
  FIRST_OK = 0x00,
  FIRST_FILE = 0xfb, /* the server asks for a file of ours */
  FIRST_END = 0xfe,  /* of columns or rows, in a packet of END_LENGTH */
  FIRST_ERROR = 0xff,
  END_LENGTH = 5,
  COLUMN_TAIL = 12,  /* the fixed part of a column definition, at its end */
  PROGRESS = 0xffff, /* not an error but how far a statement is */
  USUAL_LENGTH = 15, /* see is_usual() */
  UNREAD_KEPT = 64 * 1024, /* bytes of rows that nobody reads */
};

int mysqld_wire_failed(struct mysql_session *s, int rc, struct outcome *out)
{
  if (rc == -EPROTO)
    return mysqld_error_out_of_step(s, out);
  if (rc != -ENOMEM)
    return mysqld_error_lost(s, out);
  (void)mysqld_error_no_memory(s, out);
  out->lost = true; /* what else was sent cannot be told apart any more */
  s->lost = true;
  return -1;
}

int mysqld_wire_refused(struct mysql_session *s, const uint8_t *packet,
                        size_t len, struct outcome *out)
{
  struct bytes b = { packet + 1, packet + len };
  const uint8_t *code = bytes_take(&b, 2);
  const char *state = NULL;

  if (!code || bytes_le(code, 2) == 0) /* 0 would be no error */
    return mysqld_error_malformed(s, out);
  if (b.end - b.at >= 6 && *b.at == '#') {
    state = (const char *)b.at + 1;
    b.at += 6;
  }
  return mysqld_error_set(s, out, (int)bytes_le(code, 2), state,
                          (const char *)b.at, (size_t)(b.end - b.at));
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

/* How far a statement is; MariaDB says it between any two packets. */
static bool is_progress(const uint8_t *packet, size_t len)
{
  return packet[0] == FIRST_ERROR && len >= 3 &&
         bytes_le(packet + 1, 2) == PROGRESS;
}

/* Not a row: what ends rows, or what stands between columns and rows. */
static bool is_end(const struct wire *w, const uint8_t *packet, size_t len)
{
  return packet[0] == FIRST_END &&
         (w->forms.no_eof ? len < PACKET_MAX : len == END_LENGTH);
}

/* The server's flags in an OK. */
static bool ok_parse(const uint8_t *packet, size_t len, uint64_t *ret_affected,
                     unsigned *ret_status)
{
  struct bytes b = { packet + 1, packet + len };
  const uint8_t *status;
  uint64_t id;

  if (!bytes_number(&b, ret_affected) || !bytes_number(&b, &id) ||
      !(status = bytes_take(&b, 2)))
    return false;
  *ret_status = (unsigned)bytes_le(status, 2);
  return true;
}

static bool end_parse(const struct wire *w, const uint8_t *packet, size_t len,
                      unsigned *ret_status)
{
  uint64_t affected;

  if (w->forms.no_eof)
    return ok_parse(packet, len, &affected, ret_status);
  *ret_status = (unsigned)bytes_le(packet + 3, 2);
  return true;
}

static void column_set(struct column *c, const uint8_t *packet, size_t len)
{
  const uint8_t *p = packet + len - COLUMN_TAIL;

  c->length = (uint32_t)bytes_le(p + 2, 4);
  c->type = p[6];
  c->flags = (uint16_t)bytes_le(p + 7, 2);
  c->decimals = p[9];
}

/* What stands between columns and rows. */
static inline int columns_end(struct mysql_session *s, struct outcome *out)
{
  const uint8_t *packet;
  int len;

  if (s->wire.forms.no_eof)
    return 0;
  len = mysqld_wire_packet(&s->wire, s->fd, &packet);
  if (UNLIKELY(len <= 0))
    return len < 0 ? mysqld_wire_failed(s, len, out)
                   : mysqld_error_malformed(s, out);
  return LIKELY(is_end(&s->wire, packet, (size_t)len))
           ? 0
           : mysqld_error_malformed(s, out);
}

int mysqld_wire_columns(struct mysql_session *s, struct column *cols,
                        uint32_t n, struct outcome *out)
{
  const uint8_t *packet;
  int len;

  for (uint32_t i = 0; i < n; i++) {
    len = mysqld_wire_packet(&s->wire, s->fd, &packet);
    if (len < 0)
      return mysqld_wire_failed(s, len, out);
    if (len < COLUMN_TAIL)
      return mysqld_error_malformed(s, out);
    if (cols)
      column_set(&cols[i], packet, (size_t)len);
  }
  return columns_end(s, out);
}

/* Room for the columns of the result; what they are comes next. */
static bool room_for(struct mysql_prepared *p, uint32_t n)
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
 * Count rows of one packet, from *pos on, as long as the head of another packet
 * and a byte of it follow; stops at all that needs a closer look.  Most of the
 * time that is spent on large results goes here.
 *
 * Within PACKET_MAX bytes no row is of several packets.
 */
static uint64_t plain_rows(const struct wire *w, size_t *pos)
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

/*
 * More of a result is to be received; its rows from `begin` up to *pos are
 * there.  Those that nobody will read make room.  False: it is too large.
 */
static COLD bool make_room(struct mysql_session *s, size_t begin, size_t *pos)
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

/* Count the rows up to what ends them. */
static int rows(struct mysql_session *s, uint32_t nfields, struct outcome *out)
{
  struct wire *w = &s->wire;
  const size_t begin = w->in.pos;
  size_t pos = begin, len;
  uint64_t n = 0;
  uint64_t others = w->seq; /* n + others: the number of the next packet */
  unsigned status;
  bool inside = false; /* a row that began in an earlier packet */
  const uint8_t *p;

  for (;;) {
    if (LIKELY(!inside))
      n += plain_rows(w, &pos);
    if (UNLIKELY(w->in.end - pos < PACKET_HEAD + 1 ||
                 w->in.end - pos <
                   (len = packet_length(w->in.bytes + pos)) + PACKET_HEAD)) {
      int rc;

      if (UNLIKELY(!make_room(s, begin, &pos)))
        return mysqld_error_too_large(s, out);
      w->in.pos = pos;
      rc = mysqld_wire_fill(w, s->fd);
      if (rc < 0) {
        out->during_results = true;
        return mysqld_wire_failed(s, rc, out);
      }
      len = packet_length(w->in.bytes + pos);
    }
    p = w->in.bytes + pos + PACKET_HEAD;
    pos += PACKET_HEAD + len;
    /* The numbers of plain rows are not looked at: this one tells as much. */
    if (UNLIKELY(p[-1] != (uint8_t)(n + others) &&
                 !mysqld_wire_is_farewell(p, len)))
      return mysqld_error_out_of_step(s, out);
    others++;
    if (UNLIKELY(!inside && (len == 0 || *p >= FIRST_END))) {
      w->in.pos = pos;
      if (len == 0)
        return mysqld_error_malformed(s, out);
      if (is_progress(p, len)) {
        wire_buffer_cut(&w->in, pos - PACKET_HEAD - len, pos);
        pos -= PACKET_HEAD + len;
        continue;
      }
      if (*p == FIRST_ERROR) {
        out->during_results = true;
        return mysqld_wire_refused(s, p, len, out);
      }
      if (is_end(w, p, len))
        break;
    }
    inside = len == PACKET_MAX;
    n += !inside;
    others -= !inside; /* it is counted as a row */
  }
  w->seq = (uint8_t)(n + others);
  w->next_row = begin;
  w->rows_left = s->base.unread ? 0 : n; /* else some may be gone */
  w->nfields = nfields;
  if (!end_parse(w, p, len, &status))
    return mysqld_error_malformed(s, out);
  mysqld_error_none(s, out, status, nfields, n);
  out->settled = !s->more && !w->large;
  return 0;
}

/*
 * A result set: the number of columns, perhaps followed by a byte that tells
 * whether their definitions are sent.
 */
static int result_set(struct mysql_session *s, struct mysql_prepared *p,
                      const uint8_t *packet, size_t len, struct outcome *out)
{
  struct bytes b = { packet, packet + len };
  bool described = true;
  uint64_t n;

  if (!bytes_number(&b, &n) || n == 0 || n > UINT16_MAX)
    return mysqld_error_malformed(s, out);
  if (b.at < b.end)
    described = *b.at != 0;
  if (p && described && !room_for(p, (uint32_t)n))
    return mysqld_wire_failed(s, -ENOMEM, out);
  if (p && !described && p->n_cols != n)
    return mysqld_error_malformed(s, out);
  if (described
        ? mysqld_wire_columns(s, p ? p->cols : NULL, (uint32_t)n, out) < 0
        : columns_end(s, out) < 0)
    return -1;
  return rows(s, (uint32_t)n, out);
}

static int ok(struct mysql_session *s, const uint8_t *packet, size_t len,
              struct outcome *out)
{
  uint64_t affected;
  unsigned status;

  if (!ok_parse(packet, len, &affected, &status))
    return mysqld_error_malformed(s, out);
  mysqld_error_none(s, out, status, 0, affected);
  return 0;
}

/* The server gets an empty file; it asked with number `seq`. */
static bool refuse_file(struct mysql_session *s, unsigned seq)
{
  s->wire.seq = (uint8_t)(seq + 2);
  return mysqld_wire_out(&s->wire, 0) &&
         mysqld_wire_send(&s->wire, s->fd, 0, seq + 1);
}

/*
 * The usual answer to a statement whose columns the client knows: their number,
 * that they are not described, and the end of the description.  Compared all at
 * once, with the numbers of these packets.
 */
static inline bool is_usual(const struct wire *w,
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

/*
 * One answer that is not the usual one.  *ret_refused: success, says the
 * server, but it asked for a file and got an empty one.
 */
static int answer(struct mysql_session *s, struct mysql_prepared *p,
                  struct outcome *out, bool *ret_refused)
{
  struct wire *w = &s->wire;
  const uint8_t *packet;
  bool refused = false;
  int len;

  *ret_refused = false;
  for (;;) {
    len = mysqld_wire_packet(w, s->fd, &packet);
    if (UNLIKELY(len <= 0))
      return len < 0 ? mysqld_wire_failed(s, len, out)
                     : mysqld_error_malformed(s, out);
    switch (*packet) {
    case FIRST_OK:
      *ret_refused = refused;
      return ok(s, packet, (size_t)len, out);
    case FIRST_ERROR:
      if (is_progress(packet, (size_t)len))
        continue;
      return mysqld_wire_refused(s, packet, (size_t)len, out);
    case FIRST_FILE:
      if (UNLIKELY(w->pipe.in_flight > 0)) /* what follows would be the file */
        return mysqld_error_no_file_here(s, out);
      if (!refuse_file(s, packet[-1]))
        return mysqld_error_gone(s, out);
      refused = true;
      continue;
    default:
      return result_set(s, p, packet, (size_t)len, out);
    }
  }
}

/* The server had nothing but the empty file: no success, whatever else it says;
 * the results behind it, which may ask for files of their own, are read. */
static COLD int without_file(struct mysql_session *s, struct outcome *out)
{
  bool refused;

  while (s->more) {
    memset(out, 0, sizeof(*out));
    (void)answer(s, s->wire.from, out, &refused);
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
  if (LIKELY(p && is_usual(w, p))) {
    w->in.pos += USUAL_LENGTH;
    w->seq = 3;
    return rows(s, p->n_cols, out);
  }
  rc = answer(s, p, out, &refused);
  return LIKELY(!refused || rc < 0) ? rc : without_file(s, out);
}
