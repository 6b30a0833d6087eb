/*
 * driver.c - the driver for MySQL and MariaDB: opening and closing, dry runs,
 * tracing, and the dispatch to the backend that serves a session.
 */
#include "drivers/mysql/driver.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/log.h"
#include "base/secret.h"
#include "db/emul.h"
#include "db/env.h"
#include "db/error_policy.h"
#include "drivers/mysql/about.h"
#include "drivers/mysql/cancel.h"
#include "drivers/mysql/cleartext.h"
#include "drivers/mysql/connect.h"
#include "drivers/mysql/copy.h"
#include "drivers/mysql/error.h"
#include "drivers/mysql/escape.h"
#include "drivers/mysql/handshake.h"
#include "drivers/mysql/message.h"
#include "drivers/mysql/session.h"
#include "drivers/mysql/wire_pipe.h"
#include "drivers/wire/link.h"
#include "loop/loop.h"

/* Traces one call of the library, or of its replacement, in a line. */
#define TRACE(s, ...)                  \
  do {                                 \
    if (UNLIKELY(cfg_of(s)->debug))    \
      log_msg(LOG_DEBUG, __VA_ARGS__); \
  } while (0)

/* Describes how a call ended, for traces. */
static const char *ending(int rc, const struct outcome *out)
{
  return rc == 0 ? "ok" : out->msg;
}

/* ---- once per process, once per thread ---- */

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

static int thread_init(const void *cfg, struct err *err)
{
  const struct mysql_cfg *c = cfg;

  if (!c->dry_run && mysql_thread_init() != 0)
    return err_set(err, -ENOMEM, "mysql_thread_init() failed");
  return 0;
}

static void thread_done(const void *cfg)
{
  const struct mysql_cfg *c = cfg;

  if (!c->dry_run)
    mysql_thread_end();
}

/* ---- open and close ---- */

static const struct opt_list *ignore_errors(const void *cfg)
{
  return &((const struct mysql_cfg *)cfg)->ignore_errors;
}

/*
 * Chooses the backend of the session; -1: the one that was asked for is not
 * possible.
 */
