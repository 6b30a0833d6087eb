/*
 * driver.c - texts, literals and the vtable of the pgsql driver.
 */
#include "drivers/pgsql/driver.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "db/emul.h"
#include "db/env.h"
#include "db/error_policy.h"
#include "db/message.h"
#include "drivers/pgsql/login.h"
#include "drivers/pgsql/session.h"

enum {
  BULK_PACKET_OUTSIDE = 1024 * 1024
};

#define HINT_POOLER                                                      \
  "a pooler in between gives transactions other sessions of the server " \
  "and does not follow prepared statements: use --db-ps-mode=disable"

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
  /* A server closes the connection if a statement is too large for it. */
  { .state = "08006", .large = true, .text = "it may be too large" },
  { .state = "08P01", .large = true, .text = "it may be too large" },
  { 0 },
};

static const struct opt_list *ignore_errors(const void *cfg)
{
  return &((const struct pgsql_cfg *)cfg)->ignore_errors;
}

static int global_init(const void *cfg, struct err *err)
{
  if (!PQisthreadsafe())
    return err_set(err, -ENOTSUP, "libpq was built without threads");
  return pgsql_params_check(cfg, err);
}

static int open_session(struct session *s, uint64_t until_ns,
                        struct outcome *out)
{
  pgsql_of(s)->emulates = s->env->process->set.ps_mode == PS_DISABLE;
  return pgsql_connect(s, until_ns, out);
}

static const char *quote_special(double value)
{
  if (isnan(value))
    return "'NaN'::float8";
  if (value == 0)
    return "'-0'::float8";
  return value > 0 ? "'Infinity'::float8" : "'-Infinity'::float8";
}

static void statement_sizes(struct session *s, struct statement_sizes *ret)
{
  (void)s;
  ret->good = BULK_PACKET_OUTSIDE;
}

static int socket_of(const struct session *s)
{
  return pgsql_const(s)->fd;
}

static void message(const struct session *s, enum call call,
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
  /* the same at SERIALIZABLE, before anything is written */
  { .state = "0A000", .says = "hot standby", .phase = FAULT_READ_ONLY },
  { .state = "57P01", .phase = FAULT_SHUTTING_DOWN }, /* admin_shutdown */
  { .state = "57P02", .phase = FAULT_SHUTTING_DOWN }, /* crash_shutdown */
  { .state = "57P03", .phase = FAULT_LOGIN },         /* cannot_connect_now */
  { .state = "53300", .phase = FAULT_LOGIN },         /* too_many_connections */
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
          DRIVER_SKIPS_EMPTY | DRIVER_COUNTS_STORED | DRIVER_KEEPS_ROWS,
  .hints = hints,
  .durable = pgsql_durable,
  .ignore_errors = ignore_errors,
  .global_init = global_init,
  .is_busy = pgsql_login_is_busy,
  .connect = open_session,
  .visit = pgsql_visit,
  .disconnect = pgsql_disconnect,
  .done = pgsql_done,
  .connect_message = pgsql_connect_message,
  .connect_reason = pgsql_connect_reason,
  .servers = pgsql_servers,
  .target = pgsql_target,
  .about = pgsql_about,
  .socket = socket_of,
  .server_settings = pgsql_settings,
  .data_query = "SELECT pg_database_size(current_database())",
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
  .quote_special = quote_special,
  .statement_sizes = statement_sizes,
  .copy = &pgsql_copy,
  .pipe = &pgsql_pipe,
  .space = &pgsql_space,
  .message = message,
  .shutdown = pgsql_shutdown,
  .cancel_token = pgsql_cancel_token,
  .cancel = pgsql_cancel,
  .cancel_free = pgsql_cancel_free,
};
