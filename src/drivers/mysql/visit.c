/*
 * visit.c - whole lives of connections without the client library: the socket,
 * the login, one statement, the farewell, each with its time.
 */
#include "drivers/mysql/visit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "db/emul.h"
#include "drivers/mysql/connect.h"
#include "drivers/mysql/error.h"
#include "drivers/mysql/greet.h"
#include "drivers/wire/trip.h"

/* One life. */
struct life {
  struct trip trip;
  struct mysql_session *s;
  struct outcome *out;
  const char *path; /* of the socket; NULL: a host */
  struct mysql_greet greet;
};

/* ---- what only the library can ---- */

/* To the library, this host is a socket. */
static bool is_here(const struct address *to)
{
  return !to->host || !*to->host || strcmp(to->host, "localhost") == 0;
}

/* NULL: a host. */
static const char *socket_path(const struct address *to)
{
  if (to->socket && *to->socket)
    return to->socket;
  return is_here(to) ? mysqld_shim_socket() : NULL;
}

/* NULL: a life is possible. */
static const char *why_not(const struct mysql_cfg *cfg, const struct life *l)
{
  if (cfg->dry_run)
    return "--mysql-dry-run connects to no server";
  if (mysqld_tls_settings(cfg).mode != TLS_DISABLED)
    return "--mysql-ssl asks for TLS";
  if (cfg->compression)
    return "--mysql-compression is on";
  if (cfg->protocol == PROTOCOL_LIBRARY)
    return "--mysql-protocol asks for it";
  return !l->path && is_here(&l->s->to)
           ? "only the library knows the socket of localhost"
           : NULL;
}

/* As the libraries do it: no password is the one of the environment. */
static const char *password_of(const struct address *to)
{
  return to->password && *to->password ? to->password : getenv("MYSQL_PWD");
}

/* ---- failures ---- */

/* The session never became usable; else see statement_failed(). */
static enum visit_rc failed(struct life *l, int code, const char *state,
                            const char *text)
{
  (void)mysqld_error_connect(l->s, l->out, code, state && *state ? state : NULL,
                             text);
  l->out->lost = true;
  l->trip.v->failed = l->trip.step;
  return VISIT_FAILED;
}

/* In the words of the library. */
static enum visit_rc no_server(struct life *l, int code)
{
  const struct address *to = &l->s->to;
  char text[256];

  l->out->no_files = code == -EMFILE || code == -ENFILE;
  if (l->path)
    (void)snprintf(text, sizeof(text),
                   "Can't connect to local server through socket '%.64s' (%d)",
                   l->path, -code);
  else
    (void)snprintf(text, sizeof(text),
                   "Can't connect to server on '%.64s' (%d)", to->host, -code);
  return failed(l, l->path ? CODE_NO_SOCKET : mysqld_shim_code_refused(), NULL,
                text);
}

static enum visit_rc statement_failed(struct life *l)
{
  const struct mysql_greet *g = &l->greet;

  (void)mysqld_error_set(l->s, l->out, g->code, g->state[0] ? g->state : NULL,
                         g->text, strlen(g->text));
  l->trip.v->failed = l->trip.step;
  return VISIT_FAILED;
}

/* The connection has broken. */
static enum visit_rc broken(struct life *l, int code)
{
  static const char asks[] = "; is this a MySQL server?";
  const bool silent = l->greet.stage == GREET_HELLO;
  char text[256];

  if (code == -ENOMEM)
    return failed(l, CODE_NO_MEMORY, NULL, "Client run out of memory");
  if (l->trip.step == VISIT_QUERY)
    return failed(l, CODE_LOST, NULL, mysqld_shim_text_lost());
  (void)snprintf(text, sizeof(text),
                 "Lost connection to server at '%s', system error: %d%s",
                 silent ? "handshake: reading initial communication packet"
                        : "reading authorization packet",
                 code == -EPIPE ? 0 : -code, silent ? asks : "");
  return failed(l, CODE_LOST, NULL, text);
}

static enum visit_rc refused(struct life *l)
{
  struct mysql_greet *g = &l->greet;
  const size_t len = strlen(g->text);

  if (g->not_this)
    (void)snprintf(g->text + len, sizeof(g->text) - len,
                   "; is this a MySQL server?");
  return failed(l, g->code, g->state, g->text);
}

/* ---- steps ---- */

/* Tries one address after another. */
static enum visit_rc connect_to_host(struct life *l)
{
  const struct address *to = &l->s->to;
  struct wire_addresses found = { 0 };
  struct err err;
  char text[256];
  int rc = -EINVAL;

