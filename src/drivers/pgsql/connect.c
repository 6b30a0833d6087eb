/*
 * connect.c - opens and closes connections.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/secret.h"
#include "db/emul.h"
#include "db/env.h"
#include "db/message.h"
#include "drivers/pgsql/login.h"
#include "drivers/pgsql/session.h"
#include "drivers/pgsql/tls.h"
#include "drivers/pgsql/wire.h"
#include "drivers/wire/link.h"
#include "loop/loop.h"

enum {
  KEYWORDS_MAX = 32
};

/* A later one wins. */
struct words {
  size_t n;
  const char *key[KEYWORDS_MAX], *value[KEYWORDS_MAX];
};

static void connect_add(struct words *w, const char *key, const char *value)
{
  if (!value || !*value)
    return;
  w->key[w->n] = key;
  w->value[w->n] = value;
  w->n++;
}

/* The connection string overrides only the words before itself. */
static void connect_fill(struct words *w, const struct pgsql_params *p,
                         const char *address)
{
  const struct pgsql_cfg *cfg = p->cfg;

  w->n = 0;
  if (!p->by_service || strcmp(pgsql_sslmodes[cfg->sslmode], "prefer") != 0)
    connect_add(w, "sslmode", pgsql_sslmodes[cfg->sslmode]);
  if (cfg->sslnegotiation == PGSQL_DIRECT)
    connect_add(w, "sslnegotiation", "direct");
  connect_add(w, "sslcert", cfg->sslcert);
  connect_add(w, "sslkey", cfg->sslkey);
  connect_add(w, "sslrootcert", cfg->sslrootcert);
  connect_add(w, "sslcrl", cfg->sslcrl);
  connect_add(w, "options", cfg->options);
  connect_add(w, "fallback_application_name", "bench");
  connect_add(w, "keepalives", "1");
  connect_add(w, "keepalives_idle", "30");
  connect_add(w, "keepalives_interval", "10");
  connect_add(w, "keepalives_count", "3");
  connect_add(w, "tcp_user_timeout", "60000");
  connect_add(w, "dbname", p->db);
  connect_add(w, "host", p->host);
  connect_add(w, "hostaddr", address);
  connect_add(w, "port", p->port);
  connect_add(w, "user", p->user);
  connect_add(w, "password", p->password);
  w->key[w->n] = NULL;
  w->value[w->n] = NULL;
}

static void connect_add_text(struct pgsql_session *p, const char *text)
{
  secret_redact(text, &p->text);
}

static bool connect_is_state(const char *text)
{
  for (int i = 0; i < 5; i++) {
    if (!(text[i] >= '0' && text[i] <= '9') &&
        !(text[i] >= 'A' && text[i] <= 'Z'))
      return false;
  }
  return text[5] == ':' && text[6] == ' ';
}

/* libpq reports the SQLSTATE of a refused login only in its verbose texts:
 * `FATAL:  28P01: password ...` and a line LOCATION. */
static void connect_add_verbose(struct pgsql_session *p, const char *text,
                                char ret_state[6])
{
  for (const char *end; *text; text = end + (*end == '\n')) {
    const char *mark = strstr(text, ":  ");
    char line[PGSQL_TEXT];

    end = text + strcspn(text, "\n");
    if (strncmp(text, "LOCATION:", 9) == 0)
      continue;
    if (mark && mark < end && connect_is_state(mark + 3)) {
      memcpy(ret_state, mark + 3, 5);
      ret_state[5] = '\0';
      (void)snprintf(line, sizeof(line), "%.*s%.*s\n", (int)(mark + 3 - text),
                     text, (int)(end - (mark + 10)), mark + 10);
    } else {
      (void)snprintf(line, sizeof(line), "%.*s\n", (int)(end - text), text);
    }
    /* With sslmode=prefer, libpq is refused twice. */
    if (p->text.len > 0 && strstr(strbuf_str(&p->text), line))
      continue;
    connect_add_text(p, line);
  }
}

static bool connect_is_tls_refusal(const char *text)
{
  return (strstr(text, "SSL") || strstr(text, "certificate")) &&
         !strstr(text, "SYSCALL") && !strstr(text, "timeout expired");
}

