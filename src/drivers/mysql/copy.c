/*
 * copy.c - sends rows by LOAD DATA LOCAL, without a file: at once on a plain
 * socket; kept until the end for the client library, which fetches them while
 * it executes the statement.
 */
#include "drivers/mysql/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/mem.h"
#include "drivers/mysql/bytes.h"
#include "drivers/mysql/error.h"
#include "drivers/mysql/wire.h"

enum {
  PART_MIN = 16 * 1024, /* if the server's limit is unknown */
  PART_MAX = 1024 * 1024,
};

static bool copy_is_wire(const struct mysql_session *s)
{
  return s->backend == &mysqld_wire_backend;
}

/* Half of max_allowed_packet: a part of a file is no statement. */
static size_t copy_packet_size(const sql_value *allowed)
{
  char text[24] = "";
  unsigned long long n;

  if (allowed->ptr && allowed->len < sizeof(text))
    memcpy(text, allowed->ptr, allowed->len);
  n = strtoull(text, NULL, 10) / 2;
  return n < PART_MAX ? (size_t)n : PART_MAX;
}

static bool possible(struct session *base, const char **ret_why)
{
  static const char sql[] = "SELECT @@local_infile, @@max_allowed_packet";
  struct mysql_session *s = session_of(base);
  struct outcome out = { 0 };
  sql_value value[2];
  bool on = false;

  *ret_why = "this is a dry run";
  if (!s->open)
    return false;
  *ret_why = "the server does not allow it (local_infile is off)";
  if (s->backend->query(s, sql, sizeof(sql) - 1, &out) < 0)
    return false;
  if (out.nfields == 2 && s->backend->fetch(s, value) > 0) {
    on = value[0].len == 1 && value[0].ptr[0] == '1';
    s->copy_packet = copy_packet_size(&value[1]);
  }
  (void)s->backend->end_results(s, &out);
  return on;
}

static void copy_add_statement(struct strbuf *sql, const struct copy_spec *spec)
{
  strbuf_addf(sql,
              "LOAD DATA LOCAL INFILE 'rows' INTO TABLE %s CHARACTER SET "
              "binary (",
              spec->table);
  for (unsigned i = 0; i < spec->n; i++)
    strbuf_addf(sql, "%s%s", i ? ", " : "", spec->columns[i]);
  strbuf_adds(sql, ")");
}

static int wire_begin(struct mysql_session *s, const struct strbuf *sql,
                      struct outcome *out)
{
  struct wire *w = &s->wire;
  const uint8_t *packet;
  int len;

  if (!mysqld_wire_is_clear(w, &s->link))
    return mysqld_wire_surplus(s, out);
  mysqld_wire_forget(w);
  if (mysqld_wire_send_text(s, COMMAND_QUERY, sql->text, sql->len, out) < 0)
    return -1;
  len = mysqld_wire_packet(w, &s->link, &packet);
  if (len <= 0)
    return len < 0 ? mysqld_wire_failed(s, len, out)
                   : mysqld_error_malformed(s, out);
  if (*packet == FIRST_ERROR)
    return mysqld_wire_refused(s, packet, (size_t)len, out);
  if (*packet != FIRST_FILE)
    return mysqld_error_malformed(s, out);
  s->copy_seq = packet[-1] + 1u;
  return 0;
}

/* An empty packet ends the file. */
static int wire_put(struct mysql_session *s, const char *bytes, size_t len,
                    struct outcome *out)
{
  uint8_t *to = mysqld_wire_out(&s->wire, len);

  if (!to)
    return mysqld_error_no_memory(s, out);
  if (len > 0)
    memcpy(to, bytes, len);
  return mysqld_wire_send(&s->wire, &s->link, len, s->copy_seq++)
           ? 0
           : mysqld_error_gone(s, out);
}

static int wire_rows(struct mysql_session *s, const char *rows, size_t len,
                     struct outcome *out)
{
  const size_t max = s->copy_packet > 0 ? s->copy_packet : PART_MIN;

  while (len > 0) {
    const size_t n = len < max ? len : max;

    if (wire_put(s, rows, n, out) < 0)
      return -1;
    rows += n;
    len -= n;
  }
  return 0;
}

