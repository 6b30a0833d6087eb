/*
 * driver.c - the vtable of the pgsql driver, facts about the server, and
 * cancelling.
 */
#include "drivers/driver_list.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/sock.h"
#include "base/thread.h"
#include "base/wait.h"
#include "db/emul.h"
#include "db/env.h"
#include "db/error_policy.h"
#include "db/message.h"
#include "drivers/pgsql/login.h"
#include "drivers/pgsql/session.h"
#include "drivers/wire/link.h"
#include "drivers/wire/tls.h"

typedef void pgsql_put(void *ctx, const char *key, const char *value);

static void driver_about_put_library(pgsql_put *put, void *ctx)
{
  const int version = PQlibVersion();
  char text[32];

  (void)snprintf(text, sizeof(text), "%d.%d", version / 10000, version % 10000);
  put(ctx, "client_library", "libpq");
  put(ctx, "client_version", text);
}

static void driver_about_put_transport(const struct session *s, PGconn *conn,
                                       pgsql_put *put, void *ctx)
{
  const bool raw = pgsql_is_raw(pgsql_const(s));
  const char *host = PQhost(conn), *port = PQport(conn);
  const char *address = PQhostaddr(conn);
  struct pgsql_params p = { 0 };
  struct err err;
  char text[256];

  if (!host && !raw)
    return;
  if ((raw || env_relay(s)) && pgsql_params_make(&p, s, &err) == 0) {
    host = p.host;
    port = p.port ? p.port : "5432";
  }
  if (!*host || pgsql_is_socket(host)) {
    put(ctx, "transport", "unix");
    (void)snprintf(text, sizeof(text), "%s/.s.PGSQL.%s", host, port);
  } else {
    put(ctx, "transport", "tcp");
    if (address && *address)
      host = address;
    (void)snprintf(text, sizeof(text), strchr(host, ':') ? "[%s]:%s" : "%s:%s",
                   host, port);
  }
  put(ctx, "address", text);
  pgsql_params_done(&p);
}

static void driver_about_put_tls(const struct pgsql_session *p, pgsql_put *put,
                                 void *ctx)
{
  const char *compression = NULL;
  struct tls_facts n = { "none", "none", false };

  if (PQsslInUse(p->conn)) {
    n.version = PQsslAttribute(p->conn, "protocol");
    n.cipher = PQsslAttribute(p->conn, "cipher");
    compression = PQsslAttribute(p->conn, "compression");
  } else if (p->link.tls) {
    n = wire_tls_about(p->link.tls);
  }
  put(ctx, "tls_protocol", n.version);
  put(ctx, "tls_cipher", n.cipher);
  put(ctx, "compression", compression ? compression : "off");
}

static void pgsql_about(struct session *s, pgsql_put *put, void *ctx)
{
  const struct pgsql_session *p = pgsql_of(s);
  const char *version = PQparameterStatus(p->conn, "crdb_version");

  if (!version)
    version = p->version;
  driver_about_put_library(put, ctx);
  put(ctx, "protocol",
      p->plain_chosen || (s->only_asked && s->env->shares_thread) ? "wire"
                                                                  : "library");
  if (*version)
    put(ctx, "server_version", version);
  driver_about_put_transport(s, p->conn, put, ctx);
  driver_about_put_tls(p, put, ctx);
}

/* Other databases have their own name in version(): in place of PostgreSQL,
 * after the version, or at the end, as Redshift. */
static void driver_about_put_flavour(struct pgsql_session *p, pgsql_put *put,
                                     void *ctx)
{
  static const char product[] = "PostgreSQL ", bits[] = "-bit";
  const char *version = p->version;
  PGresult *result = pgsql_ask(p, "SELECT version()");
  const char *text = result && PQntuples(result) == 1 ? PQgetvalue(result, 0, 0)
                                                      : "";
  const size_t head = sizeof(product) - 1, len = strlen(text);
  const size_t tail = sizeof(bits) - 1;
  const char *from = text, *to = strstr(text, " on ");
  char flavour[96];

  if (!to)
    to = text + len;
  if (*version && strncmp(text, product, head) == 0 &&
      strncmp(text + head, version, strlen(version)) == 0) {
    const char *last = strrchr(text, ',');

    from = last ? last + 1 + strspn(last + 1, " ") : text + len;
    to = text + len;
    if (len >= tail && strcmp(to - tail, bits) == 0)
      from = to;
  }
  (void)snprintf(flavour, sizeof(flavour), "%.*s", (int)(to - from), from);
  if (*flavour)
    put(ctx, "version_comment", flavour);
  PQclear(result);
}

