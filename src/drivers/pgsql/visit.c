/*
 * visit.c - whole lives of connections without libpq: the socket, the login,
 * one statement, the farewell, each with its time.
 */
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include "base/compiler.h"
#include "base/parse.h"
#include "db/driver_visit.h"
#include "db/env.h"
#include "drivers/pgsql/greet.h"
#include "drivers/pgsql/session.h"
#include "drivers/wire/trip.h"

/* One life. */
struct life {
  struct trip trip;
  struct pgsql_session *p;
  struct outcome *out;
  const struct pgsql_params *params;
  const char *port;
  char address[WIRE_ADDRESS_MAX]; /* numeric; "": none yet, or a socket */
  struct pgsql_greet greet;
};

/* ---- what only the library can ---- */

/* These ask for more than is known here. */
static bool is_asked_for_more(void)
{
  static const char *const names[] = {
    "PGREQUIREAUTH",        "PGCHANNELBINDING", "PGGSSENCMODE",
    "PGREQUIREPEER",        "PGOPTIONS",        "PGCLIENTENCODING",
    "PGTARGETSESSIONATTRS", "PGAPPNAME",
  };

  for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
    const char *text = getenv(names[i]);

    if (text && *text)
      return true;
  }
  return false;
}

static bool asks_for_tls(const struct pgsql_params *p)
{
  return strcmp(pgsql_sslmodes[p->cfg->sslmode], "prefer") == 0 &&
         !pgsql_is_socket(p->host);
}

/* NULL: a life is possible. */
static const char *why_not(const struct pgsql_params *p)
{
  const char *mode = pgsql_sslmodes[p->cfg->sslmode];

  if (p->parsed || p->by_service)
    return "there is a connection string or a service";
  if (!p->host || !p->user || strchr(p->host, ','))
    return "the options name no server, no user, or several servers in one";
  if (strcmp(mode, "prefer") != 0 && strcmp(mode, "disable") != 0)
    return "--pgsql-sslmode asks for TLS";
  return is_asked_for_more() ? "the environment has wishes for libpq" : NULL;
}

/* ---- failures ---- */

/* Append what was tried, in the words of the library, and why it failed. */
static void add_text(struct life *l, const char *why)
{
  const char *const host = l->params->host;
  struct strbuf *const to = &l->p->text;

  if (l->trip.step == VISIT_QUERY)
    strbuf_adds(to, why);
  else if (pgsql_is_socket(host))
    strbuf_addf(to,
                "connection to server on socket \"%s/.s.PGSQL.%s\" failed: %s",
                host, l->port, why);
  else
    strbuf_addf(to, "connection to server at \"%s\", port %s failed: %s",
                l->address, l->port, why);
}

static enum visit_rc failed(struct life *l, const char *why)
{
  struct outcome *out = l->out;

  add_text(l, why);
  if (!out->state[0])
    memcpy(out->state, "08006", 6);
  out->msg = strbuf_str(&l->p->text);
  out->lost = true;
  l->trip.v->failed = l->trip.step;
  return VISIT_FAILED;
}

/* The hints are those of the library. */
static enum visit_rc not_connected(struct life *l, int code)
{
  const bool refused = code == -ECONNREFUSED || code == -ENOENT;
  const char *hint = "";
  char why[256], text[128];

  if (code == -ETIMEDOUT)
    return failed(l, "timeout expired\n");
  if (refused && pgsql_is_socket(l->params->host))
    hint = "\tIs the server running locally and accepting connections on that "
           "socket?\n";
  else if (refused)
    hint = "\tIs the server running on that host and accepting TCP/IP "
           "connections?\n";
  l->out->no_server = refused;
  l->out->no_files = code == -EMFILE || code == -ENFILE;
  (void)snprintf(why, sizeof(why), "%s\n%s",
                 err_text(-code, text, sizeof(text)), hint);
  return failed(l, why);
}

static enum visit_rc refused(struct life *l);

/* An error that the server has sent before is the reason. */
static enum visit_rc broken(struct life *l, int code)
{
  if (l->greet.refused)
    return refused(l);
  if (code == -EPIPE || code == -ECONNRESET)
    return failed(l, "server closed the connection unexpectedly\n"
                     "\tThis probably means the server terminated abnormally\n"
                     "\tbefore or while processing the request.\n");
  return not_connected(l, code);
}

/* The connection is still there, and the text is what the library gives: that
 * of the message alone. */
