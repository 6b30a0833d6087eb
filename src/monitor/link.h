/*
 * link.h - the connection that reads a server's figures, directly by the
 * driver: none of its statements and failures are the run's. All but
 * link_interrupt() belong to one thread.
 */
#ifndef BENCH_MONITOR_LINK_H
#define BENCH_MONITOR_LINK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "db/driver.h"
#include "db/env.h"

struct db_process;

/* Whose plan the server keeps. */
struct link_plan {
  char *sql;          /* owned; NULL: none */
  struct prepared *p; /* owned; NULL: refused, the text is sent */
};

enum {
  LINK_PLANS = 4
};

struct link {
  struct db_env env;
  const struct driver *driver; /* NULL: not initialised */
  struct session *session;
  struct conn_params params;
  pthread_mutex_t lock; /* protects `open` and `over` */
  bool open;
  bool over;        /* not to be opened again */
  char why[256];    /* of the last failure */
  bool lost;        /* the last failure was the connection's */
  bool permanent;   /* refused: trying again is useless */
  bool slow;        /* no time to let anybody in */
  bool keeps_plans; /* by the owner: see link_query_often() */
  struct link_plan plans[LINK_PLANS];
};

/* `number` chooses the server. `params` is copied, its texts are borrowed. */
void link_init(struct link *l, struct db_process *db,
               const struct conn_params *params, uint64_t number);
void link_done(struct link *l);

/* WAITS until then; false: see l->why. */
bool link_open(struct link *l, uint64_t until_ns);
void link_close(struct link *l);

/* The server in words; while open. */
void link_target(const struct link *l, struct strbuf *line);
/* -1: none. */
int link_socket(const struct link *l);

/* WAITS for the answer; `row` for each row, NULLs without pointer. False: see
 * l->why, l->lost. */
bool link_query(struct link *l, const char *sql,
                void (*row)(void *ctx, const sql_value *v, unsigned n),
                void *ctx);

/* Repeated texts: prepared with `keeps_plans`, unless the run forbids that. */
bool link_query_often(struct link *l, const char *sql,
                      void (*row)(void *ctx, const sql_value *v, unsigned n),
                      void *ctx);

/* By another thread: calls fail, now and from now on. */
void link_interrupt(struct link *l);

#endif
