/*
 * resume.c - finds the chunks of a table that an earlier load has filled.
 *
 * The database counts the rows of each chunk.  A chunk that is not complete is
 * loaded again.  One row is compared with its expected content, so that a load
 * with another seed is not continued.
 */
#include "load/resume.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "db/conn.h"
#include "load/chunks.h"
#include "load/rows.h"
#include "load/send.h"

/* The value as a whole number; 0 if it is not one. */
static uint64_t number(const sql_value *v)
{
  char text[24] = "";

  if (v->ptr && v->len < sizeof(text))
    memcpy(text, v->ptr, v->len);
  return strtoull(text, NULL, 10);
}

static int other_size(const struct rows *rows, struct err *err)
{
  return err_set(err, -EINVAL,
                 "it has rows that are not of a table of %" PRIu64
                 " rows: drop it, or give the --table-size of the load before",
                 rows->size);
}

static int count_chunks(struct conn *c, const struct rows *rows,
                        struct chunks *chunks, struct err *err)
{
  char sql[256];
  sql_result *rs;
  int rc = 0;

  (void)snprintf(sql, sizeof(sql),
                 "SELECT (id - 1) - (id - 1) %% %" PRIu64
                 " AS chunk, COUNT(*) FROM sbtest%" PRIu64
                 " WHERE id BETWEEN 1 AND %" PRIu64 " GROUP BY 1",
                 chunks->rows, rows->table, rows->size);
  rs = conn_query(c, sql, strlen(sql));
  if (c->pub.error != DB_ERROR_NONE)
    return send_failed(c, err);
  for (uint64_t left = rs ? rs->nrows : 0; rc == 0 && left > 0; left--) {
    const sql_row *row = send_fetch(rs, 2, err);

    if (!row)
      return -EIO;
    rc = chunks_found(chunks, number(&row->values[0]) + 1,
                      number(&row->values[1]));
    if (rc == -ENOMEM)
      (void)err_set(err, rc, "not enough memory");
    else if (rc < 0)
      rc = other_size(rows, err);
  }
  return rc;
}

static int no_others(struct conn *c, const struct rows *rows, struct err *err)
{
  char sql[128];
  sql_result *rs;
  bool some;

  (void)snprintf(sql, sizeof(sql),
                 "SELECT id FROM sbtest%" PRIu64
                 " WHERE id < 1 OR id > %" PRIu64 " LIMIT 1",
                 rows->table, rows->size);
  rs = conn_query(c, sql, strlen(sql));
  if (c->pub.error != DB_ERROR_NONE)
    return send_failed(c, err);
  some = rs && rs->nrows > 0;
  return some ? other_size(rows, err) : 0;
}

static bool equal(const sql_value *v, const char *text, size_t len)
{
  return v->ptr && v->len >= len && memcmp(v->ptr, text, len) == 0;
}

static int same_rows(struct conn *c, struct rows *rows, struct err *err)
{
  char sql[128], text[ROWS_C], pad[ROWS_PAD];
  sql_result *rs;
  const sql_row *row;
  uint64_t id;

  (void)snprintf(sql, sizeof(sql),
                 "SELECT id, k, c, pad FROM sbtest%" PRIu64 " LIMIT 1",
                 rows->table);
  rs = conn_query(c, sql, strlen(sql));
  if (c->pub.error != DB_ERROR_NONE)
    return send_failed(c, err);
  if (!rs || rs->nrows == 0)
    return 0;
  row = send_fetch(rs, 4, err);
  if (!row)
    return -EIO;
  id = number(&row->values[0]);
  if (rows_values(rows, id, text, pad) == number(&row->values[1]) &&
      equal(&row->values[2], text, ROWS_C) &&
      equal(&row->values[3], pad, ROWS_PAD))
    return 0;
  return err_set(err, -EINVAL,
                 "its row %" PRIu64
                 " is none of this load: resume needs the same --rand-seed, "
                 "--rand-type and --table-size as the load before",
                 id);
}

int resume_find(struct conn *c, struct rows *rows, struct chunks *chunks,
                struct err *err)
{
  int rc = no_others(c, rows, err);

  if (rc == 0)
    rc = same_rows(c, rows, err);
  return rc < 0 ? rc : count_chunks(c, rows, chunks, err);
}
