/*
 * pgsql_logins.c - sessions of PostgreSQL that are opened without libpq: they
 * are as libpq would have made them, and fail as libpq fails.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

#include "db/emul.h"
#include "db/password.h"
#include "db/process.h"
#include "drivers/pgsql/session.h"
#include "tests/db/pgsql_fixture.h"
#include "tests/unit/tap.h"

/* For clients that share a thread, when all has been asked. */
static void start(struct fixture *f)
{
  fixture_init(f);
  f->env.shares_thread = true;
  f->one_of_many = true;
}

/* ---- what the server tells ---- */

static void told(void)
{
  struct fixture f;
  struct pgsql_session *p;
  struct conn *c;

  start(&f);
  f.cfg.options = "-c standard_conforming_strings=off "
                  "-c client_encoding=latin1";
  fixture_open(&f);
  c = fixture_conn(&f);
  p = pgsql_of(c->session);
  OK(p->raw, "a session without the library");
  OK(p->base.dialect & EMUL_BACKSLASH, "backslashes escape");
  OK(p->encoding == pg_char_to_encoding("LATIN1"), "the encoding");
  OK(p->can_cancel, "how to cancel");
  OK_STR(fixture_ask(c, "SELECT 'a\\\\b'"), "a\\b", "as the server has it");
  fixture_done(&f);
}

/* With all modes in which libpq encrypts, and in those only. */
static void encrypted(void)
{
  static const char *const expected[] = { "f", "f", "t", "t", "t", "t" };

  for (int mode = 0; pgsql_sslmodes[mode]; mode++) {
    struct fixture f;
    struct conn *c;

    start(&f);
    f.host[0] = "localhost";
    f.cfg.sslmode = mode;
    f.cfg.sslrootcert = fixture_env("PG_CA", "");
    f.cfg.user = "sbpass";
    f.cfg.password = "secret";
    fixture_open(&f);
    c = fixture_conn(&f);
    OK(pgsql_of(c->session)->raw, pgsql_sslmodes[mode]);
    OK_STR(fixture_ask(
             c, "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"),
           expected[mode], "encrypted or not");
    fixture_done(&f);
  }
}

/* ---- failures ---- */

/* A connection whose session is not open, and is not to be encrypted. */
static struct conn *start_closed(struct fixture *f)
{
  struct conn *c;

  start(f);
  f->cfg.sslmode = 0; /* disable */
  fixture_open(f);
  c = fixture_conn(f);
  c->driver->disconnect(c->session);
  return c;
}

/* Opens the session again, by one way or the other. */
static int again(struct conn *c, bool may_be_raw, struct outcome *out)
{
  *out = (struct outcome){ 0 };
  c->session->may_be_raw = may_be_raw;
  return password_connect(&c->env->process->password, c->session,
                          &c->env->process->limiter, false,
                          clock_now_ns() + 10 * NS_PER_S, out);
}

/* The library and the driver fail alike. */
static void alike(struct fixture *f, struct conn *c, const char *what)
{
  struct outcome own, library;
  char text[4096];
  int rc = again(c, true, &own);

  (void)snprintf(text, sizeof(text), "%s", own.msg ? own.msg : "");
  OK(rc < 0 && again(c, false, &library) < 0, what);
  OK_STR(text, library.msg, "the same text");
  OK_STR(own.state, library.state, "the same state");
  OK(own.permanent == library.permanent && own.no_server == library.no_server &&
       own.lost == library.lost,
     "the same consequences");
  OK(!atomic_load(&f->process.own_login), "it is tried again");
}

static void refusals(void)
{
  struct fixture f;
  struct conn *c = start_closed(&f);

  f.cfg.db = "no_such_database";
  alike(&f, c, "a database that does not exist");
  f.cfg.db = fixture_env("PG_DB", "sbtest");
  f.cfg.user = "nobody_of_this_name";
  alike(&f, c, "a user who does not exist");
  f.host[0] = "127.0.0.1";
  f.cfg.user = "sbpass";
  f.cfg.password = "wrong";
  alike(&f, c, "a wrong password");
  f.port[0] = "1";
  alike(&f, c, "no server");
  f.host[0] = "/nowhere";
  alike(&f, c, "no socket");
  f.host[0] = fixture_env("PG_SOCKET_DIR", "localhost");
  f.port[0] = fixture_env("PG_PORT", "5432");
  f.cfg.user = fixture_env("PG_USER", "sbtest");
  OK(conn_reconnect(c) == DB_ERROR_NONE, "and then it goes on");
  OK(pgsql_of(c->session)->raw, "as light as before");
  fixture_done(&f);
}

/* ---- servers that are none ---- */

/* It answers the first message of each connection so, and hangs up. */
struct other_server {
  int fd;
  char port[8];
  pthread_t thread;
  const void *bytes;
  size_t n;
};

static void *serve(void *arg)
{
  const struct other_server *o = arg;
  int fd;

  while ((fd = accept(o->fd, NULL, NULL)) >= 0) {
    char first[1024];

    (void)!recv(fd, first, sizeof(first), 0);
    (void)!send(fd, o->bytes, o->n, MSG_NOSIGNAL);
    (void)close(fd);
  }
  return NULL;
}

static void server_open(struct other_server *o, const void *bytes, size_t n)
{
  struct sockaddr_in at = { .sin_family = AF_INET };
  socklen_t len = sizeof(at);

  *o = (struct other_server){ .bytes = bytes, .n = n };
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  o->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (o->fd < 0 || bind(o->fd, (struct sockaddr *)&at, len) < 0 ||
      listen(o->fd, 8) < 0 ||
      getsockname(o->fd, (struct sockaddr *)&at, &len) < 0 ||
      pthread_create(&o->thread, NULL, serve, o) != 0) {
    printf("Bail out! no server of its own\n");
    exit(1);
  }
  (void)snprintf(o->port, sizeof(o->port), "%u", ntohs(at.sin_port));
}

static void server_close(struct other_server *o)
{
  (void)shutdown(o->fd, SHUT_RDWR); /* ends accept() */
  (void)pthread_join(o->thread, NULL);
  (void)close(o->fd);
}

static void others(void)
{
  static const char secret[] =
    "E\0\0\0\x51"
    "SFATAL\0VFATAL\0C28000\0Mno way to postgresql://me:hidden@db/x "
    "password=hidden\0\0";
  static const char stray[] = "R\0\0\0\x08\0\0\0\0"
                              "T\0\0\0\x06\0\0";
  static const char mysql[] = "J\0\0\0\n8.0.36\0";
  static const struct {
    const char *what, *bytes;
    size_t n;
  } kind[] = {
    { "it hangs up", "", 0 },
    { "it says something else", stray, sizeof(stray) - 1 },
    { "it speaks another protocol", mysql, sizeof(mysql) - 1 },
    { "its text has a password", secret, sizeof(secret) - 1 },
  };
  struct fixture f;
  struct conn *c = start_closed(&f);

  f.host[0] = "127.0.0.1";
  for (size_t i = 0; i < sizeof(kind) / sizeof(kind[0]); i++) {
    struct other_server o;

    server_open(&o, kind[i].bytes, kind[i].n);
    f.port[0] = o.port;
    alike(&f, c, kind[i].what);
    OK(!strstr(strbuf_str(&pgsql_of(c->session)->text), "hidden"),
       "no password is shown");
    server_close(&o);
  }
  fixture_done(&f);
}

int main(void)
{
  told();
  encrypted();
  refusals();
  others();
  return TAP_EXIT();
}
