/*
 * pool_rig.h - clients of one thread, which share the sessions of a pool.
 */
#ifndef TESTS_UNIT_DB_POOL_RIG_H
#define TESTS_UNIT_DB_POOL_RIG_H

#include "base/log.h"
#include "db/broker.h"
#include "loop/fiber.h"
#include "tests/unit/db/clients_rig.h"

/* Others run while it is executed; the values that are sent are logged. */
static inline int query(struct session *s, const char *sql, size_t len,
                        struct outcome *out)
{
  fiber_yield();
  return fake_query(s, sql, len, out);
}

static inline int execute(struct prepared *p, struct outcome *out)
{
  fake_log(fake_of(p->session), "%s=%d;", p->sql,
           p->n_binds > 0 ? *(const int *)p->binds[0].buffer : 0);
  return fake_answer(p->session, out);
}

/* A pool of `size` sessions. */
static inline struct scene *scene_new(unsigned size, const char *const *ignore)
{
  struct scene *s = calloc(1, sizeof(*s));

  MUST(s);
  scene_init(s, ignore);
  s->driver.query = query;
  s->driver.execute = execute;
  s->process.pool_sessions = size;
  scene_start(s);
  for (unsigned i = 0; i < CLIENTS; i++)
    (void)snprintf(s->client[i].text, sizeof(s->client[i].text), "Q%u", i);
  return s;
}

static inline void scene_free(struct scene *s)
{
  for (unsigned i = 0; i < CLIENTS; i++)
    env_done(&s->client[i].env);
  scene_done(s);
  free(s);
}

static inline void connect_all(struct scene *s)
{
  for (unsigned i = 0; i < CLIENTS; i++) {
    s->client[i].con = conn_open(s->client[i].handle, NULL);
    MUST(s->client[i].con);
    env_work_ended(&s->client[i].env, true);
  }
}

static inline void ask(struct client *c, const char *sql)
{
  (void)conn_query(c->con, sql, strlen(sql));
}

static inline void begin(struct client *c)
{
  c->event_open = true;
  c->event_number++;
}

static inline void end(struct client *c)
{
  env_event_ended(&c->env);
  c->event_open = false;
}

#endif