static int choose_backend(struct mysql_session *s, struct outcome *out)
{
  const int protocol = cfg_of(s)->protocol;
  const char *why = mysqld_shim_why_not_plain(s->mysql, &s->wire.forms);
  char text[256];

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

static void trace_connect(const struct mysql_session *s, const char *how)
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

static int open_with_library(struct mysql_session *s, uint64_t until_ns,
                             struct outcome *out)
{
  struct connect_failure why;

  *out = (struct outcome){ 0 };
  s->mysql = mysqld_connect_open(cfg_of(s), &s->to, until_ns, &why);
  trace_connect(s, s->mysql ? "ok" : why.text);
  if (!s->mysql)
    return mysqld_error_connect(s, out, why.code, why.state, why.text);
  s->fd = mysqld_shim_fd(s->mysql);
  if (choose_backend(s, out) < 0)
    return -1;
  mysqld_raw_note(s);
  s->id = mysql_thread_id(s->mysql);
  s->status = s->mysql->server_status;
  return 0;
}

static int connect_session(struct session *base, uint64_t until_ns,
                           struct outcome *out)
{
  struct mysql_session *s = session_of(base);
  enum visit_rc raw;

  s->base.dialect = EMUL_MYSQL;
  s->base.trx = TRX_NONE;
  s->lost = false;
  s->more = false;
  s->id = 0;
  s->to = mysqld_connect_address(base);
  if (cfg_of(s)->dry_run)
    return 0;
  raw = mysqld_raw_connect(s, until_ns, out);
  if (raw == VISIT_FAILED ||
      (raw == VISIT_CANNOT && open_with_library(s, until_ns, out) < 0))
    return -1;
  if (raw == VISIT_DONE)
    trace_connect(s, "ok");
  s->tcp = wire_keep_alive(s->fd);
  s->wire.poll_first = !s->tcp && !env_has_spare_cpus(base->env);
  s->open = true;
  if (s->status & STATUS_NO_BACKSLASH)
    s->base.dialect = EMUL_MYSQL_PLAIN;
  return 0;
}

static void disconnect_session(struct session *base)
{
  struct mysql_session *s = session_of(base);

  if (!s->open)
    return;
  s->backend->closing(s);
  loop_forget(s->fd);
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

static void done(struct session *base)
{
  strbuf_done(&session_of(base)->msg);
}

static void shutdown_session(struct session *base)
{
  const struct mysql_session *s = session_of(base);

  if (s->open)
    (void)shutdown(s->fd, SHUT_RDWR);
}

static void *session_token(struct session *base)
{
  return mysqld_cancel_token(session_of(base));
}

/* ---- statements ---- */

static bool is_dry_run(const void *cfg)
{
  return ((const struct mysql_cfg *)cfg)->dry_run;
}

/* In a dry run a statement succeeds and does nothing. */
static int pretend(struct outcome *out)
{
  out->counter = COUNTER_OTHER;
  return 0;
}

static int query(struct session *base, const char *sql, size_t len,
                 struct outcome *out)
{
  struct mysql_session *s = session_of(base);
  int rc;

  if (UNLIKELY(!s->open))
    return pretend(out);
  rc = s->backend->query(s, sql, len, out);
  if (UNLIKELY(rc < 0))
    mysqld_error_note_trx(s, out, sql, len);
  TRACE(s, "mysql_real_query(\"%s\", %zu): %s", sql, len, ending(rc, out));
  return rc;
}

static int fetch(struct session *base, sql_value *values)
{
  struct mysql_session *s = session_of(base);

  return s->open ? s->backend->fetch(s, values) : 0;
}

static int next_result(struct session *base, struct outcome *out)
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
  TRACE(s, "mysql_next_result(): %s", ending(rc, out));
  return rc;
}

static int end_results(struct session *base, struct outcome *out)
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

static int prepare(struct prepared *base, struct outcome *out)
{
  struct mysql_prepared *p = prepared_of(base);
  struct mysql_session *s = prepared_session(p);
  int rc;

  if (!s->open) {
    base->n_params = PARAMS_ANY;
    return pretend(out);
  }
  rc = s->backend->prepare(p, out);
  if (rc < 0)
    out->emulate = out->code == CODE_NO_PREPARE;
  TRACE(s, "mysql_stmt_prepare(\"%s\", %zu): %s", base->sql, base->len,
        ending(rc, out));
  return rc;
}

/* Types are sent to the server again only if they have changed. */
static int bind_types(struct prepared *base, struct outcome *out)
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

static int execute(struct prepared *base, struct outcome *out)
{
  struct mysql_prepared *p = prepared_of(base);
  struct mysql_session *s = prepared_session(p);
  int rc;

  if (UNLIKELY(!s->open))
    return pretend(out);
  rc = s->backend->execute(p, out);
  if (UNLIKELY(rc < 0))
    mysqld_error_note_trx(s, out, base->sql, base->len);
  TRACE(s, "mysql_stmt_execute(\"%s\", %u parameters): %s", base->sql,
        base->n_binds, ending(rc, out));
  return rc;
}

static void unprepare(struct prepared *base, bool going)
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

/* ---- values in texts ---- */

enum {
  QUOTE_FEW = 512, /* up to so many bytes are escaped without an allocation */
};

/* The library needs to know how the server reads a backslash now. */
static size_t escape(struct mysql_session *s, char *to, const char *text,
                     size_t len)
{
  if (!s->mysql)
    return mysqld_escape(s->status & STATUS_NO_BACKSLASH, to, text, len);
  mysqld_shim_set_backslash(s->mysql, s->status);
  return mysqld_shim_escape(s->mysql, to, text, len);
}

static bool quote(struct session *base, const char *text, size_t len,
                  struct strbuf *to, const char **ret_why)
{
  struct mysql_session *s = session_of(base);
  char few[2 * QUOTE_FEW + 1];
  char *escaped = few;

  (void)ret_why; /* any byte can be sent */
  if (!s->open)
    len = 0; /* a dry run: the text is not used */
  if (len > QUOTE_FEW && !(escaped = malloc(2 * len + 1))) {
    to->failed = true;
    return true;
  }
  strbuf_add(to, "'", 1);
  if (len > 0)
    strbuf_add(to, escaped, escape(s, escaped, text, len));
  strbuf_add(to, "'", 1);
  if (escaped != few)
    free(escaped);
  return true;
}

static const char *quote_special(double value)
{
  /* Formats a DOUBLE; -0 would be read as an integer. */
  return value == 0 && signbit(value) ? "-0e0" : NULL;
}

/*
 * If a list has one of these codes, it covers every way to lose a connection.
 */
static const int connection_codes[] = { CODE_GONE, 2011, CODE_LOST, 2055, 0 };

static const struct driver_refusal refusals[] = {
  /* --read-only and --super-read-only; the number has other options, too */
  { .code = 1290, .says = "read", .phase = FAULT_READ_ONLY },
  { .code = 1836, .phase = FAULT_READ_ONLY },     /* the same of InnoDB */
  { .code = 1792, .phase = FAULT_READ_ONLY },     /* of a transaction */
  { .code = 1053, .phase = FAULT_SHUTTING_DOWN }, /* shutdown in progress */
  { .code = 1040, .phase = FAULT_LOGIN },         /* too many connections */
  { .code = 1047, .phase = FAULT_LOGIN }, /* a node of Galera, not ready */
  { .code = 9001, .phase = FAULT_LOGIN }, /* ProxySQL has no server for it */
  { 0 },
};

static int socket_of(const struct session *s)
{
  const struct mysql_session *q = (const struct mysql_session *)s;

  return q->open ? q->fd : -1;
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
  .ignore_errors = ignore_errors,
  .is_dry_run = is_dry_run,
  .global_init = driver_init,
  .global_done = driver_done,
  .is_busy = mysqld_connect_is_busy,
  .thread_init = thread_init,
  .thread_done = thread_done,
  .connect = connect_session,
  .disconnect = disconnect_session,
  .done = done,
  .visit = mysqld_visit,
  .connect_message = mysqld_message_connect,
  .connect_reason = mysqld_message_reason,
  .warnings = mysqld_message_warnings,
  .servers = mysqld_connect_servers,
  .target = mysqld_message_target,
  .about = mysqld_about_session,
  .socket = socket_of,
  .server_settings = mysqld_about_settings,
  .backend_query = "SELECT CONNECTION_ID()",
  .isolation_statement = "SET SESSION TRANSACTION ISOLATION LEVEL",
  .data_query = "SELECT CAST(SUM(data_length + index_length) AS UNSIGNED) "
                "FROM information_schema.tables "
                "WHERE table_schema = DATABASE()",
  /* A word instead of a number in newer versions of MariaDB. */
  .role_query = "SELECT CAST(@@global.read_only AS CHAR) NOT IN ('0', 'OFF') "
                "OR @@global.innodb_read_only",
  .check_before_run = mysqld_about_check,
  .limits = mysqld_about_limits,
  .query = query,
  .fetch = fetch,
  .next_result = next_result,
  .end_results = end_results,
  .prepare = prepare,
  .bind = bind_types,
  .execute = execute,
  .unprepare = unprepare,
  .quote = quote,
  .quote_special = quote_special,
  .statement_sizes = mysqld_about_statement_sizes,
  .copy = &mysqld_copy,
  .pipe = &mysqld_pipe,
  .space = &mysqld_space,
  .message = mysqld_message_failed,
  .shutdown = shutdown_session,
  .cancel_token = session_token,
  .cancel = mysqld_cancel_send,
  .cancel_free = mysqld_cancel_free,
};
