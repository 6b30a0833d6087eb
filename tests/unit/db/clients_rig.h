/*
 * clients_rig.h - clients of one thread on the fake driver, for tests of what
 * they share.
 */
#ifndef TESTS_UNIT_DB_CLIENTS_RIG_H
#define TESTS_UNIT_DB_CLIENTS_RIG_H

#include <stdatomic.h>
#include <stdint.h>

#include "loop/loop.h"
#include "tests/unit/fake_driver.h"
#include "tests/unit/tap.h"

enum {
  CLIENTS = 3,
  STACK = 256 * 1024,
};

struct client {
  struct scene *scene;
  struct db_env env;
  struct driver_handle *handle;
  struct conn *con;
  struct stmt *stmt;
  bool event_open;
  uint64_t event_number;
  unsigned number;
  char text[256]; /* what it asks, or what it has read */
};

struct scene {
  struct fake fake; /* first: sessions have it */
  struct driver driver;
  struct driver_config config;
  struct db_process process;
  struct recorders recorders;
  struct client client[CLIENTS];
  _Atomic uint32_t over;
  unsigned events; /* of each client */
  unsigned left;   /* clients that left an event */
};

/* The driver and the process can be changed before scene_start(). */
static inline void scene_init(struct scene *s, const char *const *ignore)
{
  memset(s, 0, sizeof(*s));
  s->driver = (struct driver)FAKE_DRIVER(DRIVER_BY_NUMBER);
  s->fake.ignore = (struct opt_list){ ignore ? 1 : 0, ignore };
  s->config = (struct driver_config){ .driver = &s->driver, .cfg = &s->fake };
  s->process.drivers = &s->config;
  s->process.n_drivers = 1;
  s->process.in_run = true;
  s->process.over = &s->over;
  s->process.carriers = 1;
}

static inline void scene_start(struct scene *s)
{
  static const bool counted = true;
  struct err err;

  MUST(process_init(&s->process, &err) == 0);
  MUST(recorders_init(&s->recorders, 1, false, &err) == 0);
  for (unsigned i = 0; i < CLIENTS; i++) {
    struct client *c = &s->client[i];

    c->scene = s;
    c->number = i;
    c->env.process = &s->process;
    if (s->process.pool_sessions > 0)
      c->env.pool = process_pool(&s->process, 0);
    c->env.recorder = s->recorders.of;
    c->env.under_deadline = true;
    c->env.shares_thread = true;
    c->env.counted = &counted;
    c->env.event_open = &c->event_open;
    c->env.event_number = &c->event_number;
    c->handle = env_driver(&c->env, NULL);
  }
}

/* The clients have ended. */
static inline void scene_done(struct scene *s)
{
  (void)process_done(&s->process);
  recorders_done(&s->recorders);
  strbuf_done(&s->fake.log);
}

/* What the driver has been asked since this was called before. */
static inline const char *said(struct scene *s)
{
  static char text[4096];

  (void)snprintf(text, sizeof(text), "%s", strbuf_str(&s->fake.log));
  strbuf_clear(&s->fake.log);
  return text;
}

/* Each client runs fn(client) as a fiber, and after them [opt] a last one runs;
 * `lag` [opt] as loop_on_lag(), with the scene. */
static inline void run_all_and(struct scene *s, void (*fn)(void *arg),
                               void (*lag)(void *ctx, uint64_t ns),
                               void (*last)(void *arg), void *last_arg)
{
  const struct loop_setup setup = { .stack_bytes = STACK };
  struct loop *l = NULL;
  struct err err;

  MUST(loop_new(&l, &setup, &err) == 0);
  if (lag)
    loop_on_lag(l, lag, s);
  for (unsigned i = 0; i < CLIENTS; i++)
    MUST(loop_add(l, fn, &s->client[i], &err) == 0);
  if (last)
    MUST(loop_add(l, last, last_arg, &err) == 0);
  loop_run(l);
  loop_free(l);
}

/* The same without a last one. */
static inline void run_all(struct scene *s, void (*fn)(void *arg),
                           void (*lag)(void *ctx, uint64_t ns))
{
  run_all_and(s, fn, lag, NULL, NULL);
}

#endif
