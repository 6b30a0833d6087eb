#include "db/load/send.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "db/bulk.h"
#include "db/conn.h"
#include "db/copy.h"
#include "db/load/chunks.h"
#include "db/load/kind.h"
#include "db/load/pace.h"

enum {
  BUFFER = 128 * 1024, /* bytes per call of the driver */
  TRIES = 100,
  PAUSE_MAX_MS = 100,
};

_Static_assert((int)KIND_BYTES_MAX <= (int)BUFFER, "the rows of a key fit");

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

/* Reports the last failure, and logs the driver's messages. -EIO. */
static int send_failed(struct conn *c, struct err *err)
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

uint64_t send_number(const sql_value *v)
{
  char text[24] = "";

  if (v->ptr && v->len < sizeof(text))
    memcpy(text, v->ptr, v->len);
  return strtoull(text, NULL, 10);
}

int send_query(struct conn *c, struct strbuf *sql, sql_result **ret,
               struct err *err)
{
  const bool failed = sql->failed;

  if (!failed)
    *ret = conn_query(c, sql->text, sql->len);
  strbuf_done(sql);
  if (failed)
    return err_set(err, -ENOMEM, "not enough memory");
  return c->pub.error == DB_ERROR_NONE ? 0 : send_failed(c, err);
}

static int query(struct conn *c, const char *sql)
{
  (void)conn_query(c, sql, strlen(sql));
  return c->pub.error == DB_ERROR_NONE ? 0 : -EIO;
}

struct sending {
  enum send_way way;
  struct maker *maker;
  const struct chunk *chunk;
  struct pace *pace;
  struct steps *steps;
  char *buffer; /* owned */
  struct strbuf sql;
  bool doubtful;        /* an earlier attempt can have left rows */
  uint64_t sent, bytes; /* by this attempt */
  uint64_t missing;     /* not taken by the database */
};

static void send_note_sent(struct sending *s, uint64_t rows, uint64_t bytes)
{
  s->sent += rows;
  s->bytes += bytes;
  pace_add(s->pace, rows, bytes);
}

static size_t send_put_key(const struct sending *s, enum rows_form form,
                           uint64_t key, char *to, uint64_t *rows)
{
  struct maker *m = s->maker;

  *rows += m->table.line ? m->kind->lines(m, key) : 1;
  return m->kind->put(m, form, key, to);
}

/* ---- the driver's bulk interface ---- */

static int send_bulk(struct conn *c, struct sending *s, uint64_t *ret_taken)
{
  const bool binary = s->way == SEND_BINARY;
  const enum rows_form form = binary ? ROWS_BINARY : ROWS_PLAIN;
  const struct kind_table *t = &s->maker->table;
  const struct copy_spec spec = {
    .table = t->name,
    .columns = t->columns,
    .n = t->n,
    .kinds = t->types,
    .form = binary ? COPY_BINARY : COPY_PLAIN,
  };
  uint64_t key = s->chunk->first;

  if (copy_begin(c, &spec) != 0)
    return -EIO;
  while (key <= s->chunk->last) {
    uint64_t rows = 0;
    size_t len = 0;

    for (; key <= s->chunk->last && len <= BUFFER - t->bytes_max; key++)
      len += send_put_key(s, form, key, s->buffer + len, &rows);
    if (copy_rows(c, s->buffer, len) != 0)
      return -EIO;
    send_note_sent(s, rows, len);
  }
  return copy_end(c, ret_taken) == 0 ? 0 : -EIO;
}

static void send_add_insert(const struct kind_table *t, struct strbuf *sql)
{
  strbuf_addf(sql, "INSERT INTO %s(", t->name);
  for (unsigned i = 0; i < t->n; i++)
    strbuf_addf(sql, "%s%s", i ? ", " : "", t->columns[i]);
  strbuf_adds(sql, ") VALUES ");
}

static int send_insert(struct conn *c, struct sending *s)
{
  const size_t max = bulk_sizes(c)->good;
  const struct kind_table *t = &s->maker->table;
  struct strbuf *sql = &s->sql;
  const bool counts = (c->driver->caps & DRIVER_COUNTS_STORED) != 0;
  uint64_t key = s->chunk->first;

  while (key <= s->chunk->last) {
    uint64_t rows = 0;

    strbuf_clear(sql);
    send_add_insert(t, sql);
    do
      strbuf_add(sql, s->buffer,
                 send_put_key(s, ROWS_SQL, key++, s->buffer, &rows));
    while (key <= s->chunk->last && sql->len + t->bytes_max < max);
    if (sql->failed)
      return -ENOMEM;
    sql->text[--sql->len] = '\0'; /* the last comma */
    (void)conn_query(c, sql->text, sql->len);
    if (c->pub.error != DB_ERROR_NONE)
      return -EIO;
    send_note_sent(s, rows, sql->len);
    if (counts && c->out.taken < rows) {
      s->missing = rows - c->out.taken;
      return -EEXIST;
    }
  }
  return 0;
}

