/*
 * arrival.c - a session is opened without libpq.
 */
#include "drivers/pgsql/arrival.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include "base/compiler.h"
#include "base/parse.h"
#include "base/secret.h"
#include "db/env.h"

/* ---- what only the library can ---- */

/* These ask for more than is known here. */
static bool is_asked_for_more(void)
{
  static const char *const names[] = {
    "PGREQUIREAUTH",
    "PGCHANNELBINDING",
    "PGGSSENCMODE",
    "PGREQUIREPEER",
    "PGHOSTADDR",
    "PGOPTIONS",
    "PGCLIENTENCODING",
    "PGTARGETSESSIONATTRS",
    "PGAPPNAME",
    "PGDATESTYLE",
    "PGTZ",
    "PGGEQO",
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

/* NULL: an arrival is possible. */
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
static void add_text(struct pgsql_arrival *a, const char *why)
{
  const char *const host = a->params.host;
  struct strbuf *const to = &a->p->text;

  if (a->trip.step != VISIT_QUERY && pgsql_is_socket(host))
    strbuf_addf(
      to, "connection to server on socket \"%s/.s.PGSQL.%s\" failed: ", host,
      a->port);
  else if (a->trip.step != VISIT_QUERY)
    strbuf_addf(to,
                "connection to server at \"%s\", port %s failed: ", a->address,
                a->port);
  secret_redact(why, to); /* poolers may quote a connection string */
}

static enum visit_rc failed(struct pgsql_arrival *a, const char *why)
{
  struct outcome *out = a->out;

  add_text(a, why);
  if (!out->state[0])
    memcpy(out->state, "08006", 6);
  out->msg = strbuf_str(&a->p->text);
  out->lost = true;
  a->trip.v->failed = a->trip.step;
  return VISIT_FAILED;
}

/* The hints are those of the library. */
static enum visit_rc not_connected(struct pgsql_arrival *a, int code)
{
  const bool refused = code == -ECONNREFUSED || code == -ENOENT;
  const char *hint = "";
  char why[256], text[128];

  if (code == -ETIMEDOUT)
    return failed(a, "timeout expired\n");
  if (refused && pgsql_is_socket(a->params.host))
    hint = "\tIs the server running locally and accepting connections on that "
           "socket?\n";
  else if (refused)
    hint = "\tIs the server running on that host and accepting TCP/IP "
           "connections?\n";
  a->out->no_server = refused;
  a->out->no_files = code == -EMFILE || code == -ENFILE;
  (void)snprintf(why, sizeof(why), "%s\n%s",
                 err_text(-code, text, sizeof(text)), hint);
  return failed(a, why);
}

static enum visit_rc refused(struct pgsql_arrival *a);

/* An error that the server has sent before is the reason. */
static enum visit_rc broken(struct pgsql_arrival *a, int code)
{
  if (a->greet.refused)
    return refused(a);
  if (code == -EPIPE || code == -ECONNRESET)
    return failed(a, "server closed the connection unexpectedly\n"
                     "\tThis probably means the server terminated abnormally\n"
                     "\tbefore or while processing the request.\n");
  return not_connected(a, code);
}

/* The connection is still there, and the text is what the library gives: that
 * of the message alone. */
static enum visit_rc statement_refused(struct pgsql_arrival *a)
{
  const struct pgsql_greet *g = &a->greet;
  const char *text = strstr(g->text, ":  ");

  text = text ? text + 3 : g->text;
  strbuf_clear(&a->p->text);
  strbuf_add(&a->p->text, text, strcspn(text, "\n"));
  memcpy(a->out->state, g->state, sizeof(a->out->state));
  a->out->msg = strbuf_str(&a->p->text);
  a->out->lost = pgsql_is_goodbye(g->state, "ERROR");
  a->trip.v->failed = a->trip.step;
  return VISIT_FAILED;
}

static enum visit_rc refused(struct pgsql_arrival *a)
{
  struct pgsql_greet *g = &a->greet;

  memcpy(a->out->state, g->state, sizeof(a->out->state));
  a->out->permanent = pgsql_is_permanent(g->state) || g->not_this ||
                      (!g->refused && a->trip.step == VISIT_LOGIN);
  if (g->not_this)
    (void)snprintf(g->text + strlen(g->text), sizeof(g->text) - strlen(g->text),
                   "is this a PostgreSQL server?\n");
  return failed(a, g->text);
}

/* ---- steps ---- */

static enum visit_rc connect_to_folder(struct pgsql_arrival *a)
{
  char path[sizeof(((struct sockaddr_un *)NULL)->sun_path) + 1];
  int rc;

  (void)snprintf(path, sizeof(path), "%s/.s.PGSQL.%s", a->params.host, a->port);
  rc = trip_connect_path(&a->trip, path);
  if (rc == -ENAMETOOLONG)
    return trip_cannot(&a->trip, "the path of the socket is too long");
  return rc < 0 ? not_connected(a, rc) : VISIT_DONE;
}

static enum visit_rc connect_to_address(struct pgsql_arrival *a,
                                        const struct wire_addresses *found,
                                        size_t i)
{
  int64_t port;
  int rc;

  if (parse_int(a->port, &port) < 0 || port < 1 || port > UINT16_MAX)
    return trip_cannot(&a->trip, "the port is no number");
  memcpy(a->address, found->text[i], sizeof(a->address));
  rc = trip_connect_address(&a->trip, found, i, (unsigned)port);
  if (rc == -EINVAL)
    return trip_cannot(&a->trip, "the address has a zone");
  return rc < 0 ? not_connected(a, rc) : VISIT_DONE;
}

/* Tries one address after another. */
static enum visit_rc connect_to_host(struct pgsql_arrival *a)
{
  struct wire_addresses found = { 0 };
  enum visit_rc done = VISIT_FAILED;
  struct err err;

  a->trip.step = VISIT_RESOLVE;
  if (pgsql_resolve(a->params.host, a->trip.v->until_ns, &found, &err) < 0) {
    a->trip.v->failed = a->trip.step;
    a->out->no_server = true;
    memcpy(a->out->state, "08006", 6);
    strbuf_clear(&a->p->text);
    strbuf_adds(&a->p->text, err.text);
    a->out->msg = strbuf_str(&a->p->text);
    return VISIT_FAILED;
  }
  if (strcmp(found.text[0], a->params.host) != 0)
    trip_end_step(&a->trip);
  a->trip.step = VISIT_CONNECT;
  for (size_t i = 0; i < found.n && done == VISIT_FAILED; i++)
    done = connect_to_address(a, &found, i);
  return done;
}

static enum visit_rc open_socket(struct pgsql_arrival *a)
{
  enum visit_rc rc;

  a->trip.step = VISIT_CONNECT;
  rc = pgsql_is_socket(a->params.host) ? connect_to_folder(a)
                                       : connect_to_host(a);
  if (rc == VISIT_DONE)
    trip_end_step(&a->trip);
  return rc;
}

static enum greet_rc take(void *greet, struct wire_buffer *in,
                          struct wire_buffer *out)
{
  return pgsql_greet_take(greet, in, out);
}

/* What the talk of the client and the server has come to. */
static enum visit_rc end_of_talk(struct pgsql_arrival *a, int code,
                                 enum greet_rc rc)
{
  if (code < 0)
    return broken(a, code);
  if (rc == GREET_CANNOT)
    return trip_cannot(&a->trip, a->greet.text);
  if (rc == GREET_LATE)
    return broken(a, -ETIMEDOUT);
  if (rc == GREET_FAILED)
    return a->trip.step == VISIT_QUERY && a->greet.ready ? statement_refused(a)
                                                         : refused(a);
  trip_end_step(&a->trip);
  return VISIT_DONE;
}

enum visit_rc pgsql_arrival_talk(struct pgsql_arrival *a)
{
  enum greet_rc rc = GREET_FAILED;
  const int code = trip_talk(&a->trip, take, &a->greet, &rc);

  return end_of_talk(a, code, rc);
}

/* The answer is one byte, and nothing after it is read yet, unless it begins an
 * error. */
static enum visit_rc ask_for_tls(struct pgsql_arrival *a)
{
  struct trip *t = &a->trip;
  char why[96];
  uint8_t answer;
  int rc;

  t->step = VISIT_TLS;
  if (!wire_buffer_reserve(&t->out, sizeof(pgsql_greet_tls)))
    return broken(a, -ENOMEM);
  memcpy(t->out.bytes, pgsql_greet_tls, sizeof(pgsql_greet_tls));
  t->out.end = sizeof(pgsql_greet_tls);
  rc = trip_send(t);
  if (rc == 0)
    rc = trip_receive(t, 1);
  if (rc < 0)
    return broken(a, rc);
  answer = t->in.bytes[0];
  if (answer == 'E') /* not even a process for the session */
    return pgsql_arrival_talk(a);
  wire_buffer_clear(&t->in);
  trip_end_step(t);
  if (answer == 'N')
    return VISIT_DONE;
  if (answer == 'S')
    return trip_cannot(t, "the server wants TLS");
  a->out->permanent = true;
  (void)snprintf(why, sizeof(why),
                 "received invalid response to SSL negotiation: %c\n"
                 "is this a PostgreSQL server?\n",
                 answer >= ' ' && answer <= '~' ? answer : '?');
  return failed(a, why);
}

static enum visit_rc log_in(struct pgsql_arrival *a)
{
  a->trip.step = VISIT_LOGIN;
  if (!pgsql_greet_begin(&a->greet, &a->trip.out))
    return broken(a, -ENOMEM);
  return pgsql_arrival_talk(a);
}

enum visit_rc pgsql_arrival_no_memory(struct pgsql_arrival *a)
{
  return broken(a, -ENOMEM);
}

static enum visit_rc arrive(struct pgsql_arrival *a)
{
  enum visit_rc rc = open_socket(a);

  if (rc == VISIT_DONE) /* whatever other addresses have come to */
    *a->out = (struct outcome){ 0 };
  if (rc == VISIT_DONE && asks_for_tls(&a->params))
    rc = ask_for_tls(a);
  return rc == VISIT_DONE ? log_in(a) : rc;
}

enum visit_rc pgsql_arrive(struct pgsql_arrival *a, struct session *s,
                           struct visit *v, struct outcome *out)
{
  struct pgsql_session *p = pgsql_of(s);
  const struct pgsql_params *params = &a->params;
  const char *why;
  struct err err;

  *a = (struct pgsql_arrival){ .p = p, .out = out };
  trip_begin(&a->trip, v);
  if (pgsql_params_make(&a->params, s, &err) < 0)
    return trip_cannot(&a->trip, "there is a connection string");
  a->who = (struct pgsql_greet_who){
    .user = params->user,
    .password = params->password ? params->password : getenv("PGPASSWORD"),
    .db = params->db,
    .options = params->cfg->options,
  };
  a->port = params->port ? params->port : "5432";
  a->greet = (struct pgsql_greet){ .who = &a->who,
                                   .keys = &p->keys,
                                   .until_ns = v->until_ns };
  p->keys.shared = s->env ? &s->env->process->login_keys : NULL;
  strbuf_clear(&p->text);
  why = why_not(params);
  return why ? trip_cannot(&a->trip, why) : arrive(a);
}

void pgsql_arrival_done(struct pgsql_arrival *a)
{
  trip_done(&a->trip);
  pgsql_params_done(&a->params);
}
