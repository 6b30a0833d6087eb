/*
 * abi_db.c - database functions of the Lua modules besides those of sysbench.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/ffi_api.h"
#include "base/strbuf.h"
#include "db/bulk.h"
#include "db/classes/statement.h"
#include "db/conn.h"
#include "db/copy.h"
#include "db/env.h"
#include "db/find_primary.h"
#include "db/stmt.h"
#include "db/visit.h"
#include "lua/engine/failure.h"
#include "lua/engine/shared.h"
#include "lua/engine/state.h"
#include "stats/rand/stream.h"

enum {
  FAILURE_ABANDONED = 1,
  FAILURE_IGNORABLE = 2,
  FAILURE_RECONNECTED = 4,
  FAILURE_EARLIER = 8,
};

static struct driver_handle *abi_db_handle_of(sql_driver *drv)
{
  return (struct driver_handle *)(void *)drv;
}

sql_connection *bench_db_connect(sql_driver *drv, const char *host,
                                 const char *port, const char *socket,
                                 const char *user, const char *password,
                                 const char *db)
{
  const struct conn_params params = {
    .host = host,
    .port = port,
    .socket = socket,
    .user = user,
    .password = password,
    .db = db,
  };
  struct conn *c = conn_open(abi_db_handle_of(drv), &params);

  return c ? conn_abi(c) : NULL;
}

/* NULL: a connection can be opened, perhaps after a wait. */
const char *bench_db_await(sql_driver *drv)
{
  return find_server_after_run(abi_db_handle_of(drv));
}

sql_connection *bench_db_visitor(sql_driver *drv)
{
  struct conn *c = visit_new(abi_db_handle_of(drv));

  return c ? conn_abi(c) : NULL;
}

/* ret_ms has VISIT_STEPS + 1 places: milliseconds per step, or 0; the last
 * is 1 if the client library opened the connection. */
bool bench_db_visit(sql_connection *con, int way, const char *query, size_t len,
                    double *ret_ms)
{
  struct conn *c = conn_of(con);
  struct visit v;
  const bool done = visit_make(c, (enum visit_way)way, query, len, &v);

  for (unsigned i = 0; i < VISIT_STEPS; i++)
    ret_ms[i] = (double)v.took_ns[i] / NS_PER_MS;
  ret_ms[VISIT_STEPS] = way == VISIT_LIBRARY || c->left_to_library;
  return done;
}

void *bench_db_class(const char *label)
{
  const struct state *s = state_current();

  return s ? labels_get(&s->script->labels, label) : NULL;
}

sql_result *bench_db_query(sql_connection *con, const char *query, size_t len,
                           void *cls)
{
  struct conn *c = conn_of(con);

  if (UNLIKELY(!con))
    return NULL; /* a method without its object: sql.lua reports it */
  conn_set_class(c, cls);
  return conn_query(c, query, len);
}

/* NULL: the class of its text. */
void bench_db_set_class(sql_statement *stmt, void *cls)
{
  stmt_set_class(stmt_of(stmt),
                 cls ? cls : (void *)(uintptr_t)&statement_prepared);
}

/* A cast of the object in Lua would leave garbage. */
double bench_db_address(const void *object)
{
  return (double)(uintptr_t)object;
}

/* As in sql_stmt.lua. */
struct param {
  int type, max_len;
  char is_null[1];
  unsigned long data_len[1];
  int64_t buffer[];
};

void bench_param_describe(void *param, sql_bind *binds, int i)
{
  struct param *p = param;

  binds[i] = (sql_bind){ .type = (sql_bind_type_t)p->type,
                         .buffer = p->buffer,
                         .data_len = p->data_len,
                         .max_len = (unsigned long)p->max_len,
                         .is_null = p->is_null };
}

/* -1: any number is accepted. */
int bench_db_param_count(sql_statement *stmt)
{
  const unsigned n = stmt_of(stmt)->n_params;

  return n == PARAMS_ANY ? -1 : (int)n;
}

bool bench_db_is_closed(sql_statement *stmt)
{
  return stmt_of(stmt)->closed;
}

const char *bench_db_text(sql_statement *stmt)
{
  return stmt_of(stmt)->sql;
}