/* ---- in a transaction ---- */

static int send_begin(struct conn *c)
{
  const bool one = (c->driver->caps & DRIVER_ONE_WRITER) != 0;

  return query(c, one ? "BEGIN IMMEDIATE" : "BEGIN");
}

static int send_remove_rows(struct conn *c, struct sending *s)
{
  const struct kind_table *t = &s->maker->table;
  uint64_t first = s->chunk->first;
  int rc = 0;

  while (rc == 0 && first <= s->chunk->last) {
    strbuf_clear(&s->sql);
    strbuf_addf(&s->sql, "DELETE FROM %s WHERE ", t->name);
    first = kind_range(t, first, s->chunk->last, &s->sql) + 1;
    rc = s->sql.failed ? -ENOMEM : query(c, s->sql.text);
  }
  return rc;
}

static int send_attempt(struct conn *c, struct sending *s)
{
  const uint64_t whole = maker_rows(s->maker, s->chunk->first, s->chunk->last);
  uint64_t taken = whole;
  int rc = send_begin(c);

  s->sent = s->bytes = 0;
  if (rc == 0 && (s->chunk->partial || s->doubtful))
    rc = send_remove_rows(c, s);
  if (rc == 0)
    rc = s->way == SEND_INSERT ? send_insert(c, s) : send_bulk(c, s, &taken);
  if (rc < 0)
    return rc;
  s->missing = whole > taken ? whole - taken : 0;
  if (s->missing > 0)
    return -EEXIST;
  return query(c, "COMMIT");
}

static void send_roll_back(struct conn *c)
{
  if (conn_is_open(c) && c->session->trx != TRX_NONE)
    (void)query(c, "ROLLBACK");
}

static void send_pause_before(unsigned tries)
{
  const unsigned shift = tries < 7 ? tries : 7;
  const long ms = 1L << shift < PAUSE_MAX_MS ? 1L << shift : PAUSE_MAX_MS;
  const struct timespec t = { .tv_nsec = ms * 1000000 };

  (void)nanosleep(&t, NULL);
}

/* By the server: the binary form. */
static bool send_is_refused(const struct conn *c, const struct sending *s)
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

/* -EAGAIN: the next attempt can succeed. */
static int send_judge(struct conn *c, struct sending *s, int rc, unsigned tries,
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
  if (send_is_refused(c, s)) {
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
    int rc = send_attempt(c, s);

    if (rc == 0)
      return 0;
    pace_take_back(s->pace, s->sent, s->bytes);
    /* A COMMIT can have reached the server before its answer was lost. */
    s->doubtful |= conn_failure(c)->reconnected;
    rc = send_judge(c, s, rc, tries, err);
    send_roll_back(c);
    if (rc != -EAGAIN)
      return rc;
    if (steps_are_stopped(s->steps))
      return err_set(err, -ECANCELED, "interrupted");
    send_pause_before(tries);
  }
}

/* rows.h has no decimals and dates in PostgreSQL's binary form. */
static enum send_way send_way_to(const struct conn *c,
                                 const struct kind_table *t, enum send_way way)
{
  if (way == SEND_BINARY && t->plain && c->driver->copy->plain_after)
    return SEND_PLAIN;
  return way;
}

int send_chunk(struct conn *c, enum send_way *way, struct maker *m,
               const struct chunk *chunk, struct pace *pace,
               struct steps *steps, struct err *err)
{
  const enum send_way first = send_way_to(c, &m->table, *way);
  struct sending s = {
    .way = first,
    .maker = m,
    .chunk = chunk,
    .pace = pace,
    .steps = steps,
    .buffer = malloc(BUFFER),
  };
  int rc;

  if (!s.buffer)
    return err_set(err, -ENOMEM, "not enough memory");
  rc = send_all(c, &s, err);
  if (s.way != first) /* the server refuses the binary form */
    *way = s.way;
  free(s.buffer);
  strbuf_done(&s.sql);
  return rc;
}
