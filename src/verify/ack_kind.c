/*
 * ack_kind.c - judges acknowledgement logs: every acknowledged number is in the
 * database, once.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ack/reader.h"
#include "base/err.h"
#include "base/log.h"
#include "base/parse.h"
#include "db/conn.h"
#include "db/env.h"
#include "db/env_conns.h"
#include "verify/ack_report.h"
#include "verify/acks.h"
#include "verify/verify.h"

/* ---- the database ---- */

/* `ret_set` or `ret_total` is NULL. */
struct question {
  const char *query;
  bool *ret_replica; /* a replica answered, but --server-role asks for none */
  struct ack_set *ret_set;
  double *ret_total;
};

/* Digits, then the blanks of a CHAR column. */
static bool ack_ask_read_number(const sql_value *v, uint64_t *ret)
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

static int ack_ask_refuse_value(const struct question *q, const sql_value *v,
                                struct err *err)
{
  return err_set(err, -EINVAL,
                 "the query returns '%.*s', which is not a number: %.400s",
                 v->ptr ? (int)(v->len < 100 ? v->len : 100) : 4,
                 v->ptr ? v->ptr : "NULL", q->query);
}

static int ack_ask_read_numbers(const struct question *q, sql_result *rs,
                                struct err *err)
{
  uint64_t id;

  for (uint32_t i = 0; i < rs->nrows; i++) {
    const sql_row *row = conn_fetch_row(rs);

    if (!row)
      return err_set(err, -EIO, "the rows of the query cannot be read: %.400s",
                     q->query);
    if (!ack_ask_read_number(&row->values[0], &id))
      return ack_ask_refuse_value(q, &row->values[0], err);
    ack_set_found(q->ret_set, id);
  }
  return 0;
}

static int ack_ask_read_total(const struct question *q, sql_result *rs,
                              struct err *err)
{
  sql_row *row = rs->nrows > 0 ? conn_fetch_row(rs) : NULL;
  const sql_value *v = row ? &row->values[0] : NULL;
  char text[64] = "";

  if (!row)
    return err_set(err, -EINVAL, "the query returns no row: %.400s", q->query);
  if (v->ptr && v->len < sizeof(text))
    memcpy(text, v->ptr, v->len);
  return parse_double(text, q->ret_total) == 0
           ? 0
           : ack_ask_refuse_value(q, v, err);
}

static int ack_ask_ask(const struct question *q, struct conn *c,
                       struct err *err)
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
    rc = ack_ask_read_total(q, rs, err);
  else
    rc = ack_ask_read_numbers(q, rs, err);
  (void)conn_free_results(rs);
  return rc;
}

/* Marks numbers, or reads the total. < 0: the reason is in `err`, or was
 * printed. WAITS. */
static int ack_ask_database(const struct question *q, struct db_process *db,
                            struct err *err)
{
  struct db_env env = { .process = db, .rng = 1 };
  struct driver_handle *h = env_driver(&env, NULL);
  struct conn *c = h ? conn_open(h, NULL) : NULL;
  int rc = -EIO; /* was printed */

  if (c && !(c->driver->caps & DRIVER_KEEPS_ROWS)) {
    rc = err_set(err, -EINVAL, "the driver %s keeps no rows", c->driver->name);
  } else if (c) {
    /* Before the query: a server promoted later has answered as a replica. */
    *q->ret_replica = !conn_is_current(c);
    rc = ack_ask_ask(q, c, err);
  }
  if (c)
    conn_free(c);
  env_done(&env);
  return rc;
}

/* ---- logs with one query ---- */

struct work {
  struct ack_logs logs;
  struct ack_set set;
  struct losses losses;
  const char *query;
};

static int ack_kind_load_all(struct work *w, struct err *err)
{
  int rc = 0;

  for (size_t i = 0; i < w->logs.n && rc == 0; i++)
    rc = ack_set_load(&w->set, &w->logs.of[i]->reader, &w->logs.of[i]->sums,
                      err);
  if (rc == 0)
    ack_set_sort(&w->set);
  return rc;
}

static int ack_kind_find_losses(struct work *w, struct err *err)
{
  int rc = 0;

  for (size_t i = 0; i < w->logs.n && rc == 0; i++)
    rc = losses_find(&w->losses, &w->set, &w->logs.of[i]->reader,
                     w->logs.of[i]->sums.last_ns, err);
  return rc;
}

static int ack_kind_judge_work(struct work *w, const struct verify_input *in,
                               struct err *err)
{
  const bool is_total = w->logs.of[0]->reader.header.kind == ACK_TOTAL;
  double total = 0;
  bool replica = false;
  struct question q = { .query = w->query, .ret_replica = &replica };

