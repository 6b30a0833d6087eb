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

#include "base/err.h"
#include "base/strbuf.h"
#include "db/conn.h"
#include "load/chunks.h"
#include "load/expect.h"
#include "load/range.h"
#include "load/send.h"

static int other_size(const struct maker *m, struct err *err)
{
  char size[64] = "this load";

  if (m->table.keys == 0)
    return err_set(err, -EINVAL, "it has rows, but a load leaves it empty");
  if (m->table.keys == 1 && !m->table.line)
    (void)snprintf(size, sizeof(size), "a table of %" PRIu64 " rows",
                   kind_keys(&m->table));
  return err_set(err, -EINVAL,
                 "it has rows that are not of %s: drop it, or give the %s of "
                 "the load before",
                 size, m->kind->size_option);
}

/* The rows of the chunk that begins with key first + 1 are there. */
static int found(struct maker *m, struct chunks *chunks, uint64_t first,
                 uint64_t rows)
{
  const uint64_t n = first / chunks->rows;
  struct chunk chunk;
  uint64_t whole;

  if (!m->table.line)
    return chunks_found(chunks, first + 1, rows);
  if (n >= chunks->count)
    return -EINVAL;
  chunk = chunks_at(chunks, n);
  whole = maker_rows(m, chunk.first, chunk.last);
  if (rows > whole)
    return -EINVAL;
  return chunks_set(chunks, n, rows == whole ? CHUNK_FULL : CHUNK_PARTIAL);
}

/* The result is the first key of each chunk minus one, times
 * range_key_step(). */
static void add_count(const struct kind_table *t, uint64_t chunk,
                      struct strbuf *sql)
{
  const uint64_t keys = kind_keys(t);

  if (chunk > keys)
    chunk = keys; /* the product must have 64 bits */
  chunk *= range_key_step(t);
  strbuf_adds(sql, "SELECT ");
  range_key(t, sql);
  strbuf_adds(sql, " - ");
  range_key(t, sql);
  strbuf_addf(sql, " %% %" PRIu64 " AS chunk, COUNT(*) FROM %s WHERE ", chunk,
              t->name);
  (void)range_part(t, 1, kind_keys(t), sql);
  strbuf_adds(sql, " GROUP BY 1");
}

static int count_chunks(struct conn *c, struct maker *m, struct chunks *chunks,
                        struct err *err)
{
  struct strbuf sql = { 0 };
  sql_result *rs = NULL;
  int rc;

  if (kind_keys(&m->table) == 0)
    return 0;
  add_count(&m->table, chunks->rows, &sql);
  rc = send_query(c, &sql, &rs, err);
  if (rc < 0)
    return rc;
  for (uint64_t left = rs ? rs->nrows : 0; rc == 0 && left > 0; left--) {
    const sql_row *row = send_fetch(rs, 2, err);

    if (!row)
      return -EIO;
    rc = found(m, chunks,
               send_number(&row->values[0]) / range_key_step(&m->table),
               send_number(&row->values[1]));
    if (rc == -ENOMEM)
      (void)err_set(err, rc, "not enough memory");
    else if (rc < 0)
      rc = other_size(m, err);
  }
  return rc;
}

static int no_others(struct conn *c, const struct maker *m, struct err *err)
{
  const struct kind_table *t = &m->table;
  struct strbuf sql = { 0 };
  sql_result *rs = NULL;
  int rc;

  strbuf_addf(&sql, "SELECT 1 FROM %s", t->name);
  if (t->keys > 0) {
    strbuf_adds(&sql, " WHERE ");
    range_outside(t, &sql);
  }
  strbuf_adds(&sql, " LIMIT 1");
  rc = send_query(c, &sql, &rs, err);
  if (rc < 0)
    return rc;
  return rs && rs->nrows > 0 ? other_size(m, err) : 0;
}

/* Is this row, which has a key of the table, one of the load? */
static int same_row(struct maker *m, const sql_value *values, struct err *err)
{
  struct strbuf name = { 0 };
  struct expect e;
  uint64_t key, line;
  int rc = 0;

  if (expect_init(&e, m) < 0)
    return err_set(err, -ENOMEM, "not enough memory");
  if (expect_place(&e, values, &key, &line) &&
      (line < 1 || line > expect_lines(&e, key) ||
       expect_compare(&e, key, line, values) != 0)) {
    range_name(&m->table, key, line, &name);
    rc = err_set(
      err, -EINVAL,
      "its %s does not belong to this load: resume needs the same %s as "
      "the load before",
      strbuf_str(&name), m->kind->depends);
  }
  strbuf_done(&name);
  expect_done(&e);
  return rc;
}

static int same_rows(struct conn *c, struct maker *m, struct err *err)
{
  struct strbuf sql = { 0 };
  sql_result *rs = NULL;
  const sql_row *row;
  int rc;

  if (m->table.keys == 0)
    return 0;
  range_select(&m->table, &sql);
  strbuf_adds(&sql, " LIMIT 1");
  rc = send_query(c, &sql, &rs, err);
  if (rc < 0 || !rs || rs->nrows == 0)
    return rc;
  row = send_fetch(rs, m->table.n, err);
  return row ? same_row(m, row->values, err) : -EIO;
}

int resume_find(struct conn *c, struct maker *m, struct chunks *chunks,
                struct err *err)
{
  int rc = no_others(c, m, err);

  if (rc == 0)
    rc = same_rows(c, m, err);
  return rc < 0 ? rc : count_chunks(c, m, chunks, err);
}
