/*
 * message.c - messages and advice about failures.
 */
#include "drivers/mysql/message.h"

#include <string.h>

#include "db/env.h"
#include "db/message.h"
#include "drivers/mysql/session.h"

/* A server may close the connection if a statement is too large for it. */
static const char large[] = "it may be too large: see max_allowed_packet";

const struct driver_hint mysqld_message_hints[] = {
  { .code = 1461,
    .text = "raise max_prepared_stmt_count or use --db-ps-mode=disable" },
  { .code = 1146, .bundled = true, .text = "did you run the prepare command?" },
  { .code = 1021, .bundled = true, .text = HINT_FULL }, /* disk full */
  { .code = 1114, .bundled = true, .text = HINT_FULL }, /* table is full */
  { .code = 1290, .text = "the server is read-only" },
  { .code = 1836, .text = "the server is read-only" },
  { .code = 1153, .large = true, .text = large },
  { .code = 2006, .large = true, .text = large },
  { .code = 2013, .large = true, .text = large },
  { .code = 2020, .large = true, .text = large },
  { 0 },
};

static const char *text_of(const struct outcome *out)
{
  return out->msg ? out->msg : "";
}

void mysqld_message_target(const struct session *base, struct strbuf *line)
{
  const struct address *to = &session_of(base)->to;

  if (to->socket)
    strbuf_addf(line, "socket '%s'", to->socket);
  else
    strbuf_addf(line, "host '%s', port %u", to->host, to->port);
}

void mysqld_message_reason(const struct session *base,
                           const struct outcome *out, struct strbuf *line)
{
  (void)base;
  strbuf_addf(line, "error %d: %s", out->code, text_of(out));
}

/* Returns what to do about a refused login; NULL: there is no advice. */
static const char *advice(const struct session *base, const struct outcome *out)
{
  const bool tls = mysqld_tls_settings(base->cfg).mode != TLS_DISABLED;

  /* A plug-in that computes a proof has failed, or is not there. */
  if (strstr(text_of(out), "uthentication plugin") ||
      strstr(text_of(out), "could not be loaded"))
    return "the client library cannot do this login: see the plug-in of the "
           "account";
  switch (out->code) {
  case 1045:
  case 1698:
    return tls ? "see --mysql-user and --mysql-password"
               : "see --mysql-user and --mysql-password, or --mysql-ssl if the "
                 "account requires TLS";
  case 1044:
    return "see --mysql-user and --mysql-db, or GRANT the rights";
  case 1049:
    return "see --mysql-db, or CREATE DATABASE";
  case 3159:
    return "use --mysql-ssl=on";
  default:
    return NULL;
  }
}

void mysqld_message_connect(const struct session *base,
                            const struct outcome *out, struct strbuf *lines)
{
  if (base->env->process->identity == IDENTITY_BENCH) {
    strbuf_adds(lines, "cannot connect to MySQL server on ");
    mysqld_message_target(base, lines);
    strbuf_addf(lines, " as '%s': ", session_of(base)->to.user);
    message_text(lines, text_of(out), strlen(text_of(out)));
    strbuf_addf(lines, " (error %d)", out->code);
    if (advice(base, out))
      strbuf_addf(lines, "; %s", advice(base, out));
    strbuf_adds(lines, "\n");
    return;
  }
  strbuf_adds(lines, "unable to connect to MySQL server on ");
  mysqld_message_target(base, lines);
  strbuf_adds(lines, ", aborting...\n");
  mysqld_message_reason(base, out, lines);
  strbuf_adds(lines, "\n");
}

void mysqld_message_warnings(struct session *base, struct strbuf *lines)
{
  const struct mysql_cfg *cfg = base->cfg;

  /* Warn once per process. */
  if (base->number == 0 && !cfg->dry_run &&
      mysqld_tls_settings(cfg).mode == TLS_VERIFY_CA &&
      mysqld_shim_always_checks_names())
    strbuf_adds(lines, "this client library also checks the host name\n");
}

/* Returns the name under which users look for the failed call. */
static const char *function(enum call call, const struct outcome *out)
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

void mysqld_message_failed(const struct session *base, enum call call,
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
    message_text(lines, text_of(out), strlen(text_of(out)));
    strbuf_adds(lines, "\"\n");
  } else {
    strbuf_addf(lines, "%s() returned error %d (", function(call, out),
                out->code);
    message_text(lines, text_of(out), strlen(text_of(out)));
    strbuf_adds(lines, ")");
    if (!out->during_results && call != CALL_NEXT && call != CALL_STMT_NEXT)
      strbuf_addf(lines, " for query '%s'", sql);
    strbuf_adds(lines, "\n");
  }
  if (out->code == TOO_LARGE || out->code == TOO_LARGE_HERE)
    strbuf_addf(lines, "the statement has %zu bytes\n", session_of(base)->sent);
}
