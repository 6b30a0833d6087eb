/*
 * client.h - one client of a file of SQL: its connection, its statements, the
 * values of its variables.
 *
 * A client belongs to its worker and is used by one thread.
 */
#ifndef BENCH_SQLFILE_RUN_CLIENT_H
#define BENCH_SQLFILE_RUN_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "db/classes/statement.h"
#include "db/conn_state.h"
#include "db/env.h"
#include "rand/rng.h"
#include "sqlfile/draw.h"
#include "sqlfile/expr.h"
#include "sqlfile/run/param.h"
#include "sqlfile/sqlfile.h"

struct err;
struct labels;
struct sqltest_cfg;
struct stmt;
struct worker;

/* A statement of the file in this client. */
struct client_statement {
  struct stmt *stmt; /* NULL until it is used for the first time */
  bool bound;
  struct params params;
};

/* The texts of a variable that a column gives.  There are two, so that the one
 * before the event stays until the event is over. */
struct client_texts {
  struct strbuf of[2];
};

struct client {
  struct worker *w;
  const struct sqlfile *file;
  struct db_env env;
  struct statements classes;
  bool measured;   /* statements count now */
  bool other_step; /* events do not begin with worker_step() */
  struct conn *conn;
  struct client_statement *statement; /* owned, in the order of the file */
  struct value *value;                /* owned; of the variables */
  struct client_texts *texts; /* owned; of the variables; NULL: no columns */
  struct draws draws;
  struct expr_env expr;

  /* What a repetition of the event begins with. */
  struct value *saved; /* owned */
  struct rng saved_rng;
  int attempts; /* repetitions of the event; 0: it is the first attempt */
};

/* On failure nothing is left, and *err says why. */
int client_open(struct client **ret, const struct sqltest_cfg *cfg,
                struct worker *w, struct labels *labels, struct err *err);
void client_close(struct client *c); /* may be NULL */

/* WAITS. */
int client_connect(struct client *c, struct err *err);

/*
 * Executes passes until the run is over, or in a mix for one event.  0, or
 * -EINVAL: *err says why; no event is open then, and the last one is not
 * counted.
 */
int client_run(struct client *c, struct err *err);

/* Of a client that executes nothing: see env_ping(). */
int client_ping(struct client *c, struct err *err);

/* How a pass through the file, or the preparation of another one, has ended. */
enum client_end {
  CLIENT_DONE,
  CLIENT_AGAIN, /* an error that may be ignored: repeat the event */
  CLIENT_OVER,  /* the run is over: leave the event */
  CLIENT_FAILED /* *err says why */
};

/* Executes the program once.  WAITS. */
enum client_end client_pass(struct client *c, struct err *err);

/* Executes one statement.  WAITS. */
enum client_end client_execute(struct client *c, unsigned statement,
                               struct err *err);

/*
 * The last call on the connection has failed, in the statement at this place of
 * the file.  Never CLIENT_DONE.
 */
enum client_end client_failed(struct client *c, uint32_t at, struct err *err);

/* -EINVAL with a message about a place of the file. */
int client_complain(const struct client *c, uint32_t at, struct err *err,
                    const char *fmt, ...) PRINTF_LIKE(4, 5);

#endif