  if (ack_kind_load_all(w, err) < 0)
    return VERIFY_UNKNOWN;
  ack_report_logs(in->out, &w->logs);
  if (!*w->query) {
    (void)err_set(err, -EINVAL,
                  "the log has no query: give --query, or let the script call "
                  "sysbench.ack_query()");
    return VERIFY_BAD_INPUT;
  }
  if (is_total) {
    q.ret_total = &total;
    if (ack_ask_database(&q, in->db, err) < 0)
      return VERIFY_UNKNOWN;
    return ack_report_total(in->out, &w->logs,
                            total - ack_logs_whole(&w->logs).before, replica);
  }
  q.ret_set = &w->set;
  if (ack_ask_database(&q, in->db, err) < 0)
    return VERIFY_UNKNOWN;
  if (ack_kind_find_losses(w, err) < 0)
    return VERIFY_UNKNOWN;
  return ack_report_numbers(in->out, &w->logs, &w->set, &w->losses, replica);
}

/* ---- several logs ---- */

struct all {
  size_t n, n_open;
  struct ack_log_read *logs;
  struct ack_log_read **group; /* owned; judged together */
  bool *judged;
};

static const char *ack_kind_query_of(const struct verify_input *in,
                                     const struct ack_log_read *log)
{
  return *in->cfg->query ? in->cfg->query : log->reader.header.query;
}

static bool ack_kind_is_same_log(const struct ack_header *a,
                                 const struct ack_header *b)
{
  return a->start_ns == b->start_ns && a->start_real_ns == b->start_real_ns;
}

static int ack_kind_open_all(struct all *a, const struct verify_input *in,
                             struct err *err)
{
  int rc = 0;

  for (; rc == 0 && a->n_open < a->n; a->n_open++) {
    const struct ack_header *h = &a->logs[a->n_open].reader.header;

    rc = ack_reader_open(&a->logs[a->n_open].reader, in->paths[a->n_open], err);
    if (rc < 0)
      break;
    for (size_t i = 0; i < a->n_open && rc == 0; i++) {
      if (ack_kind_is_same_log(h, &a->logs[i].reader.header))
        rc = err_set(err, -EINVAL, "'%.400s' and '%.400s' are the same log",
                     in->paths[i], in->paths[a->n_open]);
    }
  }
  return rc;
}

/* With the query of log i. */
static int ack_kind_judge_group(struct all *a, size_t i,
                                const struct verify_input *in, struct err *err)
{
  struct work w = { .query = ack_kind_query_of(in, &a->logs[i]) };
  size_t n = 0;
  int status;

  for (size_t k = i; k < a->n; k++) {
    if (a->judged[k] ||
        strcmp(ack_kind_query_of(in, &a->logs[k]), w.query) != 0 ||
        a->logs[k].reader.header.kind != a->logs[i].reader.header.kind)
      continue;
    a->group[n++] = &a->logs[k];
    a->judged[k] = true;
  }
  w.logs = (struct ack_logs){ a->group, n };
  if (ack_logs_check(&w.logs, err) < 0)
    return VERIFY_BAD_INPUT;
  if (i > 0)
    (void)fputs("\n", in->out);
  status = ack_kind_judge_work(&w, in, err);
  losses_done(&w.losses);
  ack_set_done(&w.set);
  return status;
}

/* First a loss, then a log that cannot be judged, then doubt. */
static int ack_kind_worse(int a, int b)
{
  static const int weight[] = { [VERIFY_OK] = 0,
                                [VERIFY_BAD] = 3,
                                [VERIFY_BAD_INPUT] = 2,
                                [VERIFY_UNKNOWN] = 1 };

  return weight[a] >= weight[b] ? a : b;
}

/* The caller prints the reason of the last group. */
static void ack_kind_tell(struct err *err)
{
  if (err->text[0] != '\0')
    log_msg(LOG_FATAL, "%s", err->text);
  err->text[0] = '\0';
}

static int ack_kind_judge_all(struct all *a, const struct verify_input *in,
                              struct err *err)
{
  int status = VERIFY_OK;
  const int rc = ack_kind_open_all(a, in, err);

  if (rc < 0)
    return rc == -EINVAL ? VERIFY_BAD_INPUT : VERIFY_UNKNOWN;
  for (size_t i = 0; i < a->n; i++) {
    if (a->judged[i])
      continue;
    ack_kind_tell(err);
    status = ack_kind_worse(status, ack_kind_judge_group(a, i, in, err));
  }
  return status;
}

static int ack_kind_judge(const struct verify_input *in, struct err *err)
{
  struct all a = {
    .n = in->n_paths,
    .logs = calloc(in->n_paths, sizeof(*a.logs)),
    .group = calloc(in->n_paths, sizeof(*a.group)),
    .judged = calloc(in->n_paths, sizeof(*a.judged)),
  };
  int status = VERIFY_UNKNOWN;

  if (a.logs && a.group && a.judged)
    status = ack_kind_judge_all(&a, in, err);
  else
    (void)err_set(err, -ENOMEM, "not enough memory");
  for (size_t i = 0; i < a.n_open; i++)
    ack_reader_done(&a.logs[i].reader);
  free(a.logs);
  free((void *)a.group);
  free(a.judged);
  return status;
}

const struct verify_kind verify_acks = {
  .magic = ACK_MAGIC,
  .title = "an acknowledgement log",
  .uses_database = true,
  .takes_several = true,
  .options = { "query" },
  .judge = ack_kind_judge,
};