static bool connect_is_other_server(const char *text)
{
  return strstr(text, "invalid response to SSL negotiation") ||
         strstr(text, "expected authentication request from server");
}

enum attempt {
  ATTEMPT_DONE,
  ATTEMPT_UNANSWERED, /* another address may be better */
  ATTEMPT_REFUSED,
};

/* An error that arrives unasked looks like a notice, too. */
static void connect_hear_notice(void *arg, const PGresult *notice)
{
  pgsql_note_last_words(arg, PQresultErrorField(notice, PG_DIAG_SQLSTATE),
                        PQresultErrorField(notice, PG_DIAG_MESSAGE_PRIMARY));
}

/* Nobody listens at a Unix socket. */
static bool connect_may_send_clear(const struct pgsql_session *p, PGconn *conn)
{
  const struct pgsql_cfg *cfg = p->base.cfg;
  const char *host = PQhost(conn);

  return cfg->cleartext || (host && pgsql_is_socket(host));
}

static enum attempt connect_attempt(struct pgsql_session *p,
                                    const struct words *w, uint64_t until_ns,
                                    struct outcome *out)
{
  PGconn *conn = PQconnectStartParams(w->key, w->value, 1);
  char text[PGSQL_TEXT];
  enum pgsql_login login;

  if (!conn) {
    connect_add_text(p, "not enough memory\n");
    return ATTEMPT_REFUSED;
  }
  (void)PQsetErrorVerbosity(conn, PQERRORS_VERBOSE);
  (void)PQsetNoticeReceiver(conn, connect_hear_notice, p);
  login = pgsql_library_log_in(&conn, connect_may_send_clear(p, conn), until_ns,
                               text, sizeof(text));
  if (login == PGSQL_LOGIN_DONE) {
    (void)PQsetNoticeReceiver(conn, connect_hear_notice, p);
    p->conn = conn;
    return ATTEMPT_DONE;
  }
  if (login == PGSQL_LOGIN_FAILED) {
    connect_add_verbose(p, PQerrorMessage(conn), out->state);
    if (connect_is_other_server(PQerrorMessage(conn))) {
      connect_add_text(p, "is this a PostgreSQL server?\n");
      out->permanent = true;
    }
    out->permanent |= pgsql_is_permanent(out->state) ||
                      PQconnectionNeedsPassword(conn) ||
                      (!out->state[0] &&
                       connect_is_tls_refusal(PQerrorMessage(conn)));
  } else {
    connect_add_text(p, text);
    out->permanent = login == PGSQL_LOGIN_REFUSED;
  }
  PQfinish(conn);
  return out->state[0] || out->permanent ? ATTEMPT_REFUSED : ATTEMPT_UNANSWERED;
}

static bool connect_try_addresses(struct pgsql_session *p,
                                  const struct pgsql_params *params,
                                  const struct wire_addresses *found,
                                  uint64_t until_ns, struct outcome *out)
{
  enum attempt result = ATTEMPT_UNANSWERED;
  struct words w;

  for (size_t i = 0; i < found->n && result == ATTEMPT_UNANSWERED; i++) {
    const uint64_t now = clock_now_ns();
    const uint64_t left = now < until_ns ? until_ns - now : 0;

    connect_fill(&w, params, found->text[i]);
    result = connect_attempt(p, &w, now + left / (found->n - i), out);
  }
  out->no_server = result == ATTEMPT_UNANSWERED &&
                   strstr(strbuf_str(&p->text), "accepting") != NULL;
  return result == ATTEMPT_DONE;
}

static bool connect_open_conn(struct pgsql_session *p, uint64_t until_ns,
                              struct outcome *out)
{
  struct wire_addresses found = { .n = 1 }; /* unspecified */
  struct pgsql_params params;
  struct err err;
  bool done = false;
  int rc = pgsql_params_make(&params, &p->base, &err);

  if (rc == 0)
    rc = pgsql_params_relay(&params, &p->base, until_ns, &err);
  if (rc == -EINVAL || rc == -EADDRNOTAVAIL)
    out->permanent = true;
  else if (rc == 0 && !params.by_libpq)
    rc = pgsql_resolve(params.host, until_ns, &found, &err);
  if (rc < 0)
    connect_add_text(p, err.text);
  else
    done = connect_try_addresses(p, &params, &found, until_ns, out);
  pgsql_params_done(&params);
  return done;
}

