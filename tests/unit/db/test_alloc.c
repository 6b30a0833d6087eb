/*
 * test_alloc.c - the n-th allocation fails while values are put into
 * statements, and while the filling of tables is planned.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/strbuf.h"
#include "db/conn.h"
#include "db/emul.h"
#include "db/load/chunks.h"
#include "db/load/kinds/kind_list.h"
#include "db/load/load.h"
#include "tests/unit/tap.h"
#include "tests/unit/torture.h"

static int no_memory(struct err *err)
{
  return err_set(err, -ENOMEM, "the test's own");
}

static bool quote(void *ctx, const char *text, size_t len, struct strbuf *to,
                  const char **ret_why)
{
  (void)ctx, (void)ret_why;
  strbuf_adds(to, "'");
  strbuf_add(to, text, len);
  strbuf_adds(to, "'");
  return true;
}

/* The statement is long enough to need more memory more than once. */
static int emulate(void *ctx, struct err *err)
{
  static const struct emul_quote q = { .text = quote };
  char sql[200], text[64];
  unsigned long len = sizeof(text);
  int64_t number = 7;
  struct emul_scan scan = { 0 };
  struct strbuf to = { 0 };
  const char *why = NULL;
  sql_bind binds[100];
  int rc;

  (void)ctx;
  memset(text, 'x', sizeof(text));
  for (size_t i = 0; i < 100; i++) {
    memcpy(sql + 2 * i, "?,", 2);
    binds[i] = i % 2 ? (sql_bind){ .type = SQL_TYPE_VARCHAR,
                                   .buffer = text,
                                   .data_len = &len }
                     : (sql_bind){ .type = SQL_TYPE_BIGINT, .buffer = &number };
  }
  rc = emul_scan(&scan, sql, sizeof(sql), EMUL_MYSQL);
  if (rc == -ENOMEM)
    rc = no_memory(err);
  if (rc == 0 &&
      emul_format(&scan, sql, sizeof(sql), binds, 100, &q, &to, &why) < 0)
    rc = -EIO;
  if (rc == 0 && to.failed)
    rc = no_memory(err);
  if (rc == 0 && to.len != 50 * 2 + 50 * 67)
    rc = -EIO;
  if (rc == 0) {
    emul_number(&scan, sql, sizeof(sql), &to);
    if (to.failed)
      rc = no_memory(err);
    else if (to.len != 9 * 3 + 90 * 4 + 5)
      rc = -EIO;
  }
  strbuf_done(&to);
  emul_scan_done(&scan);
  return rc;
}

static int plan_load(void *ctx, struct err *err)
{
  const struct load_setup setup = {
    .threads = 2,
    .kind = &kind_sbtest,
    .args = { .value = { 100000 } },
    .first_table = 1,
    .tables = 3,
  };
  static const struct driver driver = { .name = "none" };
  struct conn conn = { .driver = &driver };
  struct loader *t = NULL;
  struct load *l = NULL;
  uint64_t table = 0;
  struct chunks c;
  int rc = load_new(&l, &setup, err);

  (void)ctx;
  if (rc == 0) {
    t = loader_new(l, &conn);
    rc = t ? 0 : no_memory(err);
  }
  if (rc == 0 && (loader_next(t, &table, err) != LOAD_CREATE || table != 1))
    rc = -EIO;
  if (rc == 0)
    rc = loader_created(t, LOAD_FRESH, err);
  chunks_init(&c, 100000, 2, 0);
  if (rc == 0)
    rc = chunks_found(&c, 1, c.rows);
  if (rc == -ENOMEM)
    rc = no_memory(err);
  if (rc == 0 && chunks_rows_there(&c) != c.rows)
    rc = -EIO;
  chunks_done(&c);
  loader_free(t);
  load_free(l);
  return rc;
}

int main(void)
{
  OK(torture(emulate, NULL) > 5, "statements with values");
  OK(torture(plan_load, NULL) >= 4, "the plan of a load");
  return TAP_EXIT();
}
