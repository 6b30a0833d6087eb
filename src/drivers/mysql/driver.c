/*
 * driver.c - the driver for MySQL and MariaDB.
 */
#include "drivers/driver_list.h"

#include <errno.h>
#include <math.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/fmt.h"
#include "base/log.h"
#include "base/parse.h"
#include "base/secret.h"
#include "base/sock.h"
#include "base/strbuf.h"
#include "db/driver.h"
#include "db/emul.h"
#include "db/env.h"
#include "db/error_policy.h"
#include "db/message.h"
#include "drivers/mysql/cleartext.h"
#include "drivers/mysql/connect.h"
#include "drivers/mysql/error.h"
#include "drivers/mysql/escape.h"
#include "drivers/mysql/handshake.h"
#include "drivers/mysql/session.h"
#include "drivers/mysql/tls.h"
#include "drivers/wire/link.h"
#include "loop/loop.h"

extern const struct driver_durable mysqld_about_durable[];

extern const struct driver_space mysqld_space;

extern const struct driver_hint mysqld_message_hints[];

typedef void put_fn(void *ctx, const char *key, const char *value);

/* Rows of two columns; a query that fails is skipped. */
static void driver_about_each_row(struct session *base, const char *sql,
                                  void (*row)(void *ctx, const sql_value *v),
                                  void *ctx)
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

static void driver_about_text_of(const sql_value *v, char *to, size_t size)
{
  (void)snprintf(to, size, "%.*s", (int)v->len, v->ptr ? v->ptr : "");
}

static void driver_about_peer(int fd, unsigned port, put_fn *put, void *ctx)
{
  struct sockaddr_storage peer;
  socklen_t len = sizeof(peer);
  char host[128], text[160];

  if (getpeername(fd, (struct sockaddr *)&peer, &len) < 0 ||
      getnameinfo((struct sockaddr *)&peer, len, host, sizeof(host), NULL, 0,
                  NI_NUMERICHOST) != 0) {
    put(ctx, "transport", "tcp");
    return;
  }
  (void)snprintf(text, sizeof(text), "tcp %s port %u", host, port);
  put(ctx, "transport", text);
  (void)snprintf(text, sizeof(text), strchr(host, ':') ? "[%s]:%u" : "%s:%u",
                 host, port);
  put(ctx, "address", text);
}

static void driver_about_tls_of(struct mysql_session *s, char *to, size_t size)
{
  const char *cipher = s->mysql ? mysql_get_ssl_cipher(s->mysql) : NULL;
  const char *version = cipher ? mysqld_shim_tls_version(s->mysql) : NULL;

  if (!cipher)
    (void)snprintf(to, size, "off");
  else
    (void)snprintf(to, size, "%s%s%s", version ? version : "",
                   version ? " " : "", cipher);
}

static void mysqld_about_session(struct session *base, put_fn *put, void *ctx)
{
  struct mysql_session *s = session_of(base);
  char text[512];

  put(ctx, "client_library", mysqld_shim_library());
  put(ctx, "client_version", mysqld_shim_library_version());
  if (!s->open) {
    put(ctx, "transport", "none (dry run)");
    return;
  }
  put(ctx, "protocol",
      base->only_asked && base->env->shares_thread ? mysqld_wire_backend.name
                                                   : s->backend->name);
  if (s->mysql)
    put(ctx, "server_version", mysql_get_server_info(s->mysql));
  if (s->to.socket) {
    (void)snprintf(text, sizeof(text), "unix %s", s->to.socket);
    put(ctx, "transport", text);
    put(ctx, "address", s->to.socket);
  } else if (s->tcp) {
    driver_about_peer(s->link.fd, s->to.port, put, ctx);
  } else {
    put(ctx, "transport", "unix");
  }
  driver_about_tls_of(s, text, sizeof(text));
  put(ctx, "tls", text);
  put(ctx, "compression", cfg_of(s)->compression ? "on" : "off");
}

struct put_to {
  put_fn *put;
  void *ctx;
};

static void driver_about_put_setting(void *ctx, const sql_value *v)
{
  const struct put_to *to = ctx;
  char name[128], value[512];

  driver_about_text_of(&v[0], name, sizeof(name));
  driver_about_text_of(&v[1], value, sizeof(value));
  /* In MariaDB before 11.1, and in MySQL 5.7. */
  if (strcmp(name, "tx_isolation") == 0)
    to->put(to->ctx, "transaction_isolation", value);
  else
    to->put(to->ctx, name, value);
}