static void pgsql_settings(struct session *s, pgsql_put *put, void *ctx)
{
  static const char *const names[] = {
    "fsync",
    "synchronous_commit",
    "full_page_writes",
    "shared_buffers",
    "wal_level",
    "max_connections",
    "default_transaction_isolation",
  };

  for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
    char sql[64];
    PGresult *result;

    (void)snprintf(sql, sizeof(sql), "SHOW %s", names[i]);
    result = pgsql_ask(pgsql_of(s), sql);
    if (result && PQntuples(result) == 1 && PQnfields(result) == 1)
      put(ctx, names[i], PQgetvalue(result, 0, 0));
    PQclear(result);
  }
  driver_about_put_flavour(pgsql_of(s), put, ctx);
}

static const struct driver_durable pgsql_durable[] = {
  {
    .setting = "fsync",
    .unsafe = "off",
    .means = "a crash of the machine can destroy the data",
  },
  {
    .setting = "synchronous_commit",
    .unsafe = "off",
    .means = "a crash of the server loses the last transactions",
  },
  {
    .setting = "full_page_writes",
    .unsafe = "off",
    .means = "a crash of the machine can destroy pages",
  },
  { NULL },
};

struct connections {
  const char *setting; /* the nearest limit */
  uint64_t allowed, reserved, used;
};

static bool driver_about_ask_connections(struct session *s,
                                         struct connections *ret)
{
  static const char *const settings[] = {
    "max_connections",
    "CONNECTION LIMIT of the user",
    "CONNECTION LIMIT of the database",
  };
  PGresult *result = pgsql_ask(
    pgsql_of(s),
    "WITH a AS (SELECT datname, usename FROM pg_stat_activity WHERE "
    "backend_type = 'client backend' AND pid <> pg_backend_pid()), "
    "l AS (SELECT 0 AS setting, "
    "current_setting('max_connections')::int AS allowed, "
    "current_setting('superuser_reserved_connections')::int AS reserved, "
    "(SELECT count(*) FROM a) AS used "
    "UNION ALL SELECT 1, rolconnlimit, 0, "
    "(SELECT count(*) FROM a WHERE usename = rolname) FROM pg_roles "
    "WHERE rolname = session_user AND NOT rolsuper AND rolconnlimit >= 0 "
    "UNION ALL SELECT 2, datconnlimit, 0, "
    "(SELECT count(*) FROM a WHERE a.datname = d.datname) "
    "FROM pg_database d, pg_roles WHERE d.datname = current_database() "
    "AND rolname = session_user AND NOT rolsuper AND datconnlimit >= 0) "
    "SELECT * FROM l ORDER BY allowed - reserved - used LIMIT 1");
  const bool told = result && PQntuples(result) == 1 && PQnfields(result) == 4;

  if (told)
    *ret = (struct connections){
      settings[strtoull(PQgetvalue(result, 0, 0), NULL, 10) %
               ARRAY_SIZE(settings)],
      strtoull(PQgetvalue(result, 0, 1), NULL, 10),
      strtoull(PQgetvalue(result, 0, 2), NULL, 10),
      strtoull(PQgetvalue(result, 0, 3), NULL, 10),
    };
  PQclear(result);
  return told;
}

static size_t pgsql_limits(struct session *s, const struct run_facts *facts,
                           struct driver_limit ret[DRIVER_LIMITS])
{
  struct connections c;

  if (!driver_about_ask_connections(s, &c))
    return 0;
  ret[0] = (struct driver_limit){
    .subject = "connections",
    .setting = c.setting,
    .advice = run_facts_fewer(facts),
    .allowed = c.allowed,
    .used = c.reserved + c.used,
    .needed = facts->threads,
    .hard = true,
  };
  return 1;
}