static int wire_end(struct mysql_session *s, struct outcome *out)
{
  const int rc = wire_put(s, NULL, 0, out);

  s->wire.seq = (uint8_t)s->copy_seq;
  s->copy_seq = 0;
  return rc < 0 ? rc : mysqld_wire_result(s, NULL, out);
}

struct reader {
  const char *at;
  size_t left;
};

static int reader_open(void **ret, const char *name, void *reader)
{
  (void)name;
  *ret = reader;
  return 0;
}

static int reader_read(void *reader, char *to, unsigned int room)
{
  struct reader *r = reader;
  const size_t n = r->left < room ? r->left : room;

  memcpy(to, r->at, n);
  r->at += n;
  r->left -= n;
  return (int)n;
}

static void reader_close(void *reader)
{
  (void)reader;
}

static int reader_error(void *reader, char *to, unsigned int room)
{
  static const char text[] = NO_FILE_TEXT;

  (void)reader;
  if (room > 0) {
    const size_t n = sizeof(text) < room ? sizeof(text) : room;

    memcpy(to, text, n);
    to[n - 1] = '\0';
  }
  return CODE_NO_FILE;
}

static int copy_refuse_open(void **ret, const char *name, void *arg)
{
  (void)name, (void)arg;
  *ret = NULL;
  return CODE_NO_FILE;
}

static int copy_refuse_read(void *reader, char *to, unsigned int room)
{
  (void)reader, (void)to, (void)room;
  return -1;
}

void mysqld_copy_refuse(MYSQL *mysql)
{
  mysql_set_local_infile_handler(mysql, copy_refuse_open, copy_refuse_read,
                                 reader_close, reader_error, NULL);
}

static int copy_library_send(struct mysql_session *s, struct outcome *out)
{
  struct reader r = { s->copy.text, s->copy.len };
  int rc;

  if (s->copy.failed)
    return mysqld_error_no_memory(s, out);
  mysql_set_local_infile_handler(s->mysql, reader_open, reader_read,
                                 reader_close, reader_error, &r);
  rc = s->backend->query(s, s->copy_sql, strlen(s->copy_sql), out);
  mysqld_copy_refuse(s->mysql);
  strbuf_clear(&s->copy);
  return rc;
}

static int copy_begin(struct session *base, const struct copy_spec *spec,
                      struct outcome *out)
{
  struct mysql_session *s = session_of(base);
  struct strbuf sql = { 0 };
  int rc = 0;

  strbuf_clear(&s->copy);
  copy_add_statement(&sql, spec);
  if (sql.failed) {
    rc = mysqld_error_no_memory(s, out);
  } else if (copy_is_wire(s)) {
    rc = wire_begin(s, &sql, out);
  } else {
    free(s->copy_sql);
    s->copy_sql = mem_strdup(sql.text);
    if (!s->copy_sql)
      rc = mysqld_error_no_memory(s, out);
  }
  strbuf_done(&sql);
  return rc;
}

static int copy_rows(struct session *base, const char *rows, size_t len,
                     struct outcome *out)
{
  struct mysql_session *s = session_of(base);

  if (copy_is_wire(s))
    return wire_rows(s, rows, len, out);
  strbuf_add(&s->copy, rows, len);
  return s->copy.failed ? mysqld_error_no_memory(s, out) : 0;
}

static int copy_end(struct session *base, struct outcome *out)
{
  struct mysql_session *s = session_of(base);

  return copy_is_wire(s) ? wire_end(s, out) : copy_library_send(s, out);
}

static void copy_abort(struct session *base)
{
  struct mysql_session *s = session_of(base);
  struct outcome out = { 0 };

  if (copy_is_wire(s) && s->copy_seq != 0 && !s->lost)
    (void)wire_end(s, &out);
  strbuf_clear(&s->copy);
}

void mysqld_copy_done(struct mysql_session *s)
{
  strbuf_done(&s->copy);
  free(s->copy_sql);
  s->copy_sql = NULL;
  s->copy_seq = 0;
}

const struct driver_copy mysqld_copy = {
  .form = COPY_PLAIN,
  .possible = possible,
  .begin = copy_begin,
  .rows = copy_rows,
  .end = copy_end,
  .abort = copy_abort,
};
