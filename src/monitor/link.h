/*
 * link.h - the connection that reads a server's figures.
 *
 * It uses the driver directly: its statements are in no count of the run, and
 * its failures are no errors of the run.  All functions except link_interrupt()
 * belong to one thread.
 */
#ifndef BENCH_MONITOR_LINK_H
#define BENCH_MONITOR_LINK_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "db/driver.h"
#include "db/env.h"

struct db_process;

/* A query that the server keeps the plan of. */
struct link_plan {
  char *sql;          /* owned; NULL: there is none */
  struct prepared *p; /* owned; NULL: the server refuses, its text is sent */
};

enum {
  LINK_PLANS = 4
};

struct link {
  struct db_env env;
  const struct driver *driver; /* NULL: not initialised */
  struct session *session;     /* owned */
  struct conn_params params;
  pthread_mutex_t
    lock; /* protects `open` and `over` against the other thread */
  bool open;
  bool over;        /* it shall not be opened again */
  char why[256];    /* of the last failure */
  bool lost;        /* the last failure was that of the connection */
  bool permanent;   /* the server refuses: trying again is useless */
  bool slow;        /* it had no time to let anybody in */
  bool keeps_plans; /* set by the owner: see link_query_often() */
  struct link_plan plans[LINK_PLANS]; /* of this connection */
};

/* `number` chooses the server, as that of a connection.  `params` is copied;
 * its texts are borrowed. */
void link_init(struct link *l, struct db_process *db,
               const struct conn_params *params, uint64_t number);
void link_done(struct link *l);

/* WAITS until then at most; false: l->why has the reason. */
bool link_open(struct link *l, uint64_t until_ns);
void link_close(struct link *l);

/* Which server it is, in words; it is open. */
void link_target(const struct link *l, struct strbuf *line);
/* The socket; -1: there is none. */
int link_socket(const struct link *l);

/*
 * WAITS for the answer.  Calls `row` for each row; a NULL has no pointer.
 * False: l->why has the reason, and l->lost whether the connection is gone.
 */
bool link_query(struct link *l, const char *sql,
                void (*row)(void *ctx, const sql_value *v, unsigned n),
                void *ctx);

/* The same for a text that comes again and again.  With `keeps_plans` it is
 * prepared, unless the run must not do that. */
bool link_query_often(struct link *l, const char *sql,
                      void (*row)(void *ctx, const sql_value *v, unsigned n),
                      void *ctx);

/* By another thread: let a call that waits fail, now and from now on. */
void link_interrupt(struct link *l);

#endif