static void pgsql_check(struct session *s, const struct run_facts *facts,
                        struct strbuf *lines)
{
  const uint64_t sessions = run_facts_sessions(facts);
  const struct pgsql_cfg *cfg = s->cfg;
  struct connections c;
  uint64_t room;

  if (facts->carriers > 0 && cfg->protocol == PGSQL_AUTO &&
      PQsslInUse(pgsql_of(s)->conn) && !s->only_asked)
    strbuf_adds(lines,
                "only libpq can encrypt here" TLS_LACK
                ": each waiting client takes a thread, and more CPU time\n");
  if (!driver_about_ask_connections(s, &c))
    return;
  /* This connection is one of the run's. */
  room = run_facts_room(facts, c.allowed - c.reserved, c.used);
  if (room < sessions)
    strbuf_addf(lines,
                "the server has room for %" PRIu64 " more connections, this "
                "run opens at least %" PRIu64 " (%s = %" PRIu64 ")\n",
                room, sessions, c.setting, c.allowed);
}

/* For users who may not see the setting, pg_settings has no row. */
static const char *driver_about_space_query(const struct session *base)
{
  const struct pgsql_session *p = (const void *)base;

  if (!p->conn || !sock_is_local(PQsocket(p->conn)))
    return NULL;
  return "SELECT s.setting, (SELECT COALESCE(SUM(pg_total_relation_size(oid)), "
         "0) FROM pg_class WHERE relkind = 'r' AND relname LIKE 'sbtest%' AND "
         "pg_table_is_visible(oid)) FROM pg_settings s "
         "WHERE s.name = 'data_directory'";
}

static const struct driver_space pgsql_space = {
  .server = SPACE_PGSQL,
  .query = driver_about_space_query,
};

/* PQcancel() blocks without a limit, so a helper thread calls it.  Sessions
 * without libpq send the request themselves. */

enum {
  CANCEL_LIMIT_MS = 1000
};

struct token {
  _Atomic unsigned refs;
  /* Futex: requests that have ended (release by the helpers). */
  _Atomic uint32_t ended;

  PGcancel *cancel; /* owned; NULL: the fields below are set */
  struct sockaddr_storage to;
  socklen_t to_len;
  uint8_t request[16];
};

/* False: the server cannot be asked. */
static bool driver_cancel_fill(struct token *t, const struct pgsql_session *p)
{
  if (!pgsql_is_raw(p)) {
    t->cancel = PQgetCancel(p->conn);
    return t->cancel != NULL;
  }
  t->to_len = sizeof(t->to);
  memcpy(t->request, p->cancel, sizeof(t->request));
  return p->can_cancel &&
         getpeername(p->link.fd, (struct sockaddr *)(void *)&t->to,
                     &t->to_len) == 0;
}

static void *pgsql_cancel_token(struct session *s)
{
  struct token *t = mem_new(1, sizeof(*t));

  if (!t)
    return NULL;
  if (!driver_cancel_fill(t, pgsql_of(s))) {
    free(t);
    return NULL;
  }
  atomic_init(&t->refs, 1);
  return t;
}

static void pgsql_cancel_free(void *token)
{
  struct token *t = token;

  /* Pairs with the release of the other holders. */
  if (atomic_fetch_sub_explicit(&t->refs, 1, memory_order_acq_rel) != 1)
    return;
  PQfreeCancel(t->cancel);
  free(t);
}

/* The server hangs up when it has passed the request on. */
static void driver_cancel_ask_server(const struct token *t)
{
  const uint64_t until_ns = clock_now_ns() + CANCEL_LIMIT_MS * NS_PER_MS;
  struct wire_buffer in = { 0 };
  int fd;

  if (wire_open(&fd, (const struct sockaddr *)(const void *)&t->to, t->to_len,
                until_ns) < 0)
    return;
  if (wire_send_until(fd, t->request, sizeof(t->request), until_ns) == 0)
    (void)wire_receive_until(fd, &in, 1, until_ns);
  (void)close(fd);
  wire_buffer_done(&in);
}

