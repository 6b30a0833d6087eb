/*
 * link.h - the connection that reads a server's figures. Its statements and
 * failures do not count in the run. All functions but link_interrupt() belong
 * to one thread.
 */
#ifndef BENCH_MONITOR_LINK_H
#define BENCH_MONITOR_LINK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "db/driver.h"
#include "db/env.h"

struct db_process;

/* A statement whose plan the server keeps. */
struct link_plan {
  char *sql;          /* owned; NULL: unused */
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
  bool over; /* do not open again */
  char why[256];
  bool lost;        /* by the last failure */
  bool permanent;   /* refused: trying again is useless */
  bool slow;        /* the server had no time for a login */
  bool keeps_plans; /* set by the owner: see link_query_often() */
  struct link_plan plans[LINK_PLANS];
};

/* `number` chooses the server. `params` is copied, its texts are borrowed. */
void link_init(struct link *l, struct db_process *db,
               const struct conn_params *params, uint64_t number);
void link_done(struct link *l);

/* WAITS until then; false: see l->why. */
bool link_open(struct link *l, uint64_t until_ns);
void link_close(struct link *l);

/* Describes the server; while open. */
void link_target(const struct link *l, struct strbuf *line);
/* -1: not open. */
int link_socket(const struct link *l);

/* WAITS for the answer. Calls `row` for each row, NULLs without pointer. False:
 * see l->why, l->lost. */
bool link_query(struct link *l, const char *sql,
                void (*row)(void *ctx, const sql_value *v, unsigned n),
                void *ctx);

/* For repeated texts: prepared with `keeps_plans`, unless the run forbids
 * that. */
bool link_query_often(struct link *l, const char *sql,
                      void (*row)(void *ctx, const sql_value *v, unsigned n),
                      void *ctx);

/* By another thread: all calls fail from now on. */
void link_interrupt(struct link *l);

#endif
