/*
 * visit.c - whole lives of connections without libpq: the socket, the login,
 * one statement, the farewell, each with its time.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/parse.h"
#include "db/driver_visit.h"
#include "db/env.h"
#include "drivers/pgsql/greet.h"
#include "drivers/pgsql/session.h"
#include "drivers/wire/dial.h"

/* One life. */
struct life {
  struct pgsql_session *p;
  struct visit *v;
  struct outcome *out;
  const struct pgsql_params *params;
  const char *port;
  char address[PGSQL_ADDRESS_MAX]; /* numeric; "": none yet, or a socket */
  int fd;                          /* -1: there is none */
  uint64_t at_ns;                  /* when the present step began */
  enum visit_step step;
  struct wire_buffer in, send;
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

static enum visit_rc cannot(const struct life *l, const char *why)
{
  (void)snprintf(l->v->why_not, sizeof(l->v->why_not), "%.127s", why);
  return VISIT_CANNOT;
}

/* ---- failures ---- */

/* Append what was tried, in the words of the library, and why it failed. */
static void add_text(struct life *l, const char *why)
{
  const char *const host = l->params->host;
  const size_t len = strlen(l->p->text);
  const size_t room = sizeof(l->p->text) - len;
  char *const to = l->p->text + len;

  if (l->step == VISIT_QUERY)
    (void)snprintf(to, room, "%s", why);
  else if (pgsql_is_socket(host))
    (void)snprintf(
      to, room, "connection to server on socket \"%s/.s.PGSQL.%s\" failed: %s",
      host, l->port, why);
  else
    (void)snprintf(to, room,
                   "connection to server at \"%s\", port %s failed: %s",
                   l->address, l->port, why);
}

static enum visit_rc failed(struct life *l, const char *why)
{
  struct outcome *out = l->out;

  add_text(l, why);
  if (!out->state[0])
    memcpy(out->state, "08006", 6);
  out->msg = l->p->text;
  out->lost = true;
  l->v->failed = l->step;
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

static bool is_permanent(const char *state)
{
  return strncmp(state, "28", 2) == 0 || strcmp(state, "3D000") == 0;
}

/* The connection is still there, and the text is what the library gives: that
 * of the message alone. */
static enum visit_rc statement_refused(struct life *l)
{
  const struct pgsql_greet *g = &l->greet;
  const char *text = strstr(g->text, ":  ");

  text = text ? text + 3 : g->text;
  (void)snprintf(l->p->text, sizeof(l->p->text), "%.*s",
                 (int)strcspn(text, "\n"), text);
  memcpy(l->out->state, g->state, sizeof(l->out->state));
  l->out->msg = l->p->text;
  l->out->lost = pgsql_is_goodbye(g->state, "ERROR");
  l->v->failed = l->step;
  return VISIT_FAILED;
}

static enum visit_rc refused(struct life *l)
{
  struct pgsql_greet *g = &l->greet;

  memcpy(l->out->state, g->state, sizeof(l->out->state));
  l->out->permanent = is_permanent(g->state) || g->not_this ||
                      (!g->refused && l->step == VISIT_LOGIN);
  if (g->not_this)
    (void)snprintf(g->text + strlen(g->text), sizeof(g->text) - strlen(g->text),
                   "is this a PostgreSQL server?\n");
  return failed(l, g->text);
}

/* ---- steps ---- */

static void end_step(struct life *l)
{
  const uint64_t now = clock_now_ns();

  l->v->took_ns[l->step] = now > l->at_ns ? now - l->at_ns : 1;
  l->at_ns = now;
}

static enum visit_rc connect_to_folder(struct life *l)
{
  struct sockaddr_un to = { .sun_family = AF_UNIX };
  const int n = snprintf(to.sun_path, sizeof(to.sun_path), "%s/.s.PGSQL.%s",
                         l->params->host, l->port);
  socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n);
  int rc;

  if (n < 0 || (size_t)n >= sizeof(to.sun_path))
    return cannot(l, "the path of the socket is too long");
  if (to.sun_path[0] == '@')
    to.sun_path[0] = '\0'; /* an abstract one: its length ends it */
  else
    len++;
  rc = dial_open(&l->fd, (const struct sockaddr *)(const void *)&to, len,
                 l->v->until_ns);
  return rc < 0 ? not_connected(l, rc) : VISIT_DONE;
}

static enum visit_rc connect_to_address(struct life *l, uint64_t until_ns)
{
  struct sockaddr_in6 six = { .sin6_family = AF_INET6 };
  struct sockaddr_in four = { .sin_family = AF_INET };
  const struct sockaddr *to = (const struct sockaddr *)(const void *)&four;
  socklen_t len = sizeof(four);
  int64_t port;
  int rc;

  if (parse_int(l->port, &port) < 0 || port < 1 || port > UINT16_MAX)
    return cannot(l, "the port is no number");
  four.sin_port = six.sin6_port = htons((uint16_t)port);
  if (inet_pton(AF_INET, l->address, &four.sin_addr) != 1) {
    if (inet_pton(AF_INET6, l->address, &six.sin6_addr) != 1)
      return cannot(l, "the address has a zone");
    to = (const struct sockaddr *)(const void *)&six;
    len = sizeof(six);
  }
  rc = dial_open(&l->fd, to, len, until_ns);
  return rc < 0 ? not_connected(l, rc) : VISIT_DONE;
}

/* Tries one address after another, each with its share of the time. */
static enum visit_rc connect_to_host(struct life *l)
{
  struct pgsql_addresses found = { 0 };
  enum visit_rc done = VISIT_FAILED;
  struct err err;

