/*
 * check.c - compares the rows of a table with those that a load makes.
 *
 * Rows are read in the order of their ids, some thousand at a time, and each is
 * made again.
 */
#include "load/check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "db/conn.h"
#include "load/pace.h"
#include "load/rows.h"
#include "load/send.h"

enum {
  AT_A_TIME = 10000
};

/* The differences; `first` has the first id of each kind. */
struct found {
  uint64_t missing, first_missing;
  uint64_t twice, first_twice;
  uint64_t k, first_k;
  uint64_t c, first_c;
  uint64_t pad, first_pad;
};

static void note(uint64_t *count, uint64_t *first, uint64_t id, uint64_t n)
{
  if (*count == 0)
    *first = id;
  *count += n;
}

static uint64_t number(const sql_value *v)
{
  char text[24] = "";

  if (v->ptr && v->len < sizeof(text))
    memcpy(text, v->ptr, v->len);
  return strtoull(text, NULL, 10);
}

/* CHAR columns may have blanks at their end. */
static bool equal(const sql_value *v, const char *text, size_t len)
{
  size_t n = v->len;

  while (n > len && v->ptr[n - 1] == ' ')
    n--;
  return v->ptr && n == len && memcmp(v->ptr, text, len) == 0;
}

static void compare(struct rows *rows, uint64_t id, const sql_value *v,
                    struct found *found)
{
  char c[ROWS_C], pad[ROWS_PAD];
  const uint64_t k = rows_values(rows, id, c, pad);

  if (number(&v[1]) != k)
    note(&found->k, &found->first_k, id, 1);
  if (!equal(&v[2], c, sizeof(c)))
    note(&found->c, &found->first_c, id, 1);
  if (!equal(&v[3], pad, sizeof(pad)))
    note(&found->pad, &found->first_pad, id, 1);
}

static int check_part(struct conn *conn, struct rows *rows, uint64_t first,
                      uint64_t last, struct found *found, struct err *err)
{
  char sql[160];
  uint64_t next = first; /* the id that is expected */
  sql_result *rs;

  (void)snprintf(sql, sizeof(sql),
                 "SELECT id, k, c, pad FROM sbtest%" PRIu64
                 " WHERE id BETWEEN %" PRIu64 " AND %" PRIu64 " ORDER BY id",
                 rows->table, first, last);
  rs = conn_query(conn, sql, strlen(sql));
  if (conn->pub.error != DB_ERROR_NONE)
    return send_failed(conn, err);
  for (uint64_t left = rs ? rs->nrows : 0; left > 0; left--) {
    const sql_row *row = send_fetch(rs, 4, err);
    uint64_t id;

    if (!row)
      return -EIO;
    id = number(&row->values[0]);
    if (id < next) {
      note(&found->twice, &found->first_twice, id, 1);
      continue;
    }
    if (id > next)
      note(&found->missing, &found->first_missing, next, id - next);
    compare(rows, id, row->values, found);
    next = id + 1;
  }
  if (next <= last)
    note(&found->missing, &found->first_missing, next, last - next + 1);
  return 0;
}

static void tell(struct strbuf *faults, uint64_t count, uint64_t first,
                 const char *what)
{
  if (count > 0)
    strbuf_addf(faults, "%s%" PRIu64 " %s %s, the first is row %" PRIu64,
                faults->len ? ", " : "", count, count == 1 ? "row" : "rows",
                what, first);
}

int check_rows(struct conn *c, struct rows *rows, struct pace *pace,
               struct strbuf *faults, struct err *err)
{
  struct found found = { 0 };

  for (uint64_t first = 1; first <= rows->size; first += AT_A_TIME) {
    const uint64_t left = rows->size - first + 1;
    const uint64_t last = first + (left < AT_A_TIME ? left : AT_A_TIME) - 1;
    const int rc = check_part(c, rows, first, last, &found, err);

    if (rc < 0)
      return rc;
    if (pace)
      pace_add(pace, last - first + 1, 0);
  }
  tell(faults, found.missing, found.first_missing, "missing");
  tell(faults, found.twice, found.first_twice, "there more than once");
  tell(faults, found.k, found.first_k, "with another k");
  tell(faults, found.c, found.first_c, "with another c");
  tell(faults, found.pad, found.first_pad, "with another pad");
  return 0;
}