static void *driver_cancel_request(void *arg)
{
  struct token *t = arg;
  char text[256];

  /* After a failure the connection is shut down a second later. */
  if (t->cancel)
    (void)PQcancel(t->cancel, text, sizeof(text));
  else
    driver_cancel_ask_server(t);
  (void)atomic_fetch_add_explicit(&t->ended, 1, memory_order_release);
  wait_wake_all(&t->ended);
  pgsql_cancel_free(t);
  return NULL;
}

static int driver_cancel_start(struct token *t)
{
  int rc;

  (void)atomic_fetch_add_explicit(&t->refs, 1, memory_order_relaxed);
  rc = thread_start_detached(0, driver_cancel_request, t);
  if (rc < 0)
    pgsql_cancel_free(t);
  return rc;
}

static void pgsql_cancel(void *token)
{
  struct token *t = token;
  const uint64_t until_ns = clock_now_ns() + CANCEL_LIMIT_MS * NS_PER_MS;
  const uint32_t before = atomic_load_explicit(&t->ended, memory_order_acquire);

  if (driver_cancel_start(t) < 0)
    return;
  while (atomic_load_explicit(&t->ended, memory_order_acquire) == before &&
         clock_now_ns() < until_ns)
    wait_while(&t->ended, before, until_ns);
}

enum {
  BULK_PACKET_OUTSIDE = 1024 * 1024
};

#define HINT_POOLER                                                          \
  "a pooler in between gives transactions other sessions of the server and " \
  "does not follow prepared statements: use --db-ps-mode=unnamed or simple"

static const struct driver_hint hints[] = {
  { .state = "25P02",
    .text = "an earlier statement of this transaction failed" },
  { .state = "42P01",
    .bundled = true,
    .text = "did you run the prepare command?" },
  { .state = "42P05", .text = HINT_POOLER },
  { .state = "26000", .text = HINT_POOLER },
  { .state = "53100", .bundled = true, .text = HINT_FULL },
  { .state = "25006", .text = "the server is read-only" },
  { .state = "54000", .large = true, .text = "it may be too large" },
  { .state = "08006", .large = true, .text = "it may be too large" },
  { .state = "08P01", .large = true, .text = "it may be too large" },
  { 0 },
};

static const struct opt_list *driver_ignore_errors(const void *cfg)
{
  return &((const struct pgsql_cfg *)cfg)->ignore_errors;
}

static int driver_global_init(const void *cfg, struct err *err)
{
  if (!PQisthreadsafe())
    return err_set(err, -ENOTSUP, "libpq was built without threads");
  return pgsql_params_check(cfg, err);
}

static void driver_set_mode(struct session *s)
{
  const int mode = s->env->process->set.ps_mode;

  pgsql_of(s)->emulates = ps_mode_is_text(mode);
  pgsql_of(s)->unnamed = mode == PS_UNNAMED;
}

static enum visit_rc driver_log_in(struct session *s, uint64_t until_ns,
                                   struct outcome *out)
{
  driver_set_mode(s);
  return pgsql_log_in(s, until_ns, out);
}

static int driver_open_session(struct session *s, uint64_t until_ns,
                               struct outcome *out)
{
  driver_set_mode(s);
  return pgsql_connect(s, until_ns, out);
}

static const char *driver_quote_special(double value)
{
  if (isnan(value))
    return "'NaN'::float8";
  if (value == 0)
    return "'-0'::float8";
  return value > 0 ? "'Infinity'::float8" : "'-Infinity'::float8";
}

static void driver_statement_sizes(struct session *s,
                                   struct statement_sizes *ret)
{
  (void)s;
  ret->good = BULK_PACKET_OUTSIDE;
}

static int driver_socket_of(const struct session *s)
{
  return pgsql_const(s)->link.fd;
}

static void driver_message(const struct session *s, enum call call,
                           const struct outcome *out, const char *sql,
                           struct strbuf *lines)
{
  const struct pgsql_session *p = pgsql_const(s);
  const char *msg = out->msg ? out->msg : "";