  l->step = VISIT_RESOLVE;
  if (pgsql_resolve(l->params->host, l->v->until_ns, &found, &err) < 0) {
    l->v->failed = l->step;
    l->out->no_server = true;
    memcpy(l->out->state, "08006", 6);
    (void)snprintf(l->p->text, sizeof(l->p->text), "%.900s", err.text);
    l->out->msg = l->p->text;
    return VISIT_FAILED;
  }
  if (strcmp(found.text[0], l->params->host) != 0)
    end_step(l);
  l->step = VISIT_CONNECT;
  for (size_t i = 0; i < found.n && done == VISIT_FAILED; i++) {
    const uint64_t now = clock_now_ns(), until = l->v->until_ns;

    memcpy(l->address, found.text[i], sizeof(l->address));
    done = connect_to_address(l, now + (until > now ? until - now : 0) /
                                         (found.n - i));
  }
  return done;
}

static enum visit_rc open_socket(struct life *l)
{
  enum visit_rc rc;

  l->step = VISIT_CONNECT;
  rc = pgsql_is_socket(l->params->host) ? connect_to_folder(l)
                                        : connect_to_host(l);
  if (rc == VISIT_DONE)
    end_step(l);
  return rc;
}

/* The answer is one byte, and nothing after it is read yet. */
static enum visit_rc ask_for_tls(struct life *l)
{
  char why[96];
  uint8_t answer;
  int rc;

  l->step = VISIT_TLS;
  rc = dial_send(l->fd, pgsql_greet_tls, sizeof(pgsql_greet_tls),
                 l->v->until_ns);
  if (rc == 0)
    rc = dial_receive(l->fd, &l->in, 1, l->v->until_ns);
  if (rc < 0)
    return broken(l, rc);
  answer = l->in.bytes[0];
  wire_buffer_clear(&l->in);
  end_step(l);
  if (answer == 'N')
    return VISIT_DONE;
  if (answer == 'S')
    return cannot(l, "the server wants TLS");
  l->out->permanent = true;
  (void)snprintf(why, sizeof(why),
                 "received invalid response to SSL negotiation: %c\n"
                 "is this a PostgreSQL server?\n",
                 answer >= ' ' && answer <= '~' ? answer : '?');
  return failed(l, why);
}

/* Sends what is to be sent, and reads until the server is ready. */
static enum visit_rc talk(struct life *l)
{
  enum pgsql_greet_rc rc = GREET_MORE;
  int code = 0;

  while (rc == GREET_MORE) {
    if (l->send.end > 0)
      code = dial_send(l->fd, l->send.bytes, l->send.end, l->v->until_ns);
    wire_buffer_clear(&l->send);
    if (code == 0) {
      if (l->in.pos > 0) {
        wire_buffer_cut(&l->in, 0, l->in.pos);
        l->in.pos = 0;
      }
      code = dial_receive(l->fd, &l->in, GREET_MESSAGE_MAX, l->v->until_ns);
    }
    if (code < 0)
      return broken(l, code);
    rc = pgsql_greet_take(&l->greet, &l->in, &l->send);
  }
  if (rc == GREET_CANNOT)
    return cannot(l, l->greet.text);
  if (rc == GREET_LATE)
    return broken(l, -ETIMEDOUT);
  if (rc == GREET_FAILED)
    return l->step == VISIT_QUERY && l->greet.ready ? statement_refused(l)
                                                    : refused(l);
  return VISIT_DONE;
}

static enum visit_rc log_in(struct life *l)
{
  enum visit_rc rc;

  l->step = VISIT_LOGIN;
  if (!pgsql_greet_begin(&l->greet, &l->send))
    return broken(l, -ENOMEM);
  rc = talk(l);
  if (rc == VISIT_DONE)
    end_step(l);
  return rc;
}

static enum visit_rc ask(struct life *l)
{
  const struct pgsql_greet *g = &l->greet;
  enum visit_rc rc;

  l->step = VISIT_QUERY;
  if (!pgsql_greet_ask(&l->greet, l->v->sql, l->v->len, &l->send))
    return broken(l, -ENOMEM);
  rc = talk(l);
  if (rc != VISIT_DONE)
    return rc;
  end_step(l);
  l->out->counter = g->with_rows ? COUNTER_READ : COUNTER_OTHER;
  l->out->nfields = g->columns;
  l->out->nrows = g->rows;
  return rc;
}

/* As the library does it: the farewell is not awaited. */
static void say_goodbye(struct life *l)
{
  l->step = VISIT_CLOSE;
  if (pgsql_greet_end(&l->send))
    (void)send(l->fd, l->send.bytes, l->send.end, MSG_NOSIGNAL | MSG_DONTWAIT);
  (void)close(l->fd);
  l->fd = -1;
  end_step(l);
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
    .v = v,
    .out = out,
    .params = &params,
    .fd = -1,
  };
  struct pgsql_greet_who who;
  struct err err;
  enum visit_rc rc;
  const char *why;

  if (pgsql_params_make(&params, s, &err) < 0) {
    pgsql_params_done(&params);
    return cannot(&l, "there is a connection string");
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
  p->text[0] = '\0';
  l.at_ns = clock_now_ns();
  rc = why ? cannot(&l, why) : live(&l);
  if (l.fd >= 0)
    (void)close(l.fd);
  wire_buffer_done(&l.in);
  wire_buffer_done(&l.send);
  pgsql_params_done(&params);
  return rc;
}
