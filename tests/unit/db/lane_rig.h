/*
 * lane_rig.h - clients of one thread with statements in flight on one session,
 * and a server that answers one after the other.
 *
 * A statement that begins with E fails, R is refused, L loses the session; any
 * other one has its text as its only row.  The log has +TEXT for what was
 * added, send; for what was sent, and =TEXT for what was answered.
 */
#ifndef TESTS_UNIT_DB_LANE_RIG_H
#define TESTS_UNIT_DB_LANE_RIG_H

#include "base/log.h"
#include "db/lane.h"
#include "db/line.h"
#include "loop/fiber.h"
#include "tests/unit/db/clients_rig.h"

enum {
  QUEUE = 16,
  TEXT = 16,
};

struct wire {
  struct scene scene; /* first */
  void (*event)(struct client *c, unsigned n);
  void (*lag)(void *ctx, uint64_t ns); /* [opt] */
  unsigned at_gate;

  /* What is in flight. */
  char asked[QUEUE][TEXT];
  unsigned n_asked, n_pushed, n_answered;
  uint64_t sends;
  bool has_row;
  char row[TEXT];
  _Atomic unsigned cancels; /* that were sent */
};

static inline struct wire *wire_of(const struct session *s)
{
  return (struct wire *)(uintptr_t)s->cfg;
}
static inline struct wire *wire_of_client(const struct client *c)
{
  return (struct wire *)(void *)c->scene;
}

/* ---- a server that answers what was sent, one after the other ---- */

static inline bool possible(struct session *s, const char **ret_why)
{
  (void)s;
  (void)ret_why;
  return true;
}

static inline int begin(struct session *s, struct outcome *out)
{
  struct wire *w = wire_of(s);

  (void)out;
  MUST(w->n_asked == w->n_answered);
  w->n_asked = w->n_pushed = w->n_answered = 0;
  return 0;
}

static inline int add(struct session *s, const char *sql, size_t len,
                      struct outcome *out)
{
  struct wire *w = wire_of(s);

  (void)out;
  (void)snprintf(w->asked[w->n_asked++ % QUEUE], TEXT, "%.*s", (int)len, sql);
  return 0;
}

static inline bool mark(struct session *s)
{
  struct wire *w = wire_of(s);

  fake_log(&w->scene.fake, "+%s;", w->asked[(w->n_asked - 1) % QUEUE]);
  return true;
}

static inline bool push(struct session *s, bool wait)
{
  struct wire *w = wire_of(s);

  (void)wait;
  if (w->n_pushed == w->n_asked)
    return true;
  w->n_pushed = w->n_asked;
  w->sends++;
  fake_log(&w->scene.fake, "send;");
  return true;
}

static inline uint64_t sends(const struct session *s)
{
  return wire_of(s)->sends;
}

static inline bool has_arrived(const struct session *s)
{
  const struct wire *w = wire_of(s);

  return w->n_pushed > w->n_answered + 1; /* they come two by two */
}

static inline int receive(struct session *s, struct prepared *p,
                          const char *sql, size_t len, struct outcome *out)
{
  struct wire *w = wire_of(s);
  const char *is = w->asked[w->n_answered % QUEUE];

  (void)p;
  MUST(strlen(is) == len && memcmp(is, sql, len) == 0);
  while (w->n_pushed == w->n_answered)
    fiber_yield();
  fiber_yield();
  w->n_answered++;
  if (*is == 'L') {
    w->n_asked = w->n_pushed = w->n_answered = 0; /* nothing more comes */
    return fake_say((struct fake_answer){ .code = 2013, .lost = true }, out);
  }
  if (*is == 'R') {
    w->n_asked = w->n_pushed = w->n_answered = 0;
    return fake_say((struct fake_answer){ .code = 1290 }, out);
  }
  if (*is == 'E')
    return fake_say((struct fake_answer){ .code = 1213 }, out);
  (void)snprintf(w->row, sizeof(w->row), "%s", is);
  w->has_row = true;
  return fake_say((struct fake_answer){ .nfields = 1, .nrows = 1 }, out);
}

static inline int rest(struct session *s, struct outcome *out)
{
  (void)s;
  (void)out;
  return 0;
}

static inline int end_apart(struct session *s, struct outcome *out)
{
  struct wire *w = wire_of(s);

  (void)out;
  fake_log(&w->scene.fake, "=%s;", w->asked[(w->n_answered - 1) % QUEUE]);
  w->has_row = false;
  return 0;
}