/*
 * Before each execution, the parameter `first` gets a number of 1..highest by
 * the chosen distribution, and `last` (NULL: unused) that plus `span`; both are
 * BIGINT.  Drops rows.  Returns the number of successes; the first failure ends
 * the loop.
 */
double bench_db_draw(sql_statement *stmt, double times, double highest,
                     void *first, void *last, double span)
{
  const struct state *s = state_current();
  const int64_t n = s ? (int64_t)times : 0, max = (int64_t)highest;
  struct param *a = first, *b = last;
  int64_t done = 0;

  a->is_null[0] = 0;
  if (b)
    b->is_null[0] = 0;
  for (; done < n; done++) {
    const int64_t row = rand_draw(s->rand, 1, max);

    a->buffer[0] = row;
    if (b)
      b->buffer[0] = row + (int64_t)span;
    if (!stmt_run(stmt_of(stmt)))
      break;
  }
  return (double)done;
}

void bench_db_statement_free(sql_statement *stmt)
{
  struct stmt *st = stmt_of(stmt);

  if (st && !st->conn->env->ending)
    stmt_free(st);
}

/* NULL: the client has left, and its objects stay open. */
static struct later *abi_db_later_of(struct db_env *env)
{
  struct state *s = (struct state *)(void *)((char *)env -
                                             offsetof(struct state, env));

  return s->client.left ? NULL : &s->client.later;
}

void bench_db_statement_later(sql_statement *stmt)
{
  struct stmt *st = stmt_of(stmt);
  struct later *later = st ? abi_db_later_of(st->conn->env) : NULL;

  if (later)
    later_add(later, NULL, st);
}

void bench_db_connection_later(sql_connection *con)
{
  struct conn *c = conn_of(con);
  struct later *later = c ? abi_db_later_of(c->env) : NULL;

  if (later)
    later_add(later, c, NULL);
}

/* ---- values of rows ---- */

enum {
  EXACT_DIGITS = 15, /* that a double holds */
  NUMBER_BYTES = 64, /* longest of other forms */
};

/* Numbers of other forms, such as 1e3; NaN: not a number. */
static double abi_db_other_number(const sql_value *v, unsigned decimals)
{
  char text[NUMBER_BYTES];
  char *end;
  double n;

  if (v->len == 0 || v->len >= sizeof(text))
    return NAN;
  memcpy(text, v->ptr, v->len);
  text[v->len] = '\0';
  n = strtod(text, &end);
  if (end != text + v->len)
    return NAN;
  if (decimals == 0)
    return n;
  while (decimals-- > 0)
    n *= 10;
  return floor(n + 0.5);
}

/*
 * NaN: NULL, or not a number.  With `decimals` (at most 3), multiplied by ten
 * that often and rounded: money becomes cents.  Digits and a point are read
 * exactly.
 */
double bench_value_number(const sql_value *v, double decimals)
{
  const char *at = v->ptr, *const end = at ? at + v->len : NULL;
  const bool minus = at && at < end && *at == '-';
  unsigned n = 0, left = (unsigned)decimals;
  bool point = false;
  int64_t sum = 0;

  if (UNLIKELY(!at))
    return NAN;
  for (at += minus; at < end; at++) {
    const unsigned digit = (unsigned)(unsigned char)*at - '0';

    if (digit > 9) {
      if (*at != '.' || point)
        return abi_db_other_number(v, (unsigned)decimals);
      point = true;
      continue;
    }
    if (++n > EXACT_DIGITS || (point && left-- == 0))
      return abi_db_other_number(v, (unsigned)decimals);
    sum = sum * 10 + digit;
  }
  if (n == 0)
    return abi_db_other_number(v, (unsigned)decimals);
  for (; left > 0; left--)
    sum *= 10;
  return (double)(minus ? -sum : sum);
}

bool bench_db_in_transaction(sql_connection *con)
{
  const struct conn *c = conn_of(con);

  return conn_is_open(c) &&
         (c->session->trx == TRX_OPEN || c->session->trx == TRX_ABORTED);
}

/* Valid until the next call in this state; NULL: it cannot be sent, or no
 * memory. */
