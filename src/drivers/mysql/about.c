/*
 * about.c - describes the server and the connection, as far as that affects
 * results.
 */
#include "drivers/mysql/about.h"

#include <stdio.h>
#include <string.h>

#include "base/fmt.h"
#include "base/parse.h"
#include "base/sock.h"
#include "drivers/mysql/connect.h"

typedef void put_fn(void *ctx, const char *key, const char *value);

/*
 * Passes each row of two columns to `row`.  A query that fails is skipped
 * without a trace.  All its results have ended on return.
 */
static void each_row(struct session *base, const char *sql,
                     void (*row)(void *ctx, const sql_value *v), void *ctx)
{
  struct mysql_session *s = session_of(base);
  struct outcome out = { 0 };
  sql_value v[2];

  if (!s->open)
    return;
  if (s->backend->query(s, sql, strlen(sql), &out) == 0 && out.nfields == 2) {
    while (s->backend->fetch(s, v) == 1)
      row(ctx, v);
  }
  (void)s->backend->end_results(s, &out);
}

/* Copies a value as zero-terminated text, cut to the room. */
static void text_of(const sql_value *v, char *to, size_t size)
{
  (void)snprintf(to, size, "%.*s", (int)v->len, v->ptr ? v->ptr : "");
}

/* ---- the connection ---- */

/* A raw session has none. */
static void tls_of(struct mysql_session *s, char *to, size_t size)
{
  const char *cipher = s->mysql ? mysql_get_ssl_cipher(s->mysql) : NULL;
  const char *version = cipher ? mysqld_shim_tls_version(s->mysql) : NULL;

  if (!cipher)
    (void)snprintf(to, size, "off");
  else
    (void)snprintf(to, size, "%s%s%s", version ? version : "",
                   version ? " " : "", cipher);
}

void mysqld_about_session(struct session *base, put_fn *put, void *ctx)
{
  struct mysql_session *s = session_of(base);
  char text[512];

  put(ctx, "client_library", mysqld_shim_library());
  put(ctx, "client_version", mysqld_shim_library_version());
  if (!s->open) {
    put(ctx, "transport", "none (dry run)");
    return;
  }
  put(ctx, "protocol", s->backend->name);
  if (s->mysql)
    put(ctx, "server_version", mysql_get_server_info(s->mysql));
  if (s->to.socket)
    (void)snprintf(text, sizeof(text), "unix %s", s->to.socket);
  else if (s->tcp)
    mysqld_connect_peer(s->fd, text, sizeof(text));
  else
    (void)snprintf(text, sizeof(text), "unix");
  put(ctx, "transport", text);
  tls_of(s, text, sizeof(text));
  put(ctx, "tls", text);
  put(ctx, "compression", cfg_of(s)->compression ? "on" : "off");
}

/* ---- the server ---- */

struct put_to {
  put_fn *put;
  void *ctx;
};

static void put_setting(void *ctx, const sql_value *v)
{
  const struct put_to *to = ctx;
  char name[128], value[512];

  text_of(&v[0], name, sizeof(name));
  text_of(&v[1], value, sizeof(value));
  /* The name in MariaDB before 11.1 and in MySQL 5.7. */
  if (strcmp(name, "tx_isolation") == 0)
    to->put(to->ctx, "transaction_isolation", value);
  else
    to->put(to->ctx, name, value);
}

void mysqld_about_settings(struct session *base, put_fn *put, void *ctx)
{
  struct put_to to = { put, ctx };

  each_row(base,
           "SHOW VARIABLES WHERE Variable_name IN ("
           "'innodb_flush_log_at_trx_commit', 'log_bin', 'sync_binlog', "
           "'innodb_buffer_pool_size', 'transaction_isolation', "
           "'tx_isolation', 'max_connections', 'table_open_cache', "
           "'version_comment', 'innodb_snapshot_isolation')",
           put_setting, &to);
}

const struct driver_durable mysqld_about_durable[] = {
  {
    .setting = "innodb_flush_log_at_trx_commit",
    .unsafe = "0",
    .means = "a crash of the server loses up to a second of transactions",
  },
  {
    .setting = "innodb_flush_log_at_trx_commit",
    .unsafe = "2",
    .means = "a crash of the machine loses up to a second of transactions",
  },
  {
    .setting = "sync_binlog",
    .safe = "1",
    .if_setting = "log_bin",
    .if_value = "ON",
    .means = "a crash of the machine loses the end of the binary log",
  },
  { NULL },
};

/* ---- checks before a run ---- */

/* A number that the server reported; `known`: it did. */
struct limit {
  const char *name;
  uint64_t value;
  bool known;
};

enum limit_index {
  LIMIT_CONNECTIONS,
  LIMIT_CONNECTED,
  LIMIT_STATEMENTS,
  LIMIT_PREPARED,
  LIMIT_TABLES,
  LIMITS
};

static void put_limit(void *ctx, const sql_value *v)
{
  struct limit *limit = ctx;
  char name[128], value[64];
  int64_t n;

  text_of(&v[0], name, sizeof(name));
  text_of(&v[1], value, sizeof(value));
  for (size_t i = 0; i < LIMITS; i++) {
    if (strcmp(limit[i].name, name) == 0 && parse_int(value, &n) == 0) {
      limit[i].value = (uint64_t)n;
      limit[i].known = true;
    }
  }
}

/* Limits that the server reports, and how much of them is used. */
struct limits {
  struct limit of[LIMITS];
  uint64_t used; /* connections, without this one */
};

