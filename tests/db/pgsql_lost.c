/*
 * pgsql_lost.c - a session that the server has terminated, when the driver is
 * the first to notice it, by a statement of its own: the next statement of the
 * script says why, and no descriptor is used that the library has closed.
 */
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/db/pgsql_fixture.h"
#include "tests/unit/tap.h"

static bool by_library, raw;

/* A session, and another one that terminates it. */
struct pair {
  struct fixture f;
  struct conn *c, *other;
  int pid;
};

static bool run(struct conn *c, const char *sql)
{
  (void)conn_query(c, sql, strlen(sql));
  return c->pub.error == DB_ERROR_NONE;
}

static int ask_int(struct conn *c, const char *sql)
{
  sql_result *rs = conn_query(c, sql, strlen(sql));
  sql_row *row = rs ? conn_fetch_row(rs) : NULL;

  return row && row->values[0].ptr ? atoi(row->values[0].ptr) : -1;
}

static void pair_open(struct pair *p)
{
  fixture_init(&p->f);
  p->f.cfg.protocol = by_library ? PGSQL_LIBRARY : PGSQL_WIRE;
  p->f.cfg.sslmode = 0; /* disable */
  p->f.env.shares_thread = raw;
  p->f.one_of_many = raw;
  fixture_open(&p->f);
  p->other = fixture_conn(&p->f);
  p->c = fixture_conn(&p->f);
  p->pid = ask_int(p->c, "SELECT pg_backend_pid()");
}

static void pair_done(struct pair *p)
{
  struct conn_message m = conn_take_message(p->c);

  conn_drop_message(&m);
  fixture_done(&p->f);
}

/* Returns when the session is gone. */
static void terminate(struct pair *p)
{
  char sql[128];

  (void)snprintf(sql, sizeof(sql), "SELECT pg_terminate_backend(%d)", p->pid);
  (void)run(p->other, sql);
  (void)snprintf(sql, sizeof(sql),
                 "SELECT count(*) FROM pg_stat_activity WHERE pid = %d",
                 p->pid);
  while (ask_int(p->other, sql) > 0)
    ;
}

/* The next statement of the script. */
static void says_why(struct conn *c, const char *sql)
{
  OK(!run(c, sql) && conn_failure(c)->lost, "the connection is lost");
  OK_STR(c->pub.sql_state, "57P01", "the state that the server told");
  OK_STR(c->pub.sql_errmsg,
         "terminating connection due to administrator command", "its text");
}

/* The same, while what the library has closed is somebody else's. */
static void says_why_alone(struct conn *c)
{
  char byte;
  int fd[2];

  if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd) < 0) {
    OK(false, "a pair of sockets");
    return;
  }
  (void)shutdown(fd[1], SHUT_WR); /* who reads from it does not wait */
  says_why(c, "SELECT 1");
  OK(recv(fd[1], &byte, 1, MSG_DONTWAIT) < 0, "nobody else got it");
  OK(shutdown(fd[0], SHUT_WR) == 0 && recv(fd[1], &byte, 1, 0) == 0,
     "nor was closed");
  (void)close(fd[0]);
  (void)close(fd[1]);
}

/* A statement that was closed is freed before the next one is executed. */
static void by_closing(void)
{
  struct pair p;
  struct stmt *st[2];

  pair_open(&p);
  st[0] = stmt_prepare(p.c, "SELECT 1", 8);
  st[1] = stmt_prepare(p.c, "SELECT 2", 8);
  OK(st[0] && st[1] && run(p.c, "BEGIN"), "two statements, a transaction");
  stmt_free(st[0]);
  stmt_free(st[1]);
  OK(run(p.c, "COMMIT"), "they are closed in it");
  terminate(&p);
  says_why(p.c, "BEGIN");
  pair_done(&p);
}

/* The server is asked for settings that the library has not heard of. */
static void by_preparing(void)
{
  struct pair p;
  struct stmt *st;

  pair_open(&p);
  OK(run(p.c, "SET client_encoding = 'LATIN1'"), "a setting");
  terminate(&p);
  st = stmt_prepare(p.c, "SELECT ?::int", 13);
  OK(st != NULL, "nothing is sent yet for a statement with parameters");
  says_why_alone(p.c);
  stmt_free(st);
  pair_done(&p);
}

static void no_line(void *ctx, const char *key, const char *value)
{
  (void)ctx;
  (void)key;
  (void)value;
}

/* Facts about the server. */
static void by_asking(void)
{
  struct pair p;

  pair_open(&p);
  terminate(&p);
  p.c->driver->server_settings(p.c->session, no_line, NULL);
  says_why_alone(p.c);
  pair_done(&p);
}

int main(int argc, char **argv)
{
  by_library = argc > 1 && strcmp(argv[1], "library") == 0;
  raw = argc > 1 && strcmp(argv[1], "raw") == 0;
  by_closing();
  by_preparing();
  if (!raw)
    by_asking();
  return TAP_EXIT();
}