static inline int fetch(struct session *s, sql_value *values)
{
  struct wire *w = wire_of(s);

  if (!w->has_row)
    return 0;
  w->has_row = false;
  values[0] = (sql_value){ (uint32_t)strlen(w->row), w->row };
  return 1;
}

static const struct driver_pipe pipe_calls = {
  .possible = possible,
  .begin = begin,
  .query = add,
  .receive = receive,
  .rest = rest,
  .mark_apart = mark,
  .push = push,
  .sends = sends,
  .has_arrived = has_arrived,
  .end_apart = end_apart,
};

/* What is done alone takes a while, in which nothing may be in flight. */
static inline int query_alone(struct session *s, const char *sql, size_t len,
                              struct outcome *out)
{
  struct wire *w = wire_of(s);

  for (int i = 0; i < 3; i++) {
    MUST(w->n_asked == w->n_answered);
    fiber_yield();
  }
  return fake_query(s, sql, len, out);
}

static inline void *cancel_token(struct session *s)
{
  return wire_of(s);
}

static inline void cancel(void *token)
{
  struct wire *w = token;

  (void)atomic_fetch_add(&w->cancels, 1);
}

static inline void cancel_free(void *token)
{
  (void)token;
}

/* ---- the clients ---- */

/* `limit_s`: of each statement; 0: none. */
static inline struct wire *wire_new_limited(const char *const *ignore,
                                            double limit_s)
{
  struct wire *w = calloc(1, sizeof(*w));
  struct scene *s = &w->scene;
  const char *why = NULL;

  MUST(w);
  scene_init(s, ignore);
  s->driver.query = query_alone;
  s->driver.fetch = fetch;
  s->driver.pipe = &pipe_calls;
  s->driver.cancel_token = cancel_token;
  s->driver.cancel = cancel;
  s->driver.cancel_free = cancel_free;
  s->config.lanes = lane_driver_new(&s->driver, &why);
  MUST(s->config.lanes);
  s->process.in_flight = CLIENTS;
  s->process.set.query_timeout_s = limit_s;
  scene_start(s);
  return w;
}

static inline struct wire *wire_new(const char *const *ignore)
{
  return wire_new_limited(ignore, 0);
}

static inline void wire_free(struct wire *w)
{
  scene_done(&w->scene);
  free((void *)(uintptr_t)w->scene.config.lanes);
  free(w);
}

/* Asks, and notes down what it gets. */
static inline void ask(struct client *c, const char *sql)
{
  sql_result *rs = conn_query(c->con, sql, strlen(sql));
  const struct failure *f = conn_failure(c->con);
  const sql_row *row = rs ? conn_fetch_row(rs) : NULL;
  const size_t at = strlen(c->text);

  if (row)
    (void)snprintf(c->text + at, sizeof(c->text) - at, "%.*s,",
                   (int)row->values[0].len, row->values[0].ptr);
  else if (c->con->pub.error != DB_ERROR_NONE)
    (void)snprintf(c->text + at, sizeof(c->text) - at, "%s%d%s,",
                   c->con->pub.error == DB_ERROR_FATAL ? "F" : "I", f->code,
                   f->reconnected ? "R" : "");
}

static inline void live(void *arg)
{
  struct client *c = arg;
  struct wire *w = wire_of_client(c);

  c->con = conn_open(c->handle, NULL);
  MUST(c->con);
  w->at_gate++;
  while (w->at_gate < CLIENTS + c->number) /* all of them, in this order */
    fiber_yield();
  w->at_gate++;
  for (unsigned i = 0; i < w->scene.events; i++) {
    c->event_open = true;
    c->event_number++;
    w->event(c, i);
    c->event_open = false;
  }
  env_done(&c->env);
}

static inline const char *run(struct wire *w, unsigned events,
                              void (*event)(struct client *c, unsigned n))
{
  w->scene.events = events;
  w->event = event;
  run_all(&w->scene, live, w->lag);
  return said(&w->scene);
}

static inline void ask_one(struct client *c, unsigned n)
{
  char sql[TEXT];

  (void)snprintf(sql, sizeof(sql), "%c%u", (int)('a' + c->number), n);
  ask(c, sql);
}

/* True: `b` comes later than `a`. */
static inline bool comes_after(const char *log, const char *a, const char *b)
{
  const char *at = strstr(log, a);

  return at && strstr(at, b);
}

static inline unsigned count_of(const char *log, const char *word)
{
  unsigned n = 0;

  for (const char *at = log; (at = strstr(at, word)) != NULL; at++)
    n++;
  return n;
}

#endif