  l->trip.step = VISIT_RESOLVE;
  if (wire_resolve(to->host, l->trip.v->until_ns, &found, &err) < 0) {
    (void)snprintf(text, sizeof(text), "Unknown server host '%.100s' (%.100s)",
                   to->host, err.text);
    return failed(l, CODE_UNKNOWN_HOST, NULL, text);
  }
  if (strcmp(found.text[0], to->host) != 0)
    trip_end_step(&l->trip);
  l->trip.step = VISIT_CONNECT;
  for (size_t i = 0; i < found.n && rc < 0; i++)
    rc = trip_connect_address(&l->trip, &found, i, to->port);
  if (rc == -EINVAL)
    return trip_cannot(&l->trip, "the address has a zone");
  return rc < 0 ? no_server(l, rc) : VISIT_DONE;
}

static enum visit_rc open_socket(struct life *l)
{
  enum visit_rc rc = VISIT_DONE;
  int code;

  l->trip.step = VISIT_CONNECT;
  if (l->path) {
    code = trip_connect_path(&l->trip, l->path);
    if (code == -ENAMETOOLONG)
      return trip_cannot(&l->trip, "the path of the socket is too long");
    if (code < 0)
      return no_server(l, code);
  } else {
    rc = connect_to_host(l);
  }
  if (rc == VISIT_DONE)
    trip_end_step(&l->trip);
  return rc;
}

static enum greet_rc take(void *greet, struct wire_buffer *in,
                          struct wire_buffer *out)
{
  return mysqld_greet_take(greet, in, out);
}

/* Sends what is to be sent, and reads until the server is ready. */
static enum visit_rc talk(struct life *l)
{
  enum greet_rc rc = GREET_FAILED;
  const int code = trip_talk(&l->trip, take, &l->greet, &rc);

  if (code < 0)
    return broken(l, code);
  if (rc == GREET_CANNOT)
    return trip_cannot(&l->trip, l->greet.text);
  if (rc == GREET_FAILED)
    return l->trip.step == VISIT_QUERY ? statement_failed(l) : refused(l);
  trip_end_step(&l->trip);
  return VISIT_DONE;
}

static enum visit_rc log_in(struct life *l)
{
  l->trip.step = VISIT_LOGIN;
  return talk(l);
}

static enum visit_rc ask(struct life *l)
{
  const struct mysql_greet *g = &l->greet;
  const struct visit *v = l->trip.v;
  enum visit_rc rc;

  l->trip.step = VISIT_QUERY;
  if (v->len >= GREET_TOTAL_MAX)
    return trip_cannot(&l->trip, "the statement is too long");
  if (!mysqld_greet_ask(&l->greet, v->sql, v->len, &l->trip.out))
    return broken(l, -ENOMEM);
  rc = talk(l);
  if (rc == VISIT_DONE)
    mysqld_error_none(l->s, l->out, 0, g->columns,
                      g->with_rows ? g->rows : g->affected);
  return rc;
}

/* The server closes its end without an answer, which is not awaited. */
static void part(struct life *l)
{
  (void)mysqld_greet_end(&l->trip.out);
  trip_part(&l->trip);
}

static void say_goodbye(struct life *l)
{
  l->trip.step = VISIT_CLOSE;
  part(l);
  trip_end_step(&l->trip);
}

static enum visit_rc live(struct life *l)
{
  enum visit_rc rc = open_socket(l);

  if (rc == VISIT_DONE)
    rc = log_in(l);
  if (rc == VISIT_DONE)
    rc = ask(l);
  if (rc == VISIT_DONE)
    say_goodbye(l);
  else if (l->greet.ready) /* or it counts as a client that was aborted */
    part(l);
  return rc;
}

enum visit_rc mysqld_visit(struct session *base, struct visit *v,
                           struct outcome *out)
{
  struct mysql_session *s = session_of(base);
  struct life l = { .s = s, .out = out };
  struct mysql_greet_who who;
  const char *why;
  enum visit_rc rc;

  s->base.dialect = EMUL_MYSQL;
  s->base.trx = TRX_NONE;
  s->lost = false;
  s->to = mysqld_connect_address(base);
  l.path = socket_path(&s->to);
  who = (struct mysql_greet_who){
    .user = s->to.user,
    .password = password_of(&s->to),
    .db = s->to.db,
    .alone = l.path != NULL,
  };
  l.greet.who = &who;
  trip_begin(&l.trip, v);
  why = why_not(cfg_of(s), &l);
  rc = why ? trip_cannot(&l.trip, why) : live(&l);
  trip_done(&l.trip);
  return rc;
}
