/*
 * send.c - sends one chunk to a table, in a transaction of its own.
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
#include "db/bulk.h"
#include "db/conn.h"
#include "db/copy.h"
#include "load/pace.h"
#include "load/rows.h"
#include "load/steps.h"

enum {
  BUFFER = 128 * 1024, /* bytes that are passed to the driver at a time */
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

int send_choose(struct conn *c, enum load_method wish, enum send_way *ret,
                struct err *err)
{
  const char *why = "";
  const bool bulk = wish != LOAD_INSERT && copy_possible(c, &why);

  if (wish == LOAD_BULK && !bulk)
    return err_set(err, -EINVAL, "--load-method=bulk is not possible: %s", why);
  if (!bulk)
    *ret = SEND_INSERT;
  else
    *ret = c->driver->copy->form == COPY_BINARY ? SEND_BINARY : SEND_PLAIN;
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

const sql_row *send_fetch(sql_result *rs, unsigned width, struct err *err)
{
  const sql_row *row = rs->nfields == width ? conn_fetch_row(rs) : NULL;

  if (!row)
    (void)err_set(err, -EIO, "the server's answer cannot be read");
  return row;
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

/* The state of sending a chunk. */
struct sending {
  enum send_way way;
  struct rows *rows;
  const struct chunk *chunk;
  struct pace *pace;
  struct steps *steps;
  char *buffer; /* owned */
  struct strbuf sql;
  bool doubtful;        /* rows of an earlier attempt may be in the table */
  uint64_t sent, bytes; /* by this attempt */
  uint64_t missing;     /* rows that the database has not taken */
};

static void note_sent(struct sending *s, uint64_t rows, uint64_t bytes)
{
  s->sent += rows;
  s->bytes += bytes;
  pace_add(s->pace, rows, bytes);
}

/* ---- by the driver's way of its own ---- */

static int bulk(struct conn *c, struct sending *s, uint64_t *ret_taken)
{
  const bool binary = s->way == SEND_BINARY;
  const enum rows_form form = binary ? ROWS_BINARY : ROWS_PLAIN;
  char table[32];
  const struct copy_spec spec = {
    .table = table,
    .columns = columns,
    .n = ARRAY_SIZE(columns),
    .kinds = "iitt",
    .form = binary ? COPY_BINARY : COPY_PLAIN,
  };
  uint64_t id = s->chunk->first;

  (void)snprintf(table, sizeof(table), "sbtest%" PRIu64, s->rows->table);
  if (copy_begin(c, &spec) != 0)
    return -EIO;
  while (id <= s->chunk->last) {
    const uint64_t from = id;
    size_t len = 0;

    for (; id <= s->chunk->last && len <= BUFFER - ROWS_MAX; id++)
      len += rows_put(s->rows, form, id, s->buffer + len);
    if (copy_rows(c, s->buffer, len) != 0)
      return -EIO;
    note_sent(s, id - from, len);
  }
  return copy_end(c, ret_taken) == 0 ? 0 : -EIO;
}

/* ---- by INSERT ---- */

static int insert(struct conn *c, struct sending *s)
{
  const size_t max = bulk_sizes(c)->good;
  struct strbuf *sql = &s->sql;
  const bool counts = (c->driver->caps & DRIVER_COUNTS_STORED) != 0;
  uint64_t id = s->chunk->first;
  char row[ROWS_MAX];

  while (id <= s->chunk->last) {
    const uint64_t from = id;

    strbuf_clear(sql);
    strbuf_addf(sql, "INSERT INTO sbtest%" PRIu64 "(id, k, c, pad) VALUES ",
                s->rows->table);
    do
      strbuf_add(sql, row, rows_put(s->rows, ROWS_SQL, id++, row));
    while (id <= s->chunk->last && sql->len + ROWS_MAX < max);
    if (sql->failed)
      return -ENOMEM;
    sql->text[--sql->len] = '\0'; /* the last comma */
    (void)conn_query(c, sql->text, sql->len);
    if (c->pub.error != DB_ERROR_NONE)
      return -EIO;
    note_sent(s, id - from, sql->len);
    if (counts && c->out.taken < id - from) {
      s->missing = id - from - c->out.taken;
      return -EEXIST;
    }
  }
  return 0;
}

/* ---- in a transaction ---- */

static int begin(struct conn *c)
{
  const bool one = (c->driver->caps & DRIVER_ONE_WRITER) != 0;

  return query(c, one ? "BEGIN IMMEDIATE" : "BEGIN");
}

static int remove_rows(struct conn *c, const struct sending *s)
{
  char sql[128];

  (void)snprintf(sql, sizeof(sql),
                 "DELETE FROM sbtest%" PRIu64 " WHERE id BETWEEN %" PRIu64
                 " AND %" PRIu64,
                 s->rows->table, s->chunk->first, s->chunk->last);
  return query(c, sql);
}

static int attempt(struct conn *c, struct sending *s)
{
  const uint64_t whole = s->chunk->last - s->chunk->first + 1;
  uint64_t taken = whole;
  int rc = begin(c);

  s->sent = s->bytes = 0;
  if (rc == 0 && (s->chunk->partial || s->doubtful))
    rc = remove_rows(c, s);
  if (rc == 0)
    rc = s->way == SEND_INSERT ? insert(c, s) : bulk(c, s, &taken);
  if (rc < 0)
    return rc;
  s->missing = whole > taken ? whole - taken : 0;
  if (s->missing > 0)
    return -EEXIST;
  return query(c, "COMMIT");
}

static void roll_back(struct conn *c)
{
  if (conn_is_open(c) && c->session->trx != TRX_NONE)
    (void)query(c, "ROLLBACK");
}

static void pause_before(unsigned tries)
{
  const unsigned shift = tries < 7 ? tries : 7;
  const long ms = 1L << shift < PAUSE_MAX_MS ? 1L << shift : PAUSE_MAX_MS;
  const struct timespec t = { .tv_nsec = ms * 1000000 };

  (void)nanosleep(&t, NULL);
}

/* The server refuses the binary form, but may accept the other one. */
static bool is_refused(const struct conn *c, const struct sending *s)
{
  const struct failure *f = conn_failure(c);
  const char *const *state;

  if (s->way != SEND_BINARY || f->lost || f->api_error)
    return false;
  for (state = c->driver->copy->plain_after; state && *state; state++) {
    if (strcmp(f->state, *state) == 0)
      return true;
  }
  return false;
}

/* The attempt has failed with `rc`.  Returns -EAGAIN if the next one may
 * succeed. */
static int judge(struct conn *c, struct sending *s, int rc, unsigned tries,
                 struct err *err)
{
  if (rc == -ENOMEM)
    return err_set(err, rc, "not enough memory");
  if (rc == -EEXIST)
    return err_set(err, rc,
                   "the server has not stored %" PRIu64
                   " of the rows it was sent: are "
                   "they in the table already, or does a trigger or a rule "
                   "drop them?",
                   s->missing);
  if (is_refused(c, s)) {
    struct conn_message m = conn_take_message(c);

    conn_drop_message(&m);
    s->way = SEND_PLAIN;
    return -EAGAIN;
  }
  if (c->pub.error == DB_ERROR_IGNORABLE && tries < TRIES)
    return -EAGAIN;
  return send_failed(c, err);
}

static int send_all(struct conn *c, struct sending *s, struct err *err)
{
  for (unsigned tries = 1;; tries++) {
    int rc = attempt(c, s);

    if (rc == 0)
      return 0;
    pace_take_back(s->pace, s->sent, s->bytes);
    /* The server may have received the COMMIT whose answer was lost. */
    s->doubtful |= conn_failure(c)->reconnected;
    rc = judge(c, s, rc, tries, err);
    roll_back(c);
    if (rc != -EAGAIN)
      return rc;
    if (steps_are_stopped(s->steps))
      return err_set(err, -ECANCELED, "interrupted");
    pause_before(tries);
  }
}

int send_chunk(struct conn *c, enum send_way *way, struct rows *rows,
               const struct chunk *chunk, struct pace *pace,
               struct steps *steps, struct err *err)
{
  struct sending s = {
    .way = *way,
    .rows = rows,
    .chunk = chunk,
    .pace = pace,
    .steps = steps,
    .buffer = malloc(BUFFER),
  };
  int rc;

  if (!s.buffer)
    return err_set(err, -ENOMEM, "not enough memory");
  rc = send_all(c, &s, err);
  *way = s.way;
  free(s.buffer);
  strbuf_done(&s.sql);
  return rc;
}
