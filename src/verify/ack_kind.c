/*
 * ack_kind.c - judges an acknowledgement log: every number that the server has
 * acknowledged must be in the database, once.
 *
 * One query reads all numbers, so they are those of one moment.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ack/reader.h"
#include "base/err.h"
#include "base/parse.h"
#include "db/conn.h"
#include "db/env.h"
#include "db/env_conns.h"
#include "verify/ack_report.h"
#include "verify/acks.h"
#include "verify/kinds.h"
#include "verify/losses.h"

/* What is needed until the end; static storage would be shared by threads. */
struct work {
  struct ack_reader reader;
  struct ack_set set;
  struct losses losses;
  const char *query;
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

static int refuse_value(const struct work *w, const sql_value *v,
                        struct err *err)
{
  return err_set(err, -EINVAL,
                 "the query returns '%.*s', which is no number: %.400s",
                 v->ptr ? (int)(v->len < 100 ? v->len : 100) : 4,
                 v->ptr ? v->ptr : "NULL", w->query);
}

/* Marks all numbers that the database has. */
static int read_numbers(struct work *w, sql_result *rs, struct err *err)
{
  uint64_t id;

  for (uint32_t i = 0; i < rs->nrows; i++) {
    const sql_row *row = conn_fetch_row(rs);

    if (!row)
      return err_set(err, -EIO, "the rows of the query cannot be read: %.400s",
                     w->query);
    if (!read_number(&row->values[0], &id))
      return refuse_value(w, &row->values[0], err);
    ack_set_found(&w->set, id);
  }
  return 0;
}

static int read_total(const struct work *w, sql_result *rs, double *ret,
                      struct err *err)
{
  sql_row *row = rs->nrows > 0 ? conn_fetch_row(rs) : NULL;
  const sql_value *v = row ? &row->values[0] : NULL;
  char text[64] = "";

  if (!row)
    return err_set(err, -EINVAL, "the query returns no row: %.400s", w->query);
  if (v->ptr && v->len < sizeof(text))
    memcpy(text, v->ptr, v->len);
  return parse_double(text, ret) == 0 ? 0 : refuse_value(w, v, err);
}

/* Executes the query.  *ret_total is set if there is a total. */
static int ask(struct work *w, struct conn *c, double *ret_total,
               struct err *err)
{
  sql_result *rs = conn_query(c, w->query, strlen(w->query));
  int rc;

  if (!rs)
    return err_set(err, -EIO, "the query of the log failed: %.400s: %.400s",
                   w->query,
                   c->pub.error != DB_ERROR_NONE ? conn_failure(c)->text
                                                 : "it returns no rows");
  if (rs->nfields != 1)
    rc = err_set(err, -EINVAL, "the query has %u columns, not one: %.400s",
                 rs->nfields, w->query);
  else if (w->reader.header.kind == ACK_TOTAL)
    rc = read_total(w, rs, ret_total, err);
  else
    rc = read_numbers(w, rs, err);
  (void)conn_free_results(rs);
  return rc;
}

static int ask_database(struct work *w, struct db_process *db,
                        double *ret_total, struct err *err)
{
  struct db_env env = { .process = db, .rng = 1 };
  struct driver_handle *h = env_driver(&env, NULL);
  struct conn *c = h ? conn_open(h, NULL) : NULL;
  int rc = -EIO; /* which was printed */

  if (c && !(c->driver->caps & DRIVER_KEEPS_ROWS))
    rc = err_set(err, -EINVAL, "the driver %s keeps no rows", c->driver->name);
  else if (c)
    rc = ask(w, c, ret_total, err);
  if (c)
    conn_free(c);
  env_done(&env);
  return rc;
}

static int judge_work(struct work *w, const struct verify_input *in,
                      struct err *err)
{
  const struct ack_header *h = &w->reader.header;
  double total = 0;

  if (ack_set_load(&w->set, &w->reader, err) < 0)
    return VERIFY_UNKNOWN;
  ack_report_log(in->out, &w->reader, &w->set);
  w->query = *in->cfg->query ? in->cfg->query : h->query;
  if (!*w->query) {
    (void)err_set(err, -EINVAL,
                  "the log has no query: give --query, or let the script call "
                  "sysbench.ack_query()");
    return VERIFY_BAD_INPUT;
  }
  if (ask_database(w, in->db, &total, err) < 0)
    return VERIFY_UNKNOWN;
  if (h->kind == ACK_TOTAL)
    return ack_report_total(in->out, &w->reader, &w->set, total - h->before);
  if (losses_find(&w->losses, &w->set, &w->reader, err) < 0)
    return VERIFY_UNKNOWN;
  return ack_report_numbers(in->out, &w->reader, &w->set, &w->losses);
}

static int judge(const struct verify_input *in, struct err *err)
{
  struct work *w = calloc(1, sizeof(*w));
  int status = VERIFY_UNKNOWN;
  int rc;

  if (!w) {
    (void)err_set(err, -ENOMEM, "not enough memory");
    return VERIFY_UNKNOWN;
  }
  rc = ack_reader_open(&w->reader, in->path, err);
  if (rc == 0)
    status = judge_work(w, in, err);
  else if (rc == -EINVAL)
    status = VERIFY_BAD_INPUT;
  losses_done(&w->losses);
  ack_set_done(&w->set);
  ack_reader_done(&w->reader);
  free(w);
  return status;
}

const struct verify_kind verify_acks = {
  .magic = ACK_MAGIC,
  .title = "an acknowledgement log",
  .uses_database = true,
  .options = { "query" },
  .judge = judge,
};