const char *bench_db_quote(sql_connection *con, const char *text, size_t len,
                           size_t *ret_len)
{
  struct state *s = state_current();
  struct conn *c = conn_of(con);
  const char *why;

  if (!s || !conn_is_open(c))
    return NULL;
  strbuf_clear(&s->quoted);
  if (!c->driver->quote(c->session, text, len, &s->quoted, &why) ||
      s->quoted.failed)
    return NULL;
  *ret_len = s->quoted.len;
  return strbuf_str(&s->quoted);
}

/* *ret_setting: the server's setting that limits *ret_max, or NULL. */
double bench_db_statement_sizes(sql_connection *con, double *ret_max,
                                const char **ret_setting)
{
  const struct statement_sizes *sizes = bulk_sizes(conn_of(con));

  *ret_max = (double)sizes->max;
  *ret_setting = sizes->setting;
  return (double)sizes->good;
}

/* Not terminated. */
const char *bench_db_bulk_prefix(sql_connection *con, size_t *ret_len)
{
  const struct bulk *b = &conn_of(con)->bulk;

  *ret_len = b->text.text ? b->prefix_len : 0;
  return strbuf_str(&b->text);
}

/* Can copies replace inserts, with the same result? */
bool bench_copy_is_checked(sql_connection *con)
{
  const struct driver_copy *copy = conn_of(con)->driver->copy;

  return copy && copy->row && copy->checked;
}

/* False: a failure has ended the copy. */
bool bench_copy_begin(sql_connection *con, const char *table,
                      const char **columns, int n)
{
  const struct copy_spec spec = {
    .table = table,
    .columns = columns,
    .n = (unsigned)n,
  };

  return copy_begin(conn_of(con), &spec) == 0;
}

bool bench_copy_row(sql_connection *con, const sql_value *values)
{
  return copy_row(conn_of(con), values) == 0;
}

bool bench_copy_end(sql_connection *con)
{
  uint64_t rows;

  return copy_end(conn_of(con), &rows) == 0;
}

static int failure_bits(const struct conn *c, sql_error_t error,
                        bool reconnected)
{
  int bits = 0;

  if (conn_failure(c)->abandoned)
    bits |= FAILURE_ABANDONED;
  if (error == DB_ERROR_IGNORABLE)
    bits |= FAILURE_IGNORABLE;
  if (reconnected)
    bits |= FAILURE_RECONNECTED;
  if (conn_failure(c)->earlier)
    bits |= FAILURE_EARLIER;
  return bits;
}

int bench_db_failure(sql_connection *con)
{
  const struct conn *c = conn_of(con);

  return failure_bits(c, c->pub.error, conn_failure(c)->reconnected);
}

bool bench_db_too_late(void)
{
  const struct db_env *env = env_current();

  return env && env->too_late;
}

const char *bench_db_api_error(sql_connection *con)
{
  return conn_failure(conn_of(con))->api_error;
}

const char *bench_db_reason(sql_connection *con)
{
  return conn_failure(conn_of(con))->text;
}

/* NULL: no message; or no memory, then it was printed. */
void *bench_db_take_message(sql_connection *con)
{
  struct conn_message taken = conn_take_message(conn_of(con));
  struct conn_message *m = malloc(sizeof(*m));

  if (m)
    *m = taken;
  else
    (void)conn_print_message(&taken, "");
  return m;
}

void bench_db_print_message(void *message, const char *error)
{
  const struct state *s = state_current();
  struct strbuf place = { 0 };

  if (error && s)
    failure_place(&s->script->failures, error, &place);
  if (message && conn_print_message(message, strbuf_str(&place)) &&
      place.len > 0)
    failure_printed(&s->script->failures, error);
  strbuf_done(&place);
  free(message);
}

void bench_db_drop_message(void *message)
{
  if (message)
    conn_drop_message(message);
  free(message);
}

int bench_db_forgive(sql_connection *con)
{
  struct conn *c = conn_of(con);
  bool reconnected = false;
  const sql_error_t error = conn_forgive(c, &reconnected);

  /* A failure means "abandoned" only if this call failed. */
  if (error == DB_ERROR_IGNORABLE)
    return FAILURE_IGNORABLE | (reconnected ? FAILURE_RECONNECTED : 0);
  return failure_bits(c, error, reconnected);
}

int bench_db_restart(sql_connection *con)
{
  return (int)conn_restart(conn_of(con));
}