/* -1: the protocol that was asked for is not possible. */
static int connect_choose_protocol(struct pgsql_session *p, struct outcome *out)
{
  const struct pgsql_cfg *cfg = p->base.cfg;
  const char *why = pgsql_wire_why_not(p);

  p->plain_chosen = !why && cfg->protocol != PGSQL_LIBRARY;
  p->plain = p->plain_chosen;
  p->base.blocks = p->plain ? SESSION_BLOCKS_PREPARE : SESSION_BLOCKS_ALL;
  if (PQgssEncInUse(p->conn))
    pgsql_raw_never(&p->base);
  p->base.only_asked = PQsslInUse(p->conn) && cfg->protocol == PGSQL_AUTO &&
                       pgsql_tls_context(&p->base) != NULL;
  if (!why || cfg->protocol != PGSQL_WIRE)
    return 0;
  PQfinish(p->conn);
  p->conn = NULL;
  strbuf_clear(&p->text);
  strbuf_addf(&p->text, "'pgsql-protocol' cannot be 'wire' here: %s\n", why);
  memcpy(out->state, "08001", 6);
  out->msg = strbuf_str(&p->text);
  out->permanent = true;
  return -1;
}

static int connect_library_opened(struct pgsql_session *p, struct outcome *out)
{
  const char *version = PQparameterStatus(p->conn, "server_version");

  (void)PQsetErrorVerbosity(p->conn, PQERRORS_DEFAULT);
  p->link.fd = PQsocket(p->conn);
  atomic_store_explicit(&p->fd_to_cut, p->link.fd, memory_order_relaxed);
  p->can_cancel = false;
  (void)snprintf(p->version, sizeof(p->version), "%s", version ? version : "");
  if (connect_choose_protocol(p, out) < 0)
    return -1;
  p->settings_moved = false;
  pgsql_note_trx(p);
  pgsql_note_dialect(p);
  return 0;
}

static int connect_not_opened(struct pgsql_session *p, struct outcome *out)
{
  if (!out->state[0])
    memcpy(out->state, "08006", 6);
  out->msg = strbuf_str(&p->text);
  out->lost = false;
  return -1;
}

/* In the words of libpq 15 to 17, and of libpq 18, which would ask its user. */
static bool connect_wants_token(const struct session *s, const char *text)
{
  const struct pgsql_cfg *cfg = s->cfg;

  return cfg->protocol != PGSQL_LIBRARY &&
         (strstr(text, "SASL authentication mechanisms are supported") ||
          strstr(text, "server requires OAuth authentication"));
}

static int connect_opened(struct pgsql_session *p, struct outcome *out)
{
  p->broken = false;
  p->too_large = false;
  p->listens = false;
  p->last_state[0] = '\0';
  if (!p->raw && connect_library_opened(p, out) < 0)
    return -1;
  p->wire.may_block = wire_is_tcp(p->link.fd) ||
                      env_has_spare_cpus(p->base.env);
  return 0;
}

enum visit_rc pgsql_log_in(struct session *s, uint64_t until_ns,
                           struct outcome *out)
{
  struct pgsql_session *p = pgsql_of(s);
  const enum visit_rc rc = pgsql_raw_connect(s, until_ns, out);

  if (rc == VISIT_DONE)
    (void)connect_opened(p, out);
  else if (rc == VISIT_FAILED)
    (void)connect_not_opened(p, out);
  return rc;
}

int pgsql_connect(struct session *s, uint64_t until_ns, struct outcome *out)
{
  struct pgsql_session *p = pgsql_of(s);

  *out = (struct outcome){ 0 };
  strbuf_clear(&p->text);
  if (connect_open_conn(p, until_ns, out))
    return connect_opened(p, out);
  if (!connect_wants_token(s, strbuf_str(&p->text)))
    return connect_not_opened(p, out);
  pgsql_raw_always(s);
  return pgsql_log_in(s, until_ns, out) == VISIT_DONE ? 0 : -1;
}

