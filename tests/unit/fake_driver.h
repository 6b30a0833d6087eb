/*
 * fake_driver.h - a driver that logs its calls and fails as the test asks.
 */
#ifndef TESTS_UNIT_FAKE_DRIVER_H
#define TESTS_UNIT_FAKE_DRIVER_H

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/wait.h"
#include "db/bulk.h"
#include "db/conn.h"
#include "db/emul.h"
#include "db/env.h"
#include "db/env_conns.h"
#include "db/error_policy.h"
#include "db/stmt.h"

/* What the next statements answer; a zero entry is a plain success. */
struct fake_answer {
  int code; /* 0: success */
  const char *state;
  bool lost, over;
  enum counter counter;
  uint32_t nfields;
  uint64_t nrows;
  bool more, settled;
};

struct fake {
  pthread_mutex_t lock; /* of `log`: sessions are opened by other threads */
  struct strbuf log;
  struct fake_answer answer[64]; /* for query and execute, in this order */
  size_t next;
  struct fake_answer unread; /* content of the next results that are dropped */
  int after;                 /* the code of all further answers; 0: success */
  uint64_t queries;
  unsigned connect_fails;   /* this many attempts fail */
  unsigned connect_refused; /* ... and this many are refused for good */
  _Atomic uint32_t *begin;  /* [opt] attempts wait until this is not 0 */
  bool connect_permanent, refuse_prepare;
  int connect_code; /* of such an attempt; 0: 1045 */
  int prepare_code;
  unsigned bind_lost; /* this many binds lose the session */
  struct opt_list ignore;
  size_t longest;     /* statement */
  const char *value;  /* of each row; NULL: x */
  const char *values; /* the first rows: a letter each; NULL: none */
  bool numbered;      /* connects are logged with the number of their target */
};

static struct fake *fake_of(struct session *s)
{
  return (struct fake *)(uintptr_t)s->cfg;
}

__attribute__((format(printf, 2, 3))) static void
fake_log(struct fake *f, const char *format, ...)
{
  va_list ap;

  va_start(ap, format);
  (void)pthread_mutex_lock(&f->lock);
  strbuf_vaddf(&f->log, format, ap);
  (void)pthread_mutex_unlock(&f->lock);
  va_end(ap);
}

static int fake_connect(struct session *s, uint64_t until_ns,
                        struct outcome *out)
{
  struct fake *f = fake_of(s);
  const bool for_good = f->connect_permanent || f->connect_refused > 0;

  (void)until_ns;
  if (f->begin)
    wait_while(f->begin, 0, WAIT_FOREVER);
  if (f->numbered)
    fake_log(f, "connect %u;", s->attempt);
  else
    fake_log(f, "connect;");
  s->dialect = EMUL_MYSQL;
  if (f->connect_fails == 0 && !for_good)
    return 0;
  f->connect_fails -= f->connect_fails > 0;
  f->connect_refused -= f->connect_refused > 0;
  out->code = !for_good ? 2003 : f->connect_code ? f->connect_code : 1045;
  memcpy(out->state, "HY000", 6);
  out->msg = "no";
  out->permanent = for_good;
  return -1;
}

static void fake_disconnect(struct session *s)
{
  fake_log(fake_of(s), "disconnect;");
}

static int fake_say(struct fake_answer a, struct outcome *out)
{
  if (a.code == 0) {
    out->counter = a.nfields ? COUNTER_READ : a.counter;
    out->nfields = a.nfields;
    out->nrows = a.nrows;
    out->more = a.more;
    out->settled = a.settled;
    return 0;
  }
  out->code = a.code;
  memcpy(out->state, a.state ? a.state : "HY000", 6);
  out->msg = "what happened";
  out->lost = a.lost;
  out->over = a.over;
  return -1;
}

static int fake_answer(struct session *s, struct outcome *out)
{
  struct fake *f = fake_of(s);

  return fake_say(f->next < 64 ? f->answer[f->next++]
                               : (struct fake_answer){ .code = f->after },
                  out);
}

static int fake_query(struct session *s, const char *sql, size_t len,
                      struct outcome *out)
{
  struct fake *f = fake_of(s);

  f->queries++;
  if (len > f->longest)
    f->longest = len;
  fake_log(f, "%.*s;", len > 60 ? 60 : (int)len, sql);
  if (fake_answer(s, out) < 0)
    return -1;
  if (strncmp(sql, "BEGIN", 5) == 0)
    s->trx = TRX_OPEN;
  if (strcmp(sql, "COMMIT") == 0 || strcmp(sql, "ROLLBACK") == 0)
    s->trx = TRX_NONE;
  return 0;
}

/* As drivers do: a session whose rows are not wanted has none. */
static int fake_fetch(struct session *s, sql_value *values)
{
  if (s->unread)
    return 0;
  values[0].ptr = fake_of(s)->value ? fake_of(s)->value : "x";
  if (fake_of(s)->values && *fake_of(s)->values)
    values[0].ptr = fake_of(s)->values++;
  values[0].len = 1;
  return 1;
}

static int fake_next(struct session *s, struct outcome *out)
{
  fake_log(fake_of(s), "next;");
  return fake_answer(s, out);
}

static int fake_end(struct session *s, struct outcome *out)
{
  struct fake *f = fake_of(s);
  const struct fake_answer a = f->unread;

  fake_log(f, "end;");
  f->unread = (struct fake_answer){ 0 };
  return fake_say(a, out);
}

static int fake_prepare(struct prepared *p, struct outcome *out)
{
  struct fake *f = fake_of(p->session);

  fake_log(f, "prepare %s;", p->sql);
  for (size_t i = 0; i < p->len; i++)
    p->n_params += p->sql[i] == '?';
  out->code = f->refuse_prepare ? 1295 : f->prepare_code;
  out->emulate = f->refuse_prepare;
  memcpy(out->state, "HY000", 6);
  out->msg = "not this";
  return out->code ? -1 : 0;
}

