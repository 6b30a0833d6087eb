/*
 * send.c - one chunk on its way into a table, in a transaction of its own.
 */
#include "load/send.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "db/conn.h"
#include "db/copy.h"
#include "load/pace.h"
#include "load/rows.h"

enum {
  BUFFER = 128 * 1024, /* bytes handed to the driver at a time */
  TRIES = 100,
  PAUSE_MAX_MS = 100,
};

static const char *const columns[] = { "id", "k", "c", "pad" };

int load_method_parse(const char *word, enum load_method *ret)
{
  static const char *const words[] = { "auto", "insert", "bulk" };

  for (unsigned i = 0; i < ARRAY_SIZE(words); i++) {
    if (strcmp(word, words[i]) == 0) {
      *ret = (enum load_method)i;
      return 0;
    }
  }
  return -EINVAL;
}

int send_choose(struct conn *c, enum load_method wish, enum load_method *ret,
                struct err *err)
{
  const char *why = "";
  const bool bulk = wish != LOAD_INSERT && copy_possible(c, &why);

  if (wish == LOAD_BULK && !bulk)
    return err_set(err, -EINVAL, "--load-method=bulk is not possible: %s", why);
  *ret = bulk ? LOAD_BULK : LOAD_INSERT;
  return 0;
}

int send_failed(struct conn *c, struct err *err)
{
  const struct failure *f = conn_failure(c);

  if (f->api_error)
    (void)err_set(err, -EIO, "%s", f->api_error);
  else
    (void)err_set(err, -EIO, "%s (%s)", f->text, f->state);
  conn_say(c);
  return -EIO;
}

static int query(struct conn *c, const char *sql)
{
  (void)conn_query(c, sql, strlen(sql));
  return c->pub.error == DB_ERROR_NONE ? 0 : -EIO;
}

int send_statement(struct conn *c, const char *sql, struct err *err)
{
  return query(c, sql) == 0 ? 0 : send_failed(c, err);
}

/* ---- by the driver's way of its own ---- */

static enum rows_form form_of(enum copy_form form)
{
  return form == COPY_BINARY ? ROWS_BINARY : ROWS_PLAIN;
}

static int bulk(struct conn *c, struct rows *rows, const struct chunk *chunk,
                char *buffer, struct pace *pace, uint64_t *ret_taken)
{
  const enum copy_form form = c->driver->copy->form;
  const enum rows_form as = form_of(form);
  char table[32];
  const struct copy_spec spec = {
    .table = table,
    .columns = columns,
    .n = ARRAY_SIZE(columns),
    .kinds = "iitt",
    .form = form,
  };
  uint64_t id = chunk->first;

  (void)snprintf(table, sizeof(table), "sbtest%" PRIu64, rows->table);
  if (copy_begin(c, &spec) != 0)
    return -EIO;
  while (id <= chunk->last) {
    const uint64_t from = id;
    size_t len = 0;

    for (; id <= chunk->last && len <= BUFFER - ROWS_MOST; id++)
      len += rows_put(rows, as, id, buffer + len);
    if (copy_rows(c, buffer, len) != 0)
      return -EIO;
    pace_add(pace, id - from, len);
  }
  return copy_end(c, ret_taken) == 0 ? 0 : -EIO;
}

/* ---- by INSERT ---- */

static size_t largest_statement(struct conn *c)
{
  const size_t least = BULK_PACKET;
  size_t n = 0;

  if (c->driver->bulk_packet)
    n = c->driver->bulk_packet(c->session);
  return n > least ? n : least;
}

static int insert(struct conn *c, struct rows *rows, const struct chunk *chunk,
                  struct strbuf *sql, struct pace *pace)
{
  const size_t most = largest_statement(c);
  uint64_t id = chunk->first;
  char row[ROWS_MOST];