static void mysqld_about_settings(struct session *base, put_fn *put, void *ctx)
{
  struct put_to to = { put, ctx };

  driver_about_each_row(
    base,
    "SHOW VARIABLES WHERE Variable_name IN ("
    "'innodb_flush_log_at_trx_commit', 'log_bin', 'sync_binlog', "
    "'innodb_buffer_pool_size', 'transaction_isolation', "
    "'tx_isolation', 'max_connections', 'table_open_cache', "
    "'version_comment', 'innodb_snapshot_isolation')",
    driver_about_put_setting, &to);
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

/* `known`: reported by the server. */
struct limit {
  const char *name;
  uint64_t value;
  bool known;
};

enum limit_index {
  LIMIT_CONNECTIONS,
  LIMIT_CONNECTED,
  LIMIT_OF_USER,
  LIMIT_OF_USER_CONNECTED,
  LIMIT_STATEMENTS,
  LIMIT_PREPARED,
  LIMIT_TABLES,
  LIMITS
};

static void driver_about_put_limit(void *ctx, const sql_value *v)
{
  struct limit *limit = ctx;
  char name[128], value[64];
  int64_t n;

  driver_about_text_of(&v[0], name, sizeof(name));
  driver_about_text_of(&v[1], value, sizeof(value));
  for (size_t i = 0; i < LIMITS; i++) {
    if (strcmp(limit[i].name, name) == 0 && parse_int(value, &n) == 0) {
      limit[i].value = (uint64_t)n;
      limit[i].known = true;
    }
  }
}

struct limits {
  struct limit of[LIMITS];
  uint64_t used; /* connections, without this one */
};

static void driver_about_read_limits(struct session *base, struct limits *ret)
{
  struct limit *all = ret->of;

  *ret =
    (struct limits){ .of = {
                       [LIMIT_CONNECTIONS] = { .name = "max_connections" },
                       [LIMIT_CONNECTED] = { .name = "Threads_connected" },
                       [LIMIT_OF_USER] = { .name = "max_user_connections" },
                       [LIMIT_OF_USER_CONNECTED] = { .name = "user" },
                       [LIMIT_STATEMENTS] = { .name =
                                                "max_prepared_stmt_count" },
                       [LIMIT_PREPARED] = { .name = "Prepared_stmt_count" },
                       [LIMIT_TABLES] = { .name = "table_open_cache" },
                     } };
  driver_about_each_row(
    base,
    "SHOW VARIABLES WHERE Variable_name IN ('max_connections', "
    "'max_user_connections', 'max_prepared_stmt_count', 'table_open_cache')",
    driver_about_put_limit, ret->of);
  driver_about_each_row(
    base,
    "SHOW GLOBAL STATUS WHERE Variable_name IN ('Threads_connected', "
    "'Prepared_stmt_count')",
    driver_about_put_limit, ret->of);
  if (all[LIMIT_OF_USER].value > 0) /* 0: no limit */
    driver_about_each_row(
      base,
      "SELECT 'user', COUNT(*) FROM information_schema.processlist "
      "WHERE user = SUBSTRING_INDEX(USER(), '@', 1)",
      driver_about_put_limit, ret->of);
  /* The nearer limit. */
  if (all[LIMIT_OF_USER_CONNECTED].known &&
      all[LIMIT_OF_USER].value + all[LIMIT_CONNECTED].value <
        all[LIMIT_CONNECTIONS].value + all[LIMIT_OF_USER_CONNECTED].value) {
    all[LIMIT_CONNECTIONS] = all[LIMIT_OF_USER];
    all[LIMIT_CONNECTED] = all[LIMIT_OF_USER_CONNECTED];
  }
  ret->used = all[LIMIT_CONNECTED].value;
  if (ret->used > 0) /* this connection is one of the run's */
    ret->used--;
}

static size_t mysqld_about_limits(struct session *base,
                                  const struct run_facts *facts,
                                  struct driver_limit ret[DRIVER_LIMITS])
{
  const uint64_t tables = facts->tables * facts->threads;
  struct limits l;
  size_t n = 0;

  driver_about_read_limits(base, &l);
  if (l.of[LIMIT_CONNECTIONS].known && l.of[LIMIT_CONNECTED].known)
    ret[n++] = (struct driver_limit){
      .subject = "connections",
      .setting = l.of[LIMIT_CONNECTIONS].name,
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

static void mysqld_about_check(struct session *base,
                               const struct run_facts *facts,
                               struct strbuf *lines)
{
  const uint64_t sessions = run_facts_sessions(facts);
  const uint64_t tables = facts->tables * sessions;
  const struct mysql_session *s = session_of(base);
  struct limits all;
  const struct limit *limit = all.of;
  uint64_t room;

  if (facts->carriers > 0 && cfg_of(s)->protocol == PROTOCOL_AUTO && s->mysql &&
      mysql_get_ssl_cipher(s->mysql) && !base->only_asked)
    strbuf_adds(lines,
                "only the library can encrypt here" TLS_LACK
                ": each waiting client takes a thread, and more CPU time\n");
  driver_about_read_limits(base, &all);
  room = run_facts_room(facts, limit[LIMIT_CONNECTIONS].value, all.used);
  if (limit[LIMIT_CONNECTIONS].known && limit[LIMIT_CONNECTED].known &&
      room < sessions)
    strbuf_addf(lines,
                "the server has room for %llu more connections, this run opens "
                "at least %llu (%s = %llu)\n",
                (unsigned long long)room, (unsigned long long)sessions,
                limit[LIMIT_CONNECTIONS].name,
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

static void driver_about_put_number(void *ctx, const sql_value *v)
{
  char value[64];
  int64_t n;

  driver_about_text_of(&v[1], value, sizeof(value));
  if (parse_int(value, &n) == 0 && n > 0)
    *(uint64_t *)ctx = (uint64_t)n;
}

static void mysqld_about_statement_sizes(struct session *base,
                                         struct statement_sizes *ret)
{
  const size_t usual = ret->good, largest = (size_t)4 * 1024 * 1024;
  const size_t head = 4; /* a command and its head */
  uint64_t allowed = 0;

  driver_about_each_row(base, "SHOW VARIABLES LIKE 'max_allowed_packet'",
                        driver_about_put_number, &allowed);
  if (allowed <= head)
    return;
  ret->max = (size_t)allowed - head;
  ret->setting = "max_allowed_packet";
  ret->good = (size_t)allowed / 2 < largest ? (size_t)allowed / 2 : largest;
  if (ret->good < usual)
    ret->good = ret->max < usual ? ret->max : usual;
}

static const char *driver_about_space_query(const struct session *base)
{
  const struct mysql_session *s = (const void *)base;

  if (!s->open || !sock_is_local(s->link.fd))
    return NULL;
  return "SELECT @@datadir, (SELECT CAST(COALESCE(SUM(data_length + "
         "index_length), 0) AS CHAR) FROM information_schema.tables "
         "WHERE table_schema = DATABASE() AND table_name LIKE 'sbtest%')";
}

const struct driver_space mysqld_space = {
  .server = SPACE_INNODB,
  .query = driver_about_space_query,
};

/* Too large statements may close the connection. */
static const char large[] = "it may be too large: see max_allowed_packet";

const struct driver_hint mysqld_message_hints[] = {
  { .code = 1461,
    .text = "raise max_prepared_stmt_count or use --db-ps-mode=disable" },
  { .code = 1243,
    .text = "a pooler in between does not follow prepared statements: use "
            "--db-ps-mode=simple" },
  { .code = 1146, .bundled = true, .text = "did you run the prepare command?" },
  { .code = 1021, .bundled = true, .text = HINT_FULL }, /* disk full */
  { .code = 1114, .bundled = true, .text = HINT_FULL },
  { .code = 1290, .text = "the server is read-only" },
  { .code = 1836, .text = "the server is read-only" },
  { .code = 1153, .large = true, .text = large },
  { .code = 2006, .large = true, .text = large },
  { .code = 2013, .large = true, .text = large },
  { .code = 2020, .large = true, .text = large },
  { 0 },
};

static const char *message_text_of(const struct outcome *out)
{
  return out->msg ? out->msg : "";
}

static void mysqld_message_target(const struct session *base,
                                  struct strbuf *line)
{
  const struct address *to = &session_of(base)->to;

  if (to->socket)
    strbuf_addf(line, "socket '%s'", to->socket);
  else
    strbuf_addf(line, "host '%s', port %u", to->host, to->port);
}

static void mysqld_message_reason(const struct session *base,
                                  const struct outcome *out,
                                  struct strbuf *line)
{
  (void)base;
  if (out->code != 0)
    strbuf_addf(line, "error %d: ", out->code);
  strbuf_adds(line, message_text_of(out));
}

static void message_add_advice(const struct session *base,
                               const struct outcome *out, struct strbuf *lines)
{
  const struct tls_settings tls = mysqld_tls_settings(base->cfg);
  const char *from = base->env->process->set.password_from;

  /* A plug-in has failed, or is missing. */
  if (strstr(message_text_of(out), "uthentication plugin") ||
      strstr(message_text_of(out), "could not be loaded")) {
    strbuf_adds(lines, "; the client library cannot do this login: see the "
                       "plug-in of the account");
    return;
  }
  switch (out->code) {
  case 1045:
  case 1698:
    strbuf_addf(lines, "; see --mysql-user and %s%s",
                from ? from : "--mysql-password",
                tls.mode != TLS_DISABLED
                  ? ""
                  : ", or --mysql-ssl if the account requires TLS");
    break;
  case 1044:
    strbuf_adds(lines, "; see --mysql-user and --mysql-db, or GRANT the "
                       "rights");
    break;
  case 1049:
    strbuf_adds(lines, "; see --mysql-db, or CREATE DATABASE");
    break;
  case 3159:
    strbuf_adds(lines, "; use --mysql-ssl=on");
    break;
  case CODE_TLS:
    if (tls.mode >= TLS_VERIFY_CA && !opt_or_null(tls.ca) &&
        !strstr(message_text_of(out), "does not support"))
      strbuf_adds(lines, "; see --mysql-ssl-ca");
    break;
  case CODE_NO_SOCKET:
  case CODE_NO_HOST:
    if (session_of(base)->to.skips_port)
      strbuf_addf(lines,
                  "; localhost means the Unix socket, 127.0.0.1 goes to port "
                  "%u",
                  session_of(base)->to.port);
    break;
  default:
    break;
  }
}

static void mysqld_message_connect(const struct session *base,
                                   const struct outcome *out,
                                   struct strbuf *lines)
{
  if (base->env->process->identity == IDENTITY_BENCH) {
    strbuf_adds(lines, "cannot connect to MySQL server on ");
    mysqld_message_target(base, lines);
    strbuf_addf(lines, " as '%s': ", session_of(base)->to.user);
    message_text(lines, message_text_of(out), strlen(message_text_of(out)));
    strbuf_addf(lines, " (error %d)", out->code);
    message_add_advice(base, out, lines);
    strbuf_adds(lines, "\n");
    return;
  }
  strbuf_adds(lines, "unable to connect to MySQL server on ");
  mysqld_message_target(base, lines);
  strbuf_adds(lines, ", aborting...\n");
  mysqld_message_reason(base, out, lines);
  strbuf_adds(lines, "\n");
}

static void mysqld_message_warnings(struct session *base, struct strbuf *lines)
{
  const struct mysql_cfg *cfg = base->cfg;

  if (base->number == 0 && !cfg->dry_run &&
      mysqld_tls_settings(cfg).mode == TLS_VERIFY_CA &&
      mysqld_shim_always_checks_names())
    strbuf_adds(lines, "this client library also checks the host name\n");
}

/* The name under which users look for the failed call. */
static const char *message_function(enum call call, const struct outcome *out)
{
  switch (call) {
  case CALL_EXECUTE:
    return out->during_results ? "mysql_stmt_store_result"
                               : "mysql_stmt_execute";
  case CALL_NEXT:
    return "mysql_drv_next_result";
  case CALL_STMT_NEXT:
    return "mysql_drv_stmt_next_result";
  default:
    return out->during_results ? "mysql_store_result" : "mysql_drv_query";
  }
}

static void mysqld_message_failed(const struct session *base, enum call call,
                                  const struct outcome *out, const char *sql,
                                  struct strbuf *lines)
{
  enum {
    TOO_LARGE = 1153,
    TOO_LARGE_HERE = 2020
  };

  if (call == CALL_PREPARE) {
    strbuf_addf(lines,
                "mysql_stmt_prepare() failed\n"
                "MySQL error: %d \"",
                out->code);
    message_text(lines, message_text_of(out), strlen(message_text_of(out)));
    strbuf_adds(lines, "\"\n");
  } else {
    strbuf_addf(lines, "%s() returned error %d (", message_function(call, out),
                out->code);
    message_text(lines, message_text_of(out), strlen(message_text_of(out)));
    strbuf_adds(lines, ")");
    if (!out->during_results && call != CALL_NEXT && call != CALL_STMT_NEXT)
      strbuf_addf(lines, " for query '%s'", sql);
    strbuf_adds(lines, "\n");
  }
  if (out->code == TOO_LARGE || out->code == TOO_LARGE_HERE)
    strbuf_addf(lines, "the statement has %zu bytes\n", session_of(base)->sent);
}

/* A call of the library, or of its replacement. */
#define TRACE(s, ...)                  \
  do {                                 \
    if (UNLIKELY(cfg_of(s)->debug))    \
      log_msg(LOG_DEBUG, __VA_ARGS__); \
  } while (0)

static const char *driver_ending(int rc, const struct outcome *out)
{
  return rc == 0 ? "ok" : out->msg;
}

static int driver_init(const void *cfg, struct err *err)
{
  const struct mysql_cfg *c = cfg;

  if (c->debug)
    log_set_level(LOG_DEBUG);
  if (mysqld_options_check(c, err) < 0)
    return -EINVAL;
  if (!c->dry_run && mysql_library_init(0, NULL, NULL) != 0)
    return err_set(err, -ENOMEM, "mysql_library_init() failed");
  return c->dry_run ? 0 : mysqld_cleartext_guard(err);
}

static void driver_done(const void *cfg)
{
  const struct mysql_cfg *c = cfg;

  if (!c->dry_run)
    mysql_library_end();
}

static int driver_thread_init(const void *cfg, struct err *err)
{
  const struct mysql_cfg *c = cfg;

  if (!c->dry_run && mysql_thread_init() != 0)
    return err_set(err, -ENOMEM, "mysql_thread_init() failed");
  return 0;
}

static void driver_thread_done(const void *cfg)
{
  const struct mysql_cfg *c = cfg;

  if (!c->dry_run)
    mysql_thread_end();
}

static const struct opt_list *driver_ignore_errors(const void *cfg)
{
  return &((const struct mysql_cfg *)cfg)->ignore_errors;
}

/* -1: the backend that was asked for is not possible. */
static int driver_choose_backend(struct mysql_session *s, struct outcome *out)
{
  const int protocol = cfg_of(s)->protocol;
  const char *why = mysqld_shim_why_not_plain(s->mysql, &s->wire.forms);
  char text[256];

  s->base.only_asked = false;
  if (!why && mysql_get_ssl_cipher(s->mysql)) {
    why = "the connection uses TLS";
    s->base.only_asked = protocol == PROTOCOL_AUTO &&
                         mysqld_tls_context(&s->base);
  }
  s->backend = why || protocol == PROTOCOL_LIBRARY ? &mysqld_library_backend
                                                   : &mysqld_wire_backend;
  s->base.blocks = s->backend == &mysqld_wire_backend ? 0 : SESSION_BLOCKS_ALL;
  s->wire.bulk = mysqld_shim_takes_bulk(s->mysql);
  s->why_library = why;
  if (!why || protocol != PROTOCOL_WIRE)
    return 0;
  mysqld_connect_close(s->mysql, false);
  s->mysql = NULL;
  (void)snprintf(text, sizeof(text),
                 "'mysql-protocol' cannot be 'wire' here: %s", why);
  return mysqld_error_connect(s, out, CODE_PROTOCOL, "HY000", text);
}

static void driver_trace_connect(const struct mysql_session *s, const char *how)
{
  struct strbuf db = { 0 };

  if (LIKELY(!cfg_of(s)->debug))
    return;
  secret_redact(s->to.db, &db);
  TRACE(s,
        "mysql_real_connect(host \"%s\", user \"%s\", db \"%s\", port %u, "
        "socket \"%s\"): %s",
        s->to.host ? s->to.host : "", s->to.user, strbuf_str(&db), s->to.port,
        s->to.socket ? s->to.socket : "", how);
  strbuf_done(&db);
}

static int driver_open_with_library(struct mysql_session *s, uint64_t until_ns,
                                    struct outcome *out)
{
  struct address to = s->to;
  struct connect_failure why;
  struct err err;
  const int rc = mysqld_connect_relay(&s->base, &to, until_ns, &err);

  *out = (struct outcome){ 0 };
  if (rc < 0) {
    (void)mysqld_error_connect(s, out, CODE_NO_HOST, "HY000", err.text);
    out->permanent = rc == -EADDRNOTAVAIL;
    out->no_server = false;
    return -1;
  }
  s->mysql = mysqld_connect_open(cfg_of(s), &to, until_ns, &why);
  driver_trace_connect(s, s->mysql ? "ok" : why.text);
  if (!s->mysql)
    return mysqld_error_connect(s, out, why.code, why.state, why.text);
  s->link.fd = mysqld_shim_fd(s->mysql);
  if (driver_choose_backend(s, out) < 0)
    return -1;
  mysqld_raw_note(s);
  s->id = mysql_thread_id(s->mysql);
  s->status = s->mysql->server_status;
  return 0;
}

static void driver_begin(struct mysql_session *s)
{
  s->base.dialect = EMUL_MYSQL;
  s->base.trx = TRX_NONE;
  s->lost = false;
  s->more = false;
  s->id = 0;
  s->to = mysqld_connect_address(&s->base);
}

static void driver_opened(struct mysql_session *s)
{
  s->tcp = wire_keep_alive(s->link.fd);
  s->wire.poll_first = !s->tcp && !env_has_spare_cpus(s->base.env);
  s->open = true;
  if (s->status & STATUS_NO_BACKSLASH)
    s->base.dialect = EMUL_MYSQL_PLAIN;
}

static enum visit_rc driver_log_in(struct session *base, uint64_t until_ns,
                                   struct outcome *out)
{
  struct mysql_session *s = session_of(base);
  enum visit_rc rc = VISIT_CANNOT;

  driver_begin(s);
  if (!cfg_of(s)->dry_run)
    rc = mysqld_raw_connect(s, until_ns, out);
  if (rc == VISIT_DONE) {
    driver_trace_connect(s, "ok");
    driver_opened(s);
  }
  return rc;
}

static int driver_connect_session(struct session *base, uint64_t until_ns,
                                  struct outcome *out)
{
  struct mysql_session *s = session_of(base);

  driver_begin(s);
  if (cfg_of(s)->dry_run)
    return 0;
  if (driver_open_with_library(s, until_ns, out) < 0)
    return -1;
  driver_opened(s);
  return 0;
}

static void driver_disconnect_session(struct session *base)
{
  struct mysql_session *s = session_of(base);

  if (!s->open)
    return;
  if (s->backend->closing)
    s->backend->closing(s);
  loop_forget(s->link.fd);
  if (s->mysql)
    mysqld_connect_close(s->mysql, s->lost || s->more);
  else
    mysqld_raw_close(s);
  TRACE(s, "mysql_close()");
  s->mysql = NULL;
  s->open = false;
  s->backend->closed(s);
  mysqld_copy_done(s);
  free(s->digits);
  s->digits = NULL;
  s->digits_room = 0;
}

static void driver_free(struct session *base)
{
  strbuf_done(&session_of(base)->msg);
}

static void driver_shutdown_session(struct session *base)
{
  const struct mysql_session *s = session_of(base);

  if (s->open)
    (void)shutdown(s->link.fd, SHUT_RDWR);
}

static bool driver_is_dry_run(const void *cfg)
{
  return ((const struct mysql_cfg *)cfg)->dry_run;
}

/* In a dry run. */
static int driver_pretend(struct outcome *out)
{
  out->counter = COUNTER_OTHER;
  return 0;
}

static int driver_query(struct session *base, const char *sql, size_t len,
                        struct outcome *out)
{
  struct mysql_session *s = session_of(base);
  int rc;

  if (UNLIKELY(!s->open))
    return driver_pretend(out);
  rc = s->backend->query(s, sql, len, out);
  if (UNLIKELY(rc < 0))
    mysqld_error_note_trx(s, out, sql, len);
  TRACE(s, "mysql_real_query(\"%s\", %zu): %s", sql, len,
        driver_ending(rc, out));
  return rc;
}

static int driver_fetch(struct session *base, sql_value *values)
{
  struct mysql_session *s = session_of(base);

  return s->open ? s->backend->fetch(s, values) : 0;
}

static int driver_next_result(struct session *base, struct outcome *out)
{
  struct mysql_session *s = session_of(base);
  int rc;

  if (!s->open) {
    out->ended = true;
    return 0;
  }
  rc = s->backend->next_result(s, out);
  if (UNLIKELY(rc < 0))
    mysqld_error_note_trx(s, out, NULL, 0);
  TRACE(s, "mysql_next_result(): %s", driver_ending(rc, out));
  return rc;
}

static int driver_end_results(struct session *base, struct outcome *out)
{
  struct mysql_session *s = session_of(base);
  int rc;

  if (!s->open)
    return 0;
  rc = s->backend->end_results(s, out);
  if (UNLIKELY(rc < 0))
    mysqld_error_note_trx(s, out, NULL, 0);
  return rc;
}

static int driver_prepare(struct prepared *base, struct outcome *out)
{
  struct mysql_prepared *p = prepared_of(base);
  struct mysql_session *s = prepared_session(p);
  int rc;

  if (!s->open) {
    base->n_params = PARAMS_ANY;
    return driver_pretend(out);
  }
  rc = s->backend->prepare(p, out);
  if (rc < 0)
    out->emulate = out->code == CODE_NO_PREPARE;
  TRACE(s, "mysql_stmt_prepare(\"%s\", %zu): %s", base->sql, base->len,
        driver_ending(rc, out));
  return rc;
}

/* Types are sent again only after a change. */
static int driver_bind_types(struct prepared *base, struct outcome *out)
{
  struct mysql_prepared *p = prepared_of(base);
  const unsigned n = base->n_binds;
  bool same = n == p->n_types;

  if (!same || !p->types) {
    uint8_t *types = realloc(p->types, n ? n : 1);

    if (!types)
      return mysqld_error_no_memory(prepared_session(p), out);
    same = false;
    p->types = types;
    p->n_types = n;
  }
  for (unsigned i = 0; i < n; i++) {
    const uint8_t type = (uint8_t)base->binds[i].type;

    same = same && p->types[i] == type;
    p->types[i] = type;
  }
  if (!same)
    p->types_sent = false;
  return 0;
}

static int driver_execute(struct prepared *base, struct outcome *out)
{
  struct mysql_prepared *p = prepared_of(base);
  struct mysql_session *s = prepared_session(p);
  int rc;

  if (UNLIKELY(!s->open))
    return driver_pretend(out);
  rc = s->backend->execute(p, out);
  if (UNLIKELY(rc < 0))
    mysqld_error_note_trx(s, out, base->sql, base->len);
  TRACE(s, "mysql_stmt_execute(\"%s\", %u parameters): %s", base->sql,
        base->n_binds, driver_ending(rc, out));
  return rc;
}

static void driver_unprepare(struct prepared *base, bool going)
{
  struct mysql_prepared *p = prepared_of(base);
  struct mysql_session *s = prepared_session(p);

  if (s->open) {
    s->backend->unprepare(p, going);
    TRACE(s, "mysql_stmt_close(\"%s\")", base->sql);
  }
  free(p->types);
  p->types = NULL;
  p->n_types = 0;
  p->types_sent = false;
}

enum {
  QUOTE_FEW = 512, /* longer texts need an allocation */
};

/* The library needs the server's present mode. */
static size_t driver_escape(struct mysql_session *s, char *to, const char *text,
                            size_t len)
{
  if (!s->mysql)
    return mysqld_escape(s->status & STATUS_NO_BACKSLASH, to, text, len);
  mysqld_shim_set_backslash(s->mysql, s->status);
  return mysqld_shim_escape(s->mysql, to, text, len);
}

static bool driver_quote(struct session *base, const char *text, size_t len,
                         struct strbuf *to, const char **ret_why)
{
  struct mysql_session *s = session_of(base);
  char few[2 * QUOTE_FEW + 1];
  char *escaped = few;

  (void)ret_why;
  if (!s->open)
    len = 0; /* dry run */
  if (len > QUOTE_FEW && !(escaped = malloc(2 * len + 1))) {
    to->failed = true;
    return true;
  }
  strbuf_add(to, "'", 1);
  if (len > 0)
    strbuf_add(to, escaped, driver_escape(s, escaped, text, len));
  strbuf_add(to, "'", 1);
  if (escaped != few)
    free(escaped);
  return true;
}

static const char *driver_quote_special(double value)
{
  /* A DOUBLE; -0 would be an integer. */
  return value == 0 && signbit(value) ? "-0e0" : NULL;
}

/* A list with one of these covers every way to lose a connection. */
static const int connection_codes[] = { CODE_GONE, 2011, CODE_LOST, 2055, 0 };

static const struct driver_refusal refusals[] = {
  /* --read-only and --super-read-only; the number has other options, too */
  { .code = 1290, .says = "read", .phase = FAULT_READ_ONLY },
  { .code = 1836, .phase = FAULT_READ_ONLY }, /* InnoDB */
  { .code = 1792, .phase = FAULT_READ_ONLY }, /* of a transaction */
  { .code = 1053, .phase = FAULT_SHUTTING_DOWN },
  { .code = 1040, .phase = FAULT_LOGIN },
  { .code = 1047, .phase = FAULT_LOGIN }, /* a node of Galera, not ready */
  { .code = 9001, .phase = FAULT_LOGIN }, /* no server for the query */
  { 0 },
};

static int driver_socket_of(const struct session *s)
{
  const struct mysql_session *q = (const struct mysql_session *)s;

  return q->open ? q->link.fd : -1;
}

const struct driver driver_mysql = {
  .name = "mysql",
  .title = "MySQL driver",
  .opts = mysqld_options,
  .names = &mysqld_names,
  .cfg_size = sizeof(struct mysql_cfg),
  .session_size = sizeof(struct mysql_session),
  .prepared_size = sizeof(struct mysql_prepared),
  .dialect = EMUL_MYSQL,
  .caps = DRIVER_PREPARES | DRIVER_SERVER | DRIVER_NUL_IN_SQL |
          DRIVER_BY_NUMBER | DRIVER_COUNTS_STORED | DRIVER_KEEPS_ROWS |
          DRIVER_GOES_ON,
  .connection_codes = connection_codes,
  .refusals = refusals,
  .hints = mysqld_message_hints,
  .durable = mysqld_about_durable,
  .ignore_errors = driver_ignore_errors,
  .is_dry_run = driver_is_dry_run,
  .global_init = driver_init,
  .global_done = driver_done,
  .is_busy = mysqld_connect_is_busy,
  .thread_init = driver_thread_init,
  .thread_done = driver_thread_done,
  .log_in = driver_log_in,
  .connect = driver_connect_session,
  .disconnect = driver_disconnect_session,
  .done = driver_free,
  .visit = mysqld_visit,
  .connect_message = mysqld_message_connect,
  .connect_reason = mysqld_message_reason,
  .warnings = mysqld_message_warnings,
  .servers = mysqld_connect_servers,
  .target = mysqld_message_target,
  .about = mysqld_about_session,
  .socket = driver_socket_of,
  .server_settings = mysqld_about_settings,
  .backend_query = "SELECT CONNECTION_ID()",
  .isolation_statement = "SET SESSION TRANSACTION ISOLATION LEVEL",
  .index_query = "SELECT COUNT(*) FROM information_schema.statistics "
                 "WHERE table_schema = DATABASE() AND column_name = 'k' "
                 "AND seq_in_index = 1 AND table_name = ",
  .data_query = "SELECT CAST(SUM(data_length + index_length) AS UNSIGNED) "
                "FROM information_schema.tables "
                "WHERE table_schema = DATABASE()",
  /* A word in newer versions of MariaDB. */
  .role_query = "SELECT CAST(@@global.read_only AS CHAR) NOT IN ('0', 'OFF') "
                "OR @@global.innodb_read_only",
  .check_before_run = mysqld_about_check,
  .limits = mysqld_about_limits,
  .query = driver_query,
  .fetch = driver_fetch,
  .next_result = driver_next_result,
  .end_results = driver_end_results,
  .prepare = driver_prepare,
  .bind = driver_bind_types,
  .execute = driver_execute,
  .unprepare = driver_unprepare,
  .quote = driver_quote,
  .quote_special = driver_quote_special,
  .statement_sizes = mysqld_about_statement_sizes,
  .copy = &mysqld_copy,
  .pipe = &mysqld_pipe,
  .space = &mysqld_space,
  .message = mysqld_message_failed,
  .shutdown = driver_shutdown_session,
  .cancel_token = mysqld_cancel_token,
  .cancel = mysqld_cancel_send,
  .cancel_free = mysqld_cancel_free,
};