static void read_limits(struct session *base, struct limits *ret)
{
  *ret =
    (struct limits){ .of = {
                       [LIMIT_CONNECTIONS] = { .name = "max_connections" },
                       [LIMIT_CONNECTED] = { .name = "Threads_connected" },
                       [LIMIT_STATEMENTS] = { .name =
                                                "max_prepared_stmt_count" },
                       [LIMIT_PREPARED] = { .name = "Prepared_stmt_count" },
                       [LIMIT_TABLES] = { .name = "table_open_cache" },
                     } };
  each_row(base,
           "SHOW VARIABLES WHERE Variable_name IN ('max_connections', "
           "'max_prepared_stmt_count', 'table_open_cache')",
           put_limit, ret->of);
  each_row(base,
           "SHOW GLOBAL STATUS WHERE Variable_name IN ('Threads_connected', "
           "'Prepared_stmt_count')",
           put_limit, ret->of);
  ret->used = ret->of[LIMIT_CONNECTED].value;
  if (ret->used > 0) /* this connection is one of those that the run opens */
    ret->used--;
}

size_t mysqld_about_limits(struct session *base, const struct run_facts *facts,
                           struct driver_limit ret[DRIVER_LIMITS])
{
  const uint64_t tables = facts->tables * facts->threads;
  struct limits l;
  size_t n = 0;

  read_limits(base, &l);
  if (l.of[LIMIT_CONNECTIONS].known && l.of[LIMIT_CONNECTED].known)
    ret[n++] = (struct driver_limit){
      .subject = "connections",
      .setting = "max_connections",
      .advice = run_facts_fewer(facts),
      .allowed = l.of[LIMIT_CONNECTIONS].value,
      .used = l.used,
      .needed = facts->threads,
      .hard = true,
    };
  if (facts->native && facts->classes > 0 && l.of[LIMIT_STATEMENTS].known)
    ret[n++] = (struct driver_limit){
      .subject = "statements",
      .setting = "max_prepared_stmt_count",
      .advice = "raise it, or use --db-ps-mode=disable, which needs none",
      .allowed = l.of[LIMIT_STATEMENTS].value,
      .used = l.of[LIMIT_PREPARED].value,
      .needed = tables * facts->classes,
      .hard = true,
    };
  if (tables > 0 && l.of[LIMIT_TABLES].known)
    ret[n++] = (struct driver_limit){
      .subject = "open tables",
      .setting = "table_open_cache",
      .advice = "raise it, or tables are opened again and again",
      .allowed = l.of[LIMIT_TABLES].value,
      .needed = tables,
    };
  return n;
}

void mysqld_about_check(struct session *base, const struct run_facts *facts,
                        struct strbuf *lines)
{
  const uint64_t sessions = run_facts_sessions(facts);
  const uint64_t tables = facts->tables * sessions;
  struct limits all;
  const struct limit *limit = all.of;
  uint64_t room;

  read_limits(base, &all);
  room = run_facts_room(facts, limit[LIMIT_CONNECTIONS].value, all.used);
  if (limit[LIMIT_CONNECTIONS].known && limit[LIMIT_CONNECTED].known &&
      room < sessions)
    strbuf_addf(lines,
                "the server has room for %llu more connections, this run opens "
                "at least %llu (max_connections = %llu)\n",
                (unsigned long long)room, (unsigned long long)sessions,
                (unsigned long long)limit[LIMIT_CONNECTIONS].value);
  if (!facts->bundled)
    return;
  if (facts->native && !facts->lazy && limit[LIMIT_STATEMENTS].known &&
      tables * facts->classes > limit[LIMIT_STATEMENTS].value)
    strbuf_addf(lines,
                "this run may prepare %llu statement%s, the server allows %llu "
                "(max_prepared_stmt_count); --db-ps-mode=disable needs none\n",
                (unsigned long long)tables * facts->classes,
                fmt_plural(tables * facts->classes),
                (unsigned long long)limit[LIMIT_STATEMENTS].value);
  if (limit[LIMIT_TABLES].known && limit[LIMIT_TABLES].value < tables)
    strbuf_addf(
      lines, "table_open_cache = %llu is less than tables x %s = %llu\n",
      (unsigned long long)limit[LIMIT_TABLES].value,
      facts->clients ? "clients" : "threads", (unsigned long long)tables);
}

/* ---- bulk inserts ---- */

static void put_number(void *ctx, const sql_value *v)
{
  char value[64];
  int64_t n;

  text_of(&v[1], value, sizeof(value));
  if (parse_int(value, &n) == 0 && n > 0)
    *(uint64_t *)ctx = (uint64_t)n;
}

void mysqld_about_statement_sizes(struct session *base,
                                  struct statement_sizes *ret)
{
  const size_t usual = ret->good, largest = (size_t)4 * 1024 * 1024;
  const size_t head = 4; /* a command, and what newer servers expect after it */
  uint64_t allowed = 0;

  each_row(base, "SHOW VARIABLES LIKE 'max_allowed_packet'", put_number,
           &allowed);
  if (allowed <= head)
    return;
  ret->max = (size_t)allowed - head;
  ret->setting = "max_allowed_packet";
  ret->good = (size_t)allowed / 2 < largest ? (size_t)allowed / 2 : largest;
  if (ret->good < usual)
    ret->good = ret->max < usual ? ret->max : usual;
}

static const char *space_query(const struct session *base)
{
  const struct mysql_session *s = (const void *)base;

  if (!s->open || !sock_is_local(s->fd))
    return NULL;
  return "SELECT @@datadir, CAST(COALESCE(SUM(data_length + index_length), 0) "
         "AS CHAR) FROM information_schema.tables "
         "WHERE table_schema = DATABASE() AND table_name LIKE 'sbtest%'";
}

const struct driver_space mysqld_space = {
  .row_bytes = 250, /* InnoDB */
  .query = space_query,
};