static enum visit_rc statement_refused(struct life *l)
{
  const struct pgsql_greet *g = &l->greet;
  const char *text = strstr(g->text, ":  ");

  text = text ? text + 3 : g->text;
  strbuf_clear(&l->p->text);
  strbuf_add(&l->p->text, text, strcspn(text, "\n"));
  memcpy(l->out->state, g->state, sizeof(l->out->state));
  l->out->msg = strbuf_str(&l->p->text);
  l->out->lost = pgsql_is_goodbye(g->state, "ERROR");
  l->trip.v->failed = l->trip.step;
  return VISIT_FAILED;
}

static enum visit_rc refused(struct life *l)
{
  struct pgsql_greet *g = &l->greet;

  memcpy(l->out->state, g->state, sizeof(l->out->state));
  l->out->permanent = pgsql_is_permanent(g->state) || g->not_this ||
                      (!g->refused && l->trip.step == VISIT_LOGIN);
  if (g->not_this)
    (void)snprintf(g->text + strlen(g->text), sizeof(g->text) - strlen(g->text),
                   "is this a PostgreSQL server?\n");
  return failed(l, g->text);
}

/* ---- steps ---- */

static enum visit_rc connect_to_folder(struct life *l)
{
  char path[sizeof(((struct sockaddr_un *)NULL)->sun_path) + 1];
  int rc;

  (void)snprintf(path, sizeof(path), "%s/.s.PGSQL.%s", l->params->host,
                 l->port);
  rc = trip_connect_path(&l->trip, path);
  if (rc == -ENAMETOOLONG)
    return trip_cannot(&l->trip, "the path of the socket is too long");
  return rc < 0 ? not_connected(l, rc) : VISIT_DONE;
}

static enum visit_rc
connect_to_address(struct life *l, const struct wire_addresses *found, size_t i)
{
  int64_t port;
  int rc;

  if (parse_int(l->port, &port) < 0 || port < 1 || port > UINT16_MAX)
    return trip_cannot(&l->trip, "the port is no number");
  memcpy(l->address, found->text[i], sizeof(l->address));
  rc = trip_connect_address(&l->trip, found, i, (unsigned)port);
  if (rc == -EINVAL)
    return trip_cannot(&l->trip, "the address has a zone");
  return rc < 0 ? not_connected(l, rc) : VISIT_DONE;
}

/* Tries one address after another. */
static enum visit_rc connect_to_host(struct life *l)
{
  struct wire_addresses found = { 0 };
  enum visit_rc done = VISIT_FAILED;
  struct err err;

  l->trip.step = VISIT_RESOLVE;
  if (pgsql_resolve(l->params->host, l->trip.v->until_ns, &found, &err) < 0) {
    l->trip.v->failed = l->trip.step;
    l->out->no_server = true;
    memcpy(l->out->state, "08006", 6);
    strbuf_clear(&l->p->text);
    strbuf_adds(&l->p->text, err.text);
    l->out->msg = strbuf_str(&l->p->text);
    return VISIT_FAILED;
  }
  if (strcmp(found.text[0], l->params->host) != 0)
    trip_end_step(&l->trip);
  l->trip.step = VISIT_CONNECT;
  for (size_t i = 0; i < found.n && done == VISIT_FAILED; i++)
    done = connect_to_address(l, &found, i);
  return done;
}

static enum visit_rc open_socket(struct life *l)
{
  enum visit_rc rc;

  l->trip.step = VISIT_CONNECT;
  rc = pgsql_is_socket(l->params->host) ? connect_to_folder(l)
                                        : connect_to_host(l);
  if (rc == VISIT_DONE)
    trip_end_step(&l->trip);
  return rc;
}

static enum greet_rc take(void *greet, struct wire_buffer *in,
                          struct wire_buffer *out)
{
  return pgsql_greet_take(greet, in, out);
}

/* What the talk of the client and the server has come to. */
static enum visit_rc end_of_talk(struct life *l, int code, enum greet_rc rc)
{
  if (code < 0)
    return broken(l, code);
  if (rc == GREET_CANNOT)
    return trip_cannot(&l->trip, l->greet.text);
  if (rc == GREET_LATE)
    return broken(l, -ETIMEDOUT);
  if (rc == GREET_FAILED)
    return l->trip.step == VISIT_QUERY && l->greet.ready ? statement_refused(l)
                                                         : refused(l);
  trip_end_step(&l->trip);
  return VISIT_DONE;
}

