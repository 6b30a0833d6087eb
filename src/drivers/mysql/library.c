/*
 * library.c - direct statements through the client library.
 */
#include "drivers/mysql/library.h"

#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "db/env.h"
#include "drivers/mysql/error.h"

static void keep_row(struct library *lib, MYSQL_RES *res, MYSQL_ROW row)
{
  const unsigned long *len = mysql_fetch_lengths(res);

  for (uint32_t i = 0; i < lib->nfields; i++)
    mysqld_library_rows_add(&lib->rows, row[i], row[i] ? (uint32_t)len[i] : 0);
}

/* Receive the rows of `res`, and count them. */
static int receive(struct mysql_session *s, MYSQL_RES *res, uint64_t *ret_n,
                   struct outcome *out)
{
  struct library *lib = &s->lib;
  MYSQL_ROW row;
  uint64_t n = 0;

  while ((row = mysql_fetch_row(res)) != NULL) {
    n++;
    if (s->base.unread)
      continue;
    keep_row(lib, res, row);
    if (UNLIKELY(lib->rows.bytes.failed ||
                 !env_may_keep(s->base.env, lib->rows.bytes.len)))
      return mysqld_library_cut(s, lib->rows.bytes.failed, out);
  }
  if (mysql_errno(s->mysql) != 0) {
    out->during_results = true;
    return mysqld_library_failed(s, out);
  }
  *ret_n = n;
  return 0;
}

/* Reads the rows of a result; the library already has its head. */
static int store(struct mysql_session *s, struct outcome *out)
{
  struct library *lib = &s->lib;
  MYSQL_RES *res;
  uint64_t n = 0;
  int rc;

  lib->nfields = mysql_field_count(s->mysql);
  if (lib->nfields == 0) {
    mysqld_error_none(s, out, mysqld_library_status(s), 0,
                      mysql_affected_rows(s->mysql));
    return 0;
  }
  res = mysql_use_result(s->mysql);
  if (!res) {
    out->during_results = true;
    return mysqld_library_failed(s, out);
  }
  rc = receive(s, res, &n, out);
  mysql_free_result(res);
  if (rc < 0)
    return rc;
  lib->rows.left = s->base.unread ? 0 : n;
  mysqld_error_none(s, out, mysqld_library_status(s), lib->nfields, n);
  return 0;
}

static int library_query(struct mysql_session *s, const char *sql, size_t len,
                         struct outcome *out)
{
  mysqld_library_end_rows(s);
  s->lib.from = NULL; /* an earlier result without rows had nothing to end */
  s->sent = len;
  if (mysql_real_query(s->mysql, sql, (unsigned long)len) != 0)
    return mysqld_library_failed(s, out);
  return store(s, out);
}

static int library_next_result(struct mysql_session *s, struct outcome *out)
{
  int rc;

  if (s->lib.from)
    return mysqld_library_stmt_next(s, out);
  mysqld_library_end_rows(s);
  rc = s->more ? mysql_next_result(s->mysql) : -1;
  if (rc > 0)
    return mysqld_library_failed(s, out);
  if (rc < 0) {
    s->more = false;
    out->ended = true;
    return 0;
  }
  return store(s, out);
}

static int library_end_results(struct mysql_session *s, struct outcome *out)
{
  int rc = 0;

  while (s->more) { /* a failure ends the loop, too */
    *out = (struct outcome){ 0 };
    rc = library_next_result(s, out);
  }
  mysqld_library_end_rows(s);
  s->lib.from = NULL;
  return rc;
}

static int library_fetch(struct mysql_session *s, sql_value *values)
{
  return mysqld_library_rows_take(&s->lib.rows, s->lib.nfields, values);
}

static void library_closing(struct mysql_session *s)
{
  mysqld_library_end_rows(s);
  s->lib.from = NULL;
}

static void library_closed(struct mysql_session *s)
{
  struct library *lib = &s->lib;

  /* They were detached from the connection, so closing them sends nothing. */
  for (size_t i = 0; i < lib->n_orphans; i++)
    (void)mysql_stmt_close(lib->orphan[i]);
  free(lib->orphan);
  free(lib->bind);
  free(lib->cell);
  free(lib->cols);
  mysqld_library_rows_done(&lib->rows);
  memset(lib, 0, sizeof(*lib));
}

const struct backend mysqld_library_backend = {
  .name = "library",
  .query = library_query,
  .fetch = library_fetch,
  .next_result = library_next_result,
  .end_results = library_end_results,
  .prepare = mysqld_library_prepare,
  .execute = mysqld_library_execute,
  .unprepare = mysqld_library_unprepare,
  .closing = library_closing,
  .closed = library_closed,
};