void pgsql_disconnect(struct session *s)
{
  struct pgsql_session *p = pgsql_of(s);

  PQclear(p->rows);
  PQclear(p->ahead.result);
  PQclear(p->failed);
  PQclear(p->goodbye);
  p->rows = p->failed = p->goodbye = NULL;
  p->n_rows = p->row = p->n_fields = 0;
  p->ahead = (struct pgsql_reply){ 0 };
  /* The farewell is sent only if the socket takes it at once. */
  if (pgsql_is_raw(p)) {
    pgsql_wire_close(p);
    p->raw = false;
  } else {
    pgsql_wire_lend(p);
    loop_forget(p->link.fd);
    (void)PQsetnonblocking(p->conn, 1);
    PQfinish(p->conn);
    p->conn = NULL;
  }
  pgsql_wire_done(&p->wire);
  strbuf_done(&p->closing);
  strbuf_done(&p->copy);
  free(p->scratch);
  p->scratch = NULL;
  p->scratch_room = 0;
}

void pgsql_done(struct session *s)
{
  struct pgsql_session *p = pgsql_of(s);

  strbuf_done(&p->text);
  strbuf_done(&p->last_text);
  scram_keys_done(&p->keys);
}

void pgsql_shutdown(struct session *s)
{
  struct pgsql_session *p = pgsql_of(s);

  (void)shutdown(atomic_load_explicit(&p->fd_to_cut, memory_order_relaxed),
                 SHUT_RDWR);
}

static const char *connect_add_up_to_hint(struct strbuf *line, const char *text)
{
  const char *hint = strstr(text, "\n\t");
  char first;

  if (!hint || hint[2] == '\0')
    return NULL;
  first = (char)tolower((unsigned char)hint[2]);
  message_text(line, text, (size_t)(hint - text));
  strbuf_adds(line, "; ");
  strbuf_add(line, &first, 1);
  return hint + 3;
}

static void connect_add_login_hint(struct strbuf *lines, const char *text,
                                   const char *password)
{
  static const struct {
    const char *said, *hint;
    bool password; /* its source follows */
  } hints[] = {
    { "password authentication failed", "; see --pgsql-user and ", true },
    { "no password supplied", "; see --pgsql-user and ", true },
    { "bearer authentication failed", "; see --pgsql-user and ", true },
    { "Peer authentication failed",
      "; see --pgsql-user, or connect by TCP with --pgsql-host" },
    { "no pg_hba.conf entry",
      "; allow it in pg_hba.conf, or see --pgsql-user and --pgsql-sslmode" },
    { "root certificate file", "; see --pgsql-sslrootcert" },
    { "FATAL:  role \"", "; see --pgsql-user" },
    { "FATAL:  database \"", "; see --pgsql-db" },
  };

  for (size_t i = 0; i < ARRAY_SIZE(hints); i++) {
    if (!strstr(text, hints[i].said))
      continue;
    strbuf_adds(lines, hints[i].hint);
    if (hints[i].password)
      strbuf_adds(lines, password);
    return;
  }
}

void pgsql_connect_message(const struct session *s, const struct outcome *out,
                           struct strbuf *lines)
{
  const char *from = s->env->process->set.password_from;
  const struct pgsql_cfg *cfg = s->cfg;
  const char *text = out->msg ? out->msg : "";
  const char *rest;

  strbuf_adds(lines, "Connection to database failed: ");
  if (s->env->process->identity == IDENTITY_BENCH) {
    while ((rest = connect_add_up_to_hint(lines, text)) != NULL)
      text = rest;
  }
  message_text(lines, text, strlen(text));
  if (s->env->process->identity == IDENTITY_BENCH)
    connect_add_login_hint(lines, out->msg ? out->msg : "",
                           from ? from : "--pgsql-password");
  if (cfg->sslnegotiation == PGSQL_DIRECT && strstr(text, "SYSCALL"))
    strbuf_adds(lines, "; --pgsql-sslnegotiation=direct needs PostgreSQL 17 or "
                       "later");
}

void pgsql_connect_reason(const struct session *s, const struct outcome *out,
                          struct strbuf *line)
{
  const char *text = out->msg ? out->msg : "";

  (void)s;
  strbuf_add(line, text, strcspn(text, "\n"));
}
