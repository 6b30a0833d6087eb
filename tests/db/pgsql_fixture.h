/*
 * pgsql_fixture.h - the SQL layer with the pgsql driver in one thread of a test
 * program; where the server is, the environment says (tests/db/README.md).
 */
#ifndef BENCH_TESTS_DB_PGSQL_FIXTURE_H
#define BENCH_TESTS_DB_PGSQL_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "db/conn.h"
#include "db/env.h"
#include "db/env_conns.h"
#include "db/stmt.h"
#include "drivers/driver_list.h"
#include "drivers/pgsql/session.h"
#include "stats/recorder.h"

struct fixture {
  bool one_of_many; /* the server has been asked all there is to ask */
  struct pgsql_cfg cfg;
  const char *host[1], *port[1], *ignore[8];
  struct driver_config drivers[1];
  struct db_process process;
  struct recorders recorders;
  struct db_env env;
  struct driver_handle *handle;
};

static const char *fixture_env(const char *name, const char *other)
{
  const char *text = getenv(name);

  return text && *text ? text : other;
}

/* Defaults; the caller may change cfg and process.set before fixture_open(). */
static void fixture_init(struct fixture *f)
{
  memset(f, 0, sizeof(*f));
  f->host[0] = fixture_env("PG_SOCKET_DIR", "localhost");
  f->port[0] = fixture_env("PG_PORT", "5432");
  f->cfg.hosts = (struct opt_list){ 1, f->host };
  f->cfg.ports = (struct opt_list){ 1, f->port };
  f->cfg.user = fixture_env("PG_USER", "sbtest");
  f->cfg.password = "";
  f->cfg.db = fixture_env("PG_DB", "sbtest");
  f->cfg.sslmode = 2; /* prefer */
  f->ignore[0] = "40P01";
  f->ignore[1] = "23505";
  f->ignore[2] = "40001";
  f->cfg.ignore_errors = (struct opt_list){ 3, f->ignore };
}

/* One more item of the ignore list. */
__attribute__((unused)) static void fixture_ignore(struct fixture *f,
                                                   const char *item)
{
  f->ignore[f->cfg.ignore_errors.n++] = item;
}

static void fixture_open(struct fixture *f)
{
  struct err err;

  f->drivers[0] = (struct driver_config){ &driver_pgsql, &f->cfg };
  f->process.drivers = f->drivers;
  f->process.n_drivers = 1;
  f->env.process = &f->process;
  f->env.rng = 1;
  if (recorders_init(&f->recorders, 1, false, &err) < 0 ||
      process_init(&f->process, &err) < 0 ||
      !(f->handle = env_driver(&f->env, "pgsql"))) {
    printf("Bail out! the SQL layer does not start\n");
    exit(1);
  }
  f->process.in_run = f->one_of_many;
  atomic_store(&f->process.noted, f->one_of_many);
  atomic_store(&f->process.checked, f->one_of_many);
  f->env.recorder = f->recorders.of;
  env_set_current(&f->env);
}

static struct conn *fixture_conn(struct fixture *f)
{
  struct conn *c = conn_open(f->handle, NULL);

  if (!c) {
    printf("Bail out! no connection to the server\n");
    exit(1);
  }
  return c;
}

/* The first value of the open result set. */
__attribute__((unused)) static const char *fixture_value(sql_result *rs)
{
  static char text[512];
  sql_row *row = rs ? conn_fetch_row(rs) : NULL;

  if (!row || !row->values[0].ptr)
    return row ? "(null)" : "(none)";
  (void)snprintf(text, sizeof(text), "%.*s", (int)row->values[0].len,
                 row->values[0].ptr);
  return text;
}

__attribute__((unused)) static const char *fixture_ask(struct conn *c,
                                                       const char *sql)
{
  return fixture_value(conn_query(c, sql, strlen(sql)));
}

static void fixture_done(struct fixture *f)
{
  env_done(&f->env);
  process_done(&f->process);
  recorders_done(&f->recorders);
}

#endif