  switch (call) {
  case CALL_PREPARE:
    if (msg == PQresultErrorField(p->failed, PG_DIAG_MESSAGE_PRIMARY))
      msg = PQresultErrorMessage(p->failed);
    strbuf_adds(lines, "PQprepare() failed: ");
    if (pgsql_is_raw(p) && !out->lost)
      strbuf_adds(lines, "ERROR:  ");
    break;
  case CALL_EXECUTE:
  case CALL_STMT_NEXT:
    strbuf_addf(lines, "PQexecPrepared() failed: %d ", PGRES_FATAL_ERROR);
    break;
  default:
    strbuf_addf(lines, "PQexec() failed: %d ", PGRES_FATAL_ERROR);
  }
  message_text(lines, msg, strlen(msg));
  if (call != CALL_PREPARE && call != CALL_EXECUTE && call != CALL_STMT_NEXT &&
      *sql)
    strbuf_addf(lines, "\nfailed query was: %s", sql);
}

static const struct driver_refusal refusals[] = {
  { .state = "25006", .phase = FAULT_READ_ONLY }, /* a standby */
  /* at SERIALIZABLE, before anything is written */
  { .state = "0A000", .says = "hot standby", .phase = FAULT_READ_ONLY },
  { .state = "57P01", .phase = FAULT_SHUTTING_DOWN }, /* admin_shutdown */
  { .state = "57P02", .phase = FAULT_SHUTTING_DOWN }, /* crash_shutdown */
  { .state = "57P03", .phase = FAULT_LOGIN },
  { .state = "53300", .phase = FAULT_LOGIN },
  { 0 },
};

const struct driver driver_pgsql = {
  .name = "pgsql",
  .title = "PostgreSQL driver",
  .opts = pgsql_opts,
  .names = &pgsql_names,
  .refusals = refusals,
  .cfg_size = sizeof(struct pgsql_cfg),
  .session_size = sizeof(struct pgsql_session),
  .prepared_size = sizeof(struct pgsql_prepared),
  .dialect = EMUL_PGSQL,
  .caps = DRIVER_PREPARES | DRIVER_SERVER | DRIVER_ROLLBACK_AT_ONCE |
          DRIVER_SKIPS_EMPTY | DRIVER_COUNTS_STORED | DRIVER_KEEPS_ROWS |
          DRIVER_UNNAMED,
  .hints = hints,
  .durable = pgsql_durable,
  .ignore_errors = driver_ignore_errors,
  .global_init = driver_global_init,
  .is_busy = pgsql_login_is_busy,
  .log_in = driver_log_in,
  .connect = driver_open_session,
  .visit = pgsql_visit,
  .disconnect = pgsql_disconnect,
  .done = pgsql_done,
  .connect_message = pgsql_connect_message,
  .connect_reason = pgsql_connect_reason,
  .servers = pgsql_servers,
  .target = pgsql_target,
  .about = pgsql_about,
  .socket = driver_socket_of,
  .server_settings = pgsql_settings,
  .data_query = "SELECT pg_database_size(current_database())",
  .index_query = "SELECT COUNT(*) FROM pg_index x JOIN pg_attribute a "
                 "ON a.attrelid = x.indrelid AND a.attnum = x.indkey[0] "
                 "WHERE a.attname = 'k' AND x.indisvalid "
                 "AND x.indrelid = regclass ",
  .backend_query = "SELECT pg_backend_pid()",
  .isolation_statement =
    "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL",
  .role_query = "SELECT (pg_is_in_recovery() OR "
                "current_setting('transaction_read_only') = 'on')::int",
  .standby_query = "SELECT pg_is_in_recovery()::int",
  .check_before_run = pgsql_check,
  .limits = pgsql_limits,
  .query = pgsql_query,
  .fetch = pgsql_fetch,
  .next_result = pgsql_next_result,
  .end_results = pgsql_end_results,
  .prepare = pgsql_prepare,
  .bind = pgsql_bind,
  .execute = pgsql_execute,
  .unprepare = pgsql_unprepare,
  .quote = pgsql_quote,
  .quote_special = driver_quote_special,
  .statement_sizes = driver_statement_sizes,
  .copy = &pgsql_copy,
  .pipe = &pgsql_pipe,
  .space = &pgsql_space,
  .message = driver_message,
  .shutdown = pgsql_shutdown,
  .cancel_token = pgsql_cancel_token,
  .cancel = pgsql_cancel,
  .cancel_free = pgsql_cancel_free,
};
