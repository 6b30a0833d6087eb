/*
 * ack_ask.c - see ack_ask.h.
 */
#include "verify/ack_ask.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/err.h"
#include "base/parse.h"
#include "db/conn.h"
#include "db/env.h"
#include "db/env_conns.h"

/* One of the last two is set. */
struct question {
  const char *query;
  bool *ret_replica;
  struct ack_set *ret_set;
  double *ret_total;
};

/* Decimal digits, then blanks: a CHAR column has them. */
static bool read_number(const sql_value *v, uint64_t *ret)
{
  uint64_t n = 0;
  uint32_t i = 0;

  if (!v->ptr)
    return false;
  for (; i < v->len && v->ptr[i] >= '0' && v->ptr[i] <= '9'; i++)
    n = n * 10 + (uint64_t)(v->ptr[i] - '0');
  if (i == 0 || i > 19)
    return false;
  while (i < v->len && v->ptr[i] == ' ')
    i++;
  *ret = n;
  return i == v->len;
}

static int refuse_value(const struct question *q, const sql_value *v,
                        struct err *err)
{
  return err_set(err, -EINVAL,
                 "the query returns '%.*s', which is no number: %.400s",
                 v->ptr ? (int)(v->len < 100 ? v->len : 100) : 4,
                 v->ptr ? v->ptr : "NULL", q->query);
}

/* Marks all numbers that the database has. */
static int read_numbers(const struct question *q, sql_result *rs,
                        struct err *err)
{
  uint64_t id;

  for (uint32_t i = 0; i < rs->nrows; i++) {
    const sql_row *row = conn_fetch_row(rs);

    if (!row)
      return err_set(err, -EIO, "the rows of the query cannot be read: %.400s",
                     q->query);
    if (!read_number(&row->values[0], &id))
      return refuse_value(q, &row->values[0], err);
    ack_set_found(q->ret_set, id);
  }
  return 0;
}

static int read_total(const struct question *q, sql_result *rs, struct err *err)
{
  sql_row *row = rs->nrows > 0 ? conn_fetch_row(rs) : NULL;
  const sql_value *v = row ? &row->values[0] : NULL;
  char text[64] = "";

  if (!row)
    return err_set(err, -EINVAL, "the query returns no row: %.400s", q->query);
  if (v->ptr && v->len < sizeof(text))
    memcpy(text, v->ptr, v->len);
  return parse_double(text, q->ret_total) == 0 ? 0 : refuse_value(q, v, err);
}

static int ask(const struct question *q, struct conn *c, struct err *err)
{
  sql_result *rs = conn_query(c, q->query, strlen(q->query));
  int rc;

  if (!rs)
    return err_set(err, -EIO, "the query of the log failed: %.400s: %.400s",
                   q->query,
                   c->pub.error != DB_ERROR_NONE ? conn_failure(c)->text
                                                 : "it returns no rows");
  if (rs->nfields != 1)
    rc = err_set(err, -EINVAL, "the query has %u columns, not one: %.400s",
                 rs->nfields, q->query);
  else if (q->ret_total)
    rc = read_total(q, rs, err);
  else
    rc = read_numbers(q, rs, err);
  (void)conn_free_results(rs);
  return rc;
}

static int ask_database(const struct question *q, struct db_process *db,
                        struct err *err)
{
  struct db_env env = { .process = db, .rng = 1 };
  struct driver_handle *h = env_driver(&env, NULL);
  struct conn *c = h ? conn_open(h, NULL) : NULL;
  int rc = -EIO; /* which was printed */

  if (c && !(c->driver->caps & DRIVER_KEEPS_ROWS)) {
    rc = err_set(err, -EINVAL, "the driver %s keeps no rows", c->driver->name);
  } else if (c) {
    /* Before the query: what is promoted after it has answered as a replica. */
    *q->ret_replica = !conn_is_current(c);
    rc = ask(q, c, err);
  }
  if (c)
    conn_free(c);
  env_done(&env);
  return rc;
}

int ack_ask_numbers(struct db_process *db, const char *query,
                    struct ack_set *set, bool *ret_replica, struct err *err)
{
  const struct question q = { .query = query,
                              .ret_replica = ret_replica,
                              .ret_set = set };

  return ask_database(&q, db, err);
}

int ack_ask_total(struct db_process *db, const char *query, double *ret,
                  bool *ret_replica, struct err *err)
{
  const struct question q = { .query = query,
                              .ret_replica = ret_replica,
                              .ret_total = ret };

  return ask_database(&q, db, err);
}