/* Sends what is to be sent, and reads until the server is ready. */
static enum visit_rc talk(struct life *l)
{
  enum greet_rc rc = GREET_FAILED;
  const int code = trip_talk(&l->trip, take, &l->greet, &rc);

  return end_of_talk(l, code, rc);
}

/* The answer is one byte, and nothing after it is read yet, unless it begins an
 * error. */
static enum visit_rc ask_for_tls(struct life *l)
{
  struct trip *t = &l->trip;
  char why[96];
  uint8_t answer;
  int rc;

  t->step = VISIT_TLS;
  if (!wire_buffer_reserve(&t->out, sizeof(pgsql_greet_tls)))
    return broken(l, -ENOMEM);
  memcpy(t->out.bytes, pgsql_greet_tls, sizeof(pgsql_greet_tls));
  t->out.end = sizeof(pgsql_greet_tls);
  rc = trip_send(t);
  if (rc == 0)
    rc = trip_receive(t, 1);
  if (rc < 0)
    return broken(l, rc);
  answer = t->in.bytes[0];
  if (answer == 'E') /* not even a process for the session */
    return talk(l);
  wire_buffer_clear(&t->in);
  trip_end_step(t);
  if (answer == 'N')
    return VISIT_DONE;
  if (answer == 'S')
    return trip_cannot(t, "the server wants TLS");
  l->out->permanent = true;
  (void)snprintf(why, sizeof(why),
                 "received invalid response to SSL negotiation: %c\n"
                 "is this a PostgreSQL server?\n",
                 answer >= ' ' && answer <= '~' ? answer : '?');
  return failed(l, why);
}

static enum visit_rc log_in(struct life *l)
{
  l->trip.step = VISIT_LOGIN;
  if (!pgsql_greet_begin(&l->greet, &l->trip.out))
    return broken(l, -ENOMEM);
  return talk(l);
}

static enum visit_rc ask(struct life *l)
{
  const struct pgsql_greet *g = &l->greet;
  enum visit_rc rc;

  l->trip.step = VISIT_QUERY;
  if (!pgsql_greet_ask(&l->greet, l->trip.v->sql, l->trip.v->len, &l->trip.out))
    return broken(l, -ENOMEM);
  rc = talk(l);
  if (rc != VISIT_DONE)
    return rc;
  l->out->counter = g->with_rows ? COUNTER_READ : COUNTER_OTHER;
  l->out->nfields = g->columns;
  l->out->nrows = g->rows;
  return rc;
}

/* As the library does it: the farewell is not awaited. */
static void say_goodbye(struct life *l)
{
  l->trip.step = VISIT_CLOSE;
  (void)pgsql_greet_end(&l->trip.out);
  trip_part(&l->trip);
  trip_end_step(&l->trip);
}

static enum visit_rc live(struct life *l)
{
  enum visit_rc rc = open_socket(l);

  if (rc == VISIT_DONE && asks_for_tls(l->params))
    rc = ask_for_tls(l);
  if (rc == VISIT_DONE)
    rc = log_in(l);
  if (rc == VISIT_DONE)
    rc = ask(l);
  if (rc == VISIT_DONE)
    say_goodbye(l);
  return rc;
}

enum visit_rc pgsql_visit(struct session *s, struct visit *v,
                          struct outcome *out)
{
  struct pgsql_session *p = pgsql_of(s);
  struct pgsql_params params;
  struct life l = {
    .p = p,
    .out = out,
    .params = &params,
  };
  struct pgsql_greet_who who;
  struct err err;
  enum visit_rc rc;
  const char *why;

  trip_begin(&l.trip, v);
  if (pgsql_params_make(&params, s, &err) < 0) {
    pgsql_params_done(&params);
    return trip_cannot(&l.trip, "there is a connection string");
  }
  why = why_not(&params);
  who = (struct pgsql_greet_who){
    .user = params.user,
    .password = params.password ? params.password : getenv("PGPASSWORD"),
    .db = params.db,
    .options = params.cfg->options,
  };
  l.port = params.port ? params.port : "5432";
  l.greet = (struct pgsql_greet){ .who = &who,
                                  .keys = &p->keys,
                                  .until_ns = v->until_ns };
  p->keys.shared = s->env ? &s->env->process->login_keys : NULL;
  strbuf_clear(&p->text);
  rc = why ? trip_cannot(&l.trip, why) : live(&l);
  trip_done(&l.trip);
  pgsql_params_done(&params);
  return rc;
}
