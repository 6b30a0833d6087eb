/*
 * fuzz_mysql_wire.c - whatever a server answers to statements, the mysql driver
 * reads it to its end without harm.
 *
 * Input: a byte of flags, a byte that says how large the pieces are in which
 * the answer arrives, and the answer.
 */
#include <string.h>

#include "drivers/mysql/session.h"
#include "drivers/mysql/wire.h"
#include "fuzz.h"

enum {
  FLAG_NO_EOF = 1,
  FLAG_ATTRIBUTES = 2,
  FLAG_PREPARED = 4,
};

static const char sql[] = "SELECT ?";

/* How a call that failed has to look. */
static int failed(const struct mysql_session *s, const struct outcome *out)
{
  MUST(out->code != 0 && out->msg && strlen(out->state) <= 5);
  MUST(!s->more);
  (void)fuzz_touch(out->msg, strlen(out->msg));
  return -1;
}

/* Fetch what there is; as many rows as were promised, or a bad one ends it. */
static void fetch_all(struct mysql_session *s, const struct outcome *out)
{
  const uint32_t n = out->nfields;
  sql_value *values = n ? malloc(n * sizeof(*values)) : NULL;
  uint64_t rows = 0;

  while (n > 0 && mysqld_wire_backend.fetch(s, values) == 1) {
    MUST(++rows <= out->nrows);
    for (uint32_t i = 0; i < n; i++) {
      if (values[i].ptr)
        (void)fuzz_touch(values[i].ptr, values[i].len);
    }
  }
  free(values);
}

static int read_results(struct mysql_session *s, int rc, struct outcome *out)
{
  while (rc == 0) {
    fetch_all(s, out);
    if (!out->more)
      return 0;
    *out = (struct outcome){ 0 };
    rc = mysqld_wire_backend.next_result(s, out);
  }
  return failed(s, out);
}

static void end_results(struct mysql_session *s)
{
  struct outcome out = { 0 };

  if (mysqld_wire_backend.end_results(s, &out) < 0)
    (void)failed(s, &out);
  MUST(!s->more);
}

/* Give each parameter a value. */
static sql_bind *binds_of(struct mysql_prepared *p)
{
  static int32_t number = 42;
  const unsigned n = p->base.n_params;
  sql_bind *binds = calloc(n ? n : 1, sizeof(*binds));

  for (unsigned i = 0; i < n; i++) {
    binds[i].type = SQL_TYPE_INT;
    binds[i].buffer = &number;
  }
  p->base.binds = binds;
  p->base.n_binds = n;
  return binds;
}

static void prepared(struct mysql_session *s)
{
  struct mysql_prepared p = {
    .base = { .session = &s->base, .sql = sql, .len = sizeof(sql) - 1 }
  };
  struct outcome out = { 0 };
  sql_bind *binds = NULL;
  int rc = mysqld_wire_backend.prepare(&p, &out);

  if (rc < 0)
    (void)failed(s, &out);
  else
    binds = binds_of(&p);
  /* The second time the columns are known. */
  for (int i = 0; i < 2 && rc == 0; i++) {
    out = (struct outcome){ 0 };
    rc = read_results(s, mysqld_wire_backend.execute(&p, &out), &out);
    if (i == 0)
      end_results(s);
  }
  end_results(s);
  mysqld_wire_backend.unprepare(&p, false);
  free(binds);
}

static void direct(struct mysql_session *s)
{
  struct outcome out = { 0 };

  if (read_results(s, mysqld_wire_backend.query(s, sql, sizeof(sql) - 1, &out),
                   &out) == 0) {
    out = (struct outcome){ 0 };
    /* The next one is not fetched. */
    if (mysqld_wire_backend.query(s, sql, sizeof(sql) - 1, &out) < 0)
      (void)failed(s, &out);
  }
  end_results(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static MYSQL *mysql; /* it only keeps the server's flags */
  struct mysql_session *s;

  if (size < 2)
    return 0;
  if (!mysql)
    mysql = mysql_init(NULL);
  s = calloc(1, sizeof(*s));
  MUST(mysql && s);
  s->mysql = mysql;
  s->link.fd = FAKE_SOCKET;
  s->backend = &mysqld_wire_backend;
  s->wire.forms.no_eof = (data[0] & FLAG_NO_EOF) != 0;
  s->wire.forms.attributes = (data[0] & FLAG_ATTRIBUTES) != 0;
  fake_socket_says(data + 2, size - 2, (size_t)1 << data[1] % 16);
  if (data[0] & FLAG_PREPARED)
    prepared(s);
  else
    direct(s);
  mysqld_wire_done(&s->wire);
  strbuf_done(&s->msg);
  free(s->digits);
  free(s);
  return 0;
}