  while (id <= chunk->last) {
    const uint64_t from = id;

    strbuf_clear(sql);
    strbuf_addf(sql, "INSERT INTO sbtest%" PRIu64 "(id, k, c, pad) VALUES ",
                rows->table);
    for (; id <= chunk->last && sql->len + ROWS_MOST < most; id++)
      strbuf_add(sql, row, rows_put(rows, ROWS_SQL, id, row));
    if (sql->failed)
      return -ENOMEM;
    sql->text[--sql->len] = '\0'; /* the last comma */
    (void)conn_query(c, sql->text, sql->len);
    if (c->pub.error != DB_ERROR_NONE)
      return -EIO;
    pace_add(pace, id - from, sql->len);
  }
  return 0;
}

/* ---- in a transaction ---- */

static int begin(struct conn *c)
{
  const bool one = (c->driver->caps & DRIVER_ONE_WRITER) != 0;

  return query(c, one ? "BEGIN IMMEDIATE" : "BEGIN");
}

static int remove_rows(struct conn *c, const struct rows *rows,
                       const struct chunk *chunk)
{
  char sql[128];

  (void)snprintf(sql, sizeof(sql),
                 "DELETE FROM sbtest%" PRIu64 " WHERE id BETWEEN %" PRIu64
                 " AND %" PRIu64,
                 rows->table, chunk->first, chunk->last);
  return query(c, sql);
}

/* What is on its way while a chunk is sent. */
struct sending {
  enum load_method method;
  struct rows *rows;
  const struct chunk *chunk;
  struct pace *pace;
  char *buffer;
  struct strbuf *sql;
  uint64_t missing; /* rows that the database has not taken */
};

static int attempt(struct conn *c, struct sending *s)
{
  const uint64_t whole = s->chunk->last - s->chunk->first + 1;
  uint64_t taken = whole;
  int rc = begin(c);

  if (rc == 0 && s->chunk->partial)
    rc = remove_rows(c, s->rows, s->chunk);
  if (rc < 0)
    return rc;
  if (s->method == LOAD_BULK)
    rc = bulk(c, s->rows, s->chunk, s->buffer, s->pace, &taken);
  else
    rc = insert(c, s->rows, s->chunk, s->sql, s->pace);
  if (rc < 0)
    return rc;
  s->missing = whole > taken ? whole - taken : 0;
  if (s->missing > 0)
    return -EEXIST;
  return query(c, "COMMIT");
}

static void roll_back(struct conn *c)
{
  if (c->state == CONN_OPEN && c->session->trx != TRX_NONE)
    (void)query(c, "ROLLBACK");
}

static void pause_before(unsigned tries)
{
  const unsigned shift = tries < 7 ? tries : 7;
  const long ms = 1L << shift < PAUSE_MAX_MS ? 1L << shift : PAUSE_MAX_MS;
  const struct timespec t = { .tv_nsec = ms * 1000000 };

  (void)nanosleep(&t, NULL);
}

static int send_all(struct conn *c, struct sending *s, struct err *err)
{
  for (unsigned tries = 1;; tries++) {
    int rc = attempt(c, s);

    if (rc == 0)
      return 0;
    if (rc == -ENOMEM)
      rc = err_set(err, rc, "not enough memory");
    else if (rc == -EEXIST)
      (void)err_set(err, rc,
                    "the server has left out %" PRIu64
                    " rows: is a part of them in the table already?",
                    s->missing);
    else if (c->pub.error == DB_ERROR_IGNORABLE && tries < TRIES)
      rc = -EAGAIN;
    else
      rc = send_failed(c, err);
    roll_back(c);
    if (rc != -EAGAIN)
      return rc;
    pause_before(tries);
  }
}

int send_chunk(struct conn *c, enum load_method method, struct rows *rows,
               const struct chunk *chunk, struct pace *pace, struct err *err)
{
  struct strbuf sql = { 0 };
  struct sending s = {
    .method = method,
    .rows = rows,
    .chunk = chunk,
    .pace = pace,
    .buffer = malloc(BUFFER),
    .sql = &sql,
  };
  int rc;

  if (!s.buffer)
    return err_set(err, -ENOMEM, "not enough memory");
  rc = send_all(c, &s, err);
  free(s.buffer);
  strbuf_done(&sql);
  return rc;
}