static int fake_bind(struct prepared *p, struct outcome *out)
{
  struct fake *f = fake_of(p->session);

  if (f->bind_lost == 0)
    return 0;
  f->bind_lost--;
  out->code = 2013;
  out->lost = true;
  memcpy(out->state, "HY000", 6);
  out->msg = "lost";
  return -1;
}

static int fake_execute(struct prepared *p, struct outcome *out)
{
  fake_log(fake_of(p->session), "execute;");
  return fake_answer(p->session, out);
}

static void fake_unprepare(struct prepared *p, bool going)
{
  fake_log(fake_of(p->session), "%s", going ? "forget;" : "unprepare;");
}

static bool fake_quote(struct session *s, const char *text, size_t len,
                       struct strbuf *to, const char **ret_why)
{
  (void)s;
  (void)ret_why;
  strbuf_addf(to, "'%.*s'", (int)len, text);
  return true;
}

static void fake_reason(const struct session *s, const struct outcome *out,
                        struct strbuf *line)
{
  (void)s;
  strbuf_addf(line, "error %d: %s", out->code, out->msg);
}

static void fake_target(const struct session *s, struct strbuf *line)
{
  (void)s;
  strbuf_adds(line, "nowhere");
}

static void fake_message(const struct session *s, enum call call,
                         const struct outcome *out, const char *sql,
                         struct strbuf *lines)
{
  (void)s;
  strbuf_addf(lines, "call %d: %d %s [%s]", (int)call, out->code, out->msg,
              sql);
}

static const struct opt_list *fake_ignore(const void *cfg)
{
  return &((const struct fake *)cfg)->ignore;
}

static const int fake_connection_codes[] = { 2006, 2013, 0 };

static const struct driver_refusal fake_refusals[] = {
  { .code = 1290, .says = "happened", .phase = FAULT_READ_ONLY },
  { .code = 1291, .says = "something else", .phase = FAULT_READ_ONLY },
  { 0 },
};

static const struct driver_hint fake_hints[] = {
  { .code = 1461, .text = "a hint" },
  { 0 },
};

#define FAKE_DRIVER(bits)                                                      \
  {                                                                            \
    .name = "fake", .title = "for tests", .cfg_size = sizeof(struct fake),     \
    .session_size = sizeof(struct session),                                    \
    .prepared_size = sizeof(struct prepared),                                  \
    .caps = DRIVER_PREPARES | DRIVER_NUL_IN_SQL | (bits),                      \
    .connection_codes = fake_connection_codes, .refusals = fake_refusals,      \
    .hints = fake_hints, .ignore_errors = fake_ignore,                         \
    .connect = fake_connect, .disconnect = fake_disconnect,                    \
    .connect_message = fake_reason, .connect_reason = fake_reason,             \
    .target = fake_target, .query = fake_query, .fetch = fake_fetch,           \
    .next_result = fake_next, .end_results = fake_end,                         \
    .prepare = fake_prepare, .bind = fake_bind, .execute = fake_execute,       \
    .unprepare = fake_unprepare, .quote = fake_quote, .message = fake_message, \
  }

/*
 * A process with this driver, one thread that is in an event, and one open
 * connection.
 */
struct bed {
  struct fake fake;
  struct driver_config config;
  struct db_process *process;
  struct recorders recorders;
  struct db_env env;
  struct driver_handle *handle;
  struct conn *con;
  _Atomic uint32_t over;
  bool event_open;
  uint64_t event_number;
};

static inline void bed_open(struct bed *b, const struct driver *d,
                            const char *const *ignore, size_t n_ignore)
{
  struct err err;

  b->fake.ignore = (struct opt_list){ n_ignore, ignore };
  b->config = (struct driver_config){ d, &b->fake };
  b->process = calloc(1, sizeof(*b->process));
  b->process->drivers = &b->config;
  b->process->n_drivers = 1;
  b->process->in_run = true;
  b->process->over = &b->over;
  if (process_init(b->process, &err) < 0 ||
      recorders_init(&b->recorders, 1, false, &err) < 0)
    abort();
  b->env.process = b->process;
  b->env.recorder = b->recorders.of;
  b->env.under_deadline = true;
  b->event_open = true;
  b->event_number = 1;
  b->env.event_open = &b->event_open;
  b->env.event_number = &b->event_number;
  b->handle = env_driver(&b->env, NULL);
  b->con = conn_open(b->handle, NULL);
  strbuf_clear(&b->fake.log);
}

static inline void bed_close(struct bed *b)
{
  env_done(&b->env);
  process_done(b->process);
  recorders_done(&b->recorders);
  free(b->process);
  strbuf_done(&b->fake.log);
}

static inline uint64_t bed_count(const struct bed *b, enum counter c)
{
  return b->recorders.of[0].counter[c];
}

/* The calls of the driver since the last bed_log(). */
static inline const char *bed_log(struct bed *b)
{
  static char text[4096];

  (void)snprintf(text, sizeof(text), "%s", strbuf_str(&b->fake.log));
  strbuf_clear(&b->fake.log);
  return text;
}

/* Queue an answer. */
static inline void bed_answer(struct bed *b, struct fake_answer a)
{
  size_t i = b->fake.next;

  while (i < 64 && (b->fake.answer[i].code || b->fake.answer[i].nfields ||
                    b->fake.answer[i].counter || b->fake.answer[i].more))
    i++;
  b->fake.answer[i] = a;
}

static inline sql_result *bed_query(struct bed *b, const char *sql)
{
  return conn_query(b->con, sql, strlen(sql));
}

#endif
