#include "tests/sqlfile/run/sqltest.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/err.h"
#include "base/ffi_api.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "db/classes/statement.h"
#include "db/conn.h"
#include "db/conn_state.h"
#include "db/emul.h"
#include "db/env.h"
#include "db/env_conns.h"
#include "db/error_policy.h"
#include "db/figures/db_figures.h"
#include "db/figures/sql_form.h"
#include "db/stmt.h"
#include "db/watch.h"
#include "loop/loop.h"
#include "report/form.h"
#include "run/plan.h"
#include "run/test.h"
#include "run/worker.h"
#include "stats/rand/rng.h"
#include "stats/rand/stream.h"
#include "tests/sqlfile/expr.h"
#include "tests/sqlfile/sqlfile.h"

/* The data of a descriptor. */
struct param_cell {
  union {
    int8_t truth;
    int32_t small;
    int64_t number;
    double real;
  };
  char is_null;
  unsigned long len; /* of texts */
};

struct params {
  unsigned n;
  sql_bind *bind;          /* owned */
  struct param_cell *cell; /* owned */
};

struct client_statement {
  struct stmt *stmt; /* NULL before the first use */
  bool bound;
  struct params params;
};

/* A variable from a column has two texts, so that the one before the event
 * survives the event. */
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
  struct draw draws;
  struct expr_env expr;

  /* For a repetition of the event. */
  struct value *saved; /* owned */
  struct rng saved_rng;
  int attempts; /* 0: the first attempt */
};

enum client_end {
  CLIENT_DONE,
  CLIENT_AGAIN, /* an ignorable error: repeat the event */
  CLIENT_OVER,  /* the run is over: leave the event */
  CLIENT_FAILED
};

/* ---- parameters ---- */

static void params_done(struct params *p)
{
  free(p->bind);
  free(p->cell);
  *p = (struct params){ 0 };
}

static int params_init(struct params *p, unsigned n)
{
  *p = (struct params){ .n = n };
  if (n == 0)
    return 0;
  p->bind = calloc(n, sizeof(*p->bind));
  p->cell = calloc(n, sizeof(*p->cell));
  if (!p->bind || !p->cell) {
    params_done(p);
    return -ENOMEM;
  }
  for (unsigned i = 0; i < n; i++) {
    p->bind[i] = (sql_bind){
      .type = SQL_TYPE_NONE,
      .buffer = &p->cell[i],
      .data_len = &p->cell[i].len,
      .is_null = &p->cell[i].is_null,
    };
  }
  return 0;
}

static bool params_describe(sql_bind *b, sql_bind_type_t type, void *buffer)
{
  if (b->type == type && b->buffer == buffer)
    return false;
  b->type = type;
  b->buffer = buffer;
  return true;
}

static bool params_set_text(sql_bind *b, struct param_cell *cell,
                            const char *text, size_t len)
{
  cell->len = len;
  return params_describe(b, SQL_TYPE_VARCHAR, (void *)(uintptr_t)text);
}

static bool params_set_int(sql_bind *b, struct param_cell *cell, int64_t number)
{
  if (b->type != SQL_TYPE_BIGINT && number == (int32_t)number) {
    cell->small = (int32_t)number;
    return params_describe(b, SQL_TYPE_INT, cell);
  }
  cell->number = number;
  return params_describe(b, SQL_TYPE_BIGINT, cell);
}

static bool params_set(struct params *p, unsigned i, const struct value *v,
                       bool words)
{
  struct param_cell *cell = &p->cell[i];
  sql_bind *b = &p->bind[i];

  cell->is_null = v->kind == VALUE_NULL;
  switch (v->kind) {
  case VALUE_INT:
    return params_set_int(b, cell, v->number);
  case VALUE_DOUBLE:
    cell->real = v->real;
    return params_describe(b, SQL_TYPE_DOUBLE, cell);
  case VALUE_TEXT:
    return params_set_text(b, cell, v->text, v->len);
  case VALUE_BOOL:
    if (words)
      return params_set_text(b, cell, v->truth ? "true" : "false",
                             v->truth ? 4 : 5);
    cell->truth = v->truth;
    return params_describe(b, SQL_TYPE_TINYINT, cell);
  default:
    return false; /* NULL keeps the type of the value before */
  }
}

/* ---- errors ---- */

static int client_complain(const struct client *c, uint32_t at, struct err *err,
                           const char *fmt, ...)
{
  const struct sqlfile_place place = sqlfile_place(c->file->source, at);
  struct strbuf b = { 0 };
  va_list ap;

  va_start(ap, fmt);
  strbuf_vaddf(&b, fmt, ap);
  va_end(ap);
  (void)err_set(err, -EINVAL, "%s:%u:%u: %s", c->file->name, place.line,
                place.column, strbuf_str(&b));
  strbuf_done(&b);
  return -EINVAL;
}

static enum client_end client_failed(struct client *c, uint32_t at,
                                     struct err *err)
{
  const struct failure *f = conn_failure(c->conn);

  if (f->abandoned)
    return CLIENT_OVER;
  if (f->api_error) {
    (void)client_complain(c, at, err, "%s", f->api_error);
    return CLIENT_FAILED;
  }
  if (c->conn->pub.error == DB_ERROR_IGNORABLE)
    return CLIENT_AGAIN;
  conn_say(c->conn);
  (void)client_complain(c, at, err,
                        "the statement that begins here has failed");
  return CLIENT_FAILED;
}

static bool client_prepare_statement(struct client *c,
                                     const struct sqlfile_statement *s,
                                     struct client_statement *own)
{
  own->stmt = stmt_prepare(c->conn, s->text, s->len);
  if (!own->stmt)
    return false;
  stmt_set_class(own->stmt, (void *)(uintptr_t)&statement_prepared);
  return true;
}

/* In the text of a statement for PostgreSQL, 1 is not a boolean. */
static bool client_needs_words(const struct client *c, const struct stmt *stmt)
{
  return stmt->emulated && c->conn->session->dialect & EMUL_DOLLAR;
}

static enum client_end client_set_params(struct client *c,
                                         const struct sqlfile_statement *s,
                                         struct client_statement *own,
                                         struct err *err)
{
  bool changed = !own->bound;

  for (unsigned i = 0; i < s->n_params; i++) {
    const struct value *v = &c->value[s->param[i]];

    if (UNLIKELY(v->kind == VALUE_UNSET)) {
      (void)client_complain(c, s->at, err, "the variable '%s' has no value yet",
                            c->file->variable[s->param[i]].name);
      return CLIENT_FAILED;
    }
    changed |= params_set(&own->params, i, v, client_needs_words(c, own->stmt));
  }
  if (LIKELY(!changed))
    return CLIENT_DONE;
  if (stmt_bind(own->stmt, own->params.bind, own->params.n) != 0)
    return client_failed(c, s->at, err);
  own->bound = true;
  return CLIENT_DONE;
}

/* A number in its usual form is a number, everything else a text. */
static bool client_keep_value(struct client *c, unsigned variable,
                              const sql_value *from)
{
  struct value *to = &c->value[variable], read;
  struct client_texts *texts = &c->texts[variable];
  const struct value *saved = &c->saved[variable];
  struct strbuf *b = &texts->of[0];
  char again[VALUE_BYTES];

  if (!from->ptr) {
    *to = value_null();
    return true;
  }
  if (saved->kind == VALUE_TEXT && saved->text == b->text)
    b = &texts->of[1];
  strbuf_clear(b);
  strbuf_add(b, from->ptr, from->len);
  if (b->failed)
    return false;
  *to = (struct value){ .kind = VALUE_TEXT, .text = b->text, .len = b->len };
  if (value_read(b->text, b->len, &read) && read.kind == VALUE_INT) {
    value_print(&read, again);
    if (strcmp(again, b->text) == 0)
      *to = read;
  }
  return true;
}

static enum client_end client_keep_row(struct client *c,
                                       const struct sqlfile_statement *s,
                                       sql_result *rs, struct err *err)
{
  const bool one = s->keep == SQLFILE_KEEP_ROW;
  const uint32_t n = rs ? rs->nrows : 0;
  sql_row *row = NULL;

  if (rs && rs->nfields != s->n_columns) {
    (void)client_complain(c, s->at, err,
                          "the statement has returned %u columns, but its text "
                          "names %u",
                          rs->nfields, s->n_columns);
    return CLIENT_FAILED;
  }
  if (one && n != 1) {
    (void)client_complain(c, s->at, err,
                          "\\gset needs one row, but the statement has "
                          "returned %u",
                          n);
    return CLIENT_FAILED;
  }
  for (uint32_t i = 0; i < n; i++)
    row = conn_fetch_row(rs);
  for (unsigned i = 0; row && i < s->n_columns; i++) {
    if (!client_keep_value(c, s->column[i], &row->values[i])) {
      (void)client_complain(c, s->at, err, "not enough memory");
      return CLIENT_FAILED;
    }
  }
  return CLIENT_DONE;
}

static enum client_end
client_execute_prepared(struct client *c, const struct sqlfile_statement *s,
                        struct client_statement *own, struct err *err)
{
  enum client_end end;
  sql_result *rs;

  if (s->keep == SQLFILE_KEEP_NOTHING)
    return LIKELY(stmt_run(own->stmt)) ? CLIENT_DONE
                                       : client_failed(c, s->at, err);
  rs = stmt_execute(own->stmt);
  if (!rs && c->conn->pub.error != DB_ERROR_NONE)
    return client_failed(c, s->at, err);
  end = client_keep_row(c, s, rs, err);
  if (rs)
    (void)conn_free_results(rs);
  return end;
}

static enum client_end client_execute(struct client *c, unsigned statement,
                                      struct err *err)
{
  const struct sqlfile_statement *s = &c->file->statement[statement];
  struct client_statement *own = &c->statement[statement];
  enum client_end end;

  if (UNLIKELY(!own->stmt) && !client_prepare_statement(c, s, own))
    return client_failed(c, s->at, err);
  if (s->n_params > 0) {
    end = client_set_params(c, s, own, err);
    if (UNLIKELY(end != CLIENT_DONE))
      return end;
  }
  end = client_execute_prepared(c, s, own, err);
  /* Further results of a procedure belong to its statement. */
  if (UNLIKELY(end == CLIENT_DONE && c->env.unread) && env_settle(&c->env))
    return client_failed(c, s->at, err);
  return end;
}

/* ---- one pass through the program of a file ---- */

static enum client_end client_evaluate(struct client *c, const struct expr *e,
                                       struct value *ret, struct err *err)
{
  struct expr_failure fail;

  if (LIKELY(expr_eval(e, &c->expr, ret, &fail) == 0))
    return CLIENT_DONE;
  (void)client_complain(c, fail.at, err, "%s", fail.why);
  return CLIENT_FAILED;
}

/* A part of the event; ends with the run. */
static enum client_end client_sleep_for(struct client *c,
                                        const struct sqlfile_step *step,
                                        struct err *err)
{
  const uint64_t now = clock_now_ns();
  const uint64_t end = worker_end_ns(c->w);
  struct value v = value_null();
  uint64_t until = UINT64_MAX;
  double units = 0;
  const char *why;

  if (client_evaluate(c, &step->expr, &v, err) != CLIENT_DONE)
    return CLIENT_FAILED;
  why = value_to_double(&v, &units);
  if (why) {
    (void)client_complain(c, step->at, err, "%s", why);
    return CLIENT_FAILED;
  }
  if (!(units > 0))
    return CLIENT_DONE;
  if (units * (double)step->unit_ns < 0x1p62)
    until = now + (uint64_t)(units * (double)step->unit_ns);
  while (!worker_is_over(c->w) && clock_now_ns() < until)
    loop_wait_while(worker_stop_word(c->w), 0, until < end ? until : end);
  return clock_now_ns() < until ? CLIENT_OVER : CLIENT_DONE;
}

static enum client_end client_pass(struct client *c, struct err *err)
{
  const struct sqlfile *file = c->file;
  enum client_end end = CLIENT_DONE;
  struct value v = value_null();
  size_t i = 0;

  while (i < file->n_steps && LIKELY(end == CLIENT_DONE)) {
    const struct sqlfile_step *step = &file->step[i++];

    switch (step->code) {
    case SQLFILE_SQL:
      end = client_execute(c, step->statement, err);
      break;
    case SQLFILE_SET:
      end = client_evaluate(c, &step->expr, &v, err);
      c->value[step->variable] = v;
      break;
    case SQLFILE_SLEEP:
      end = client_sleep_for(c, step, err);
      break;
    case SQLFILE_UNLESS:
      end = client_evaluate(c, &step->expr, &v, err);
      if (!value_is_true(&v))
        i = step->to;
      break;
    case SQLFILE_JUMP:
      i = step->to;
      break;
    }
  }
  return end;
}

/* ---- clients and their events ---- */

static void client_print_debug(void *ctx, uint32_t at, const struct value *v)
{
  static const char *const kinds[] = { "unset", "null",    "boolean ",
                                       "int ",  "double ", "text " };
  const struct client *c = ctx;
  const struct sqlfile_place place = sqlfile_place(c->file->source, at);
  struct strbuf line = { 0 };
  char text[VALUE_BYTES];

  text[0] = '\0';
  if (v->kind != VALUE_NULL)
    value_print(v, text);
  strbuf_addf(&line, "debug(%s:%u:%u): %s%s", c->file->name, place.line,
              place.column, kinds[v->kind], text);
  log_line(strbuf_str(&line));
  strbuf_done(&line);
}

static void client_set_builtins(struct client *c, const struct plan *plan)
{
  const struct value values[SQLFILE_BUILTINS] = {
    [SQLFILE_CLIENT_ID] = value_int(plan->first_thread + c->w->tid),
    [SQLFILE_SCALE] = value_int(1),
    [SQLFILE_RANDOM_SEED] = value_int((int64_t)plan->seed),
    /* Shared by all clients, so that they agree on popular keys. */
    [SQLFILE_DEFAULT_SEED] = value_int(
      (int64_t)rng_key(plan->seed, RNG_INTERNAL, UINT64_MAX)),
  };
  int64_t seed = 0;

  for (int i = 0; i < SQLFILE_BUILTINS; i++) {
    if (!c->file->variable[i].defined)
      c->value[i] = values[i];
  }
  if (!value_to_int(&c->value[SQLFILE_DEFAULT_SEED], &seed))
    c->expr.default_seed = seed;
}

static bool client_keeps_rows(const struct sqlfile *file)
{
  for (size_t i = 0; i < file->n_statements; i++) {
    if (file->statement[i].keep != SQLFILE_KEEP_NOTHING)
      return true;
  }
  return false;
}

static bool client_make_values(struct client *c, const struct plan *plan)
{
  const struct sqlfile *file = c->file;

  c->value = calloc(file->n_variables, sizeof(*c->value));
  c->saved = calloc(file->n_variables, sizeof(*c->saved));
  c->statement = calloc(file->n_statements, sizeof(*c->statement));
  if (client_keeps_rows(file))
    c->texts = calloc(file->n_variables, sizeof(*c->texts));
  if (!c->value || !c->saved || !c->statement ||
      (client_keeps_rows(file) && !c->texts))
    return false;
  for (size_t i = 0; i < file->n_statements; i++) {
    if (params_init(&c->statement[i].params, file->statement[i].n_params) < 0)
      return false;
  }
  for (size_t i = 0; i < file->n_variables; i++)
    c->value[i] = file->variable[i].initial;
  c->draws.rng = &c->w->rand->rng;
  c->expr = (struct expr_env){
    .variables = c->value,
    .draws = &c->draws,
    .debug = client_print_debug,
    .debug_ctx = c,
  };
  client_set_builtins(c, plan);
  return true;
}

static int client_connect(struct client *c, struct err *err)
{
  struct driver_handle *h;

  env_set_current(&c->env);
  h = env_driver(&c->env, NULL);
  c->conn = h ? conn_open(h, NULL) : NULL;
  env_work_ended(&c->env, true);
  if (c->conn)
    return 0;
  if (c->env.too_late)
    return -ECANCELED;
  (void)err_set(err, -EIO, "client %u has no connection",
                c->w->plan->first_thread + c->w->tid);
  err->said = log_get_level() < LOG_INFO; /* the SQL layer has printed why */
  return -EIO;
}

static void client_close(struct client *c)
{
  if (!c)
    return;
  env_done(&c->env);
  env_set_current(NULL);
  for (size_t i = 0; c->statement && i < c->file->n_statements; i++)
    params_done(&c->statement[i].params);
  for (size_t i = 0; c->texts && i < c->file->n_variables; i++) {
    strbuf_done(&c->texts[i].of[0]);
    strbuf_done(&c->texts[i].of[1]);
  }
  free(c->statement);
  free(c->texts);
  free(c->value);
  free(c->saved);
  free(c);
}

static int client_open(struct client **ret, const struct sqltest_cfg *cfg,
                       struct worker *w, struct labels *labels, struct err *err)
{
  const struct plan *plan = w->plan;
  struct client *c = calloc(1, sizeof(*c));

  if (!c)
    return err_set(err, -ENOMEM, "not enough memory for client %u", w->tid);
  c->w = w;
  c->file = cfg->file;
  c->env = (struct db_env){
    .process = cfg->db,
    .rng = rng_key(plan->seed, RNG_INTERNAL,
                   (uint64_t)RNG_WORKLOAD << 32 |
                     (plan->first_thread + w->tid)),
    .under_deadline = true,
    .shares_thread = plan->carriers > 0,
    .event_open = &w->open,
    .event_number = &w->iteration,
    .counted = &w->counted,
    .pool = plan->carriers > 0
              ? process_pool(cfg->db, plan_event_thread(plan, w->tid))
              : NULL,
    .unread_too = w->members ? NULL : &w->unsettled,
  };
  c->other_step = plan->carriers > 0 || w->members;
  if (!client_make_values(c, plan) ||
      (w->classes && statements_init(&c->classes, w->classes, labels,
                                     cfg->member, &c->measured, &c->env) < 0)) {
    client_close(c);
    return err_set(err, -ENOMEM, "not enough memory for client %u", w->tid);
  }
  *ret = c;
  return 0;
}

/* ---- events ---- */

/* A repetition draws the same numbers and begins with the same variables. */
static void client_begin(struct client *c)
{
  const size_t size = c->file->n_variables * sizeof(*c->value);

  if (LIKELY(c->attempts == 0)) {
    memcpy(c->saved, c->value, size);
    c->saved_rng = *c->draws.rng;
  } else {
    memcpy(c->value, c->saved, size);
    *c->draws.rng = c->saved_rng;
  }
}

/* False: no time for another attempt. */
static bool client_wait_for_attempt(struct client *c)
{
  const uint64_t pause = error_restart_pause_ns(c->attempts);
  const uint64_t until = pause > 0 ? clock_now_ns() + pause : 0;

  while (until > 0 && clock_now_ns() < until && !worker_is_over(c->w))
    loop_wait_while(worker_stop_word(c->w), 0, until);
  return !worker_is_over(c->w);
}

/* Rolls back the failed attempt, which can fail as well. */
static enum client_end client_prepare_again(struct client *c, struct err *err)
{
  do {
    c->attempts++;
    if (!client_wait_for_attempt(c))
      return CLIENT_OVER;
    switch (conn_restart(c->conn)) {
    case DB_ERROR_NONE:
      env_undo_attempt(&c->env);
      return CLIENT_AGAIN;
    case DB_ERROR_IGNORABLE:
      break;
    case DB_ERROR_FATAL:
      if (conn_failure(c->conn)->abandoned)
        return CLIENT_OVER;
      conn_say(c->conn);
      (void)err_set(err, -EINVAL, "%s: a failed event cannot be rolled back",
                    c->file->name);
      return CLIENT_FAILED;
    }
  } while (true);
}

static bool client_other_step(struct worker *w)
{
  return w->members ? worker_turn(w) : worker_step_in_turn(w);
}

static bool client_step(struct client *c)
{
  if (!c->w->again)
    env_event_ended(&c->env);
  return UNLIKELY(c->other_step) ? client_other_step(c->w) : worker_step(c->w);
}

static void client_between_events(void *ctx)
{
  env_between(ctx);
}

static int client_run(struct client *c, struct err *err)
{
  enum client_end end = CLIENT_DONE;

  c->env.recorder = c->w->recorder;
  c->measured = true;
  if (!c->w->members &&
      env_start_between(&c->env, c->w->plan->seed,
                        c->w->plan->first_thread + c->w->tid)) {
    c->w->between = client_between_events;
    c->w->between_ctx = &c->env;
  }
  while (end != CLIENT_OVER && end != CLIENT_FAILED && client_step(c)) {
    client_begin(c);
    end = client_pass(c, err);
    if (UNLIKELY(end == CLIENT_AGAIN))
      end = client_prepare_again(c, err);
    else
      c->attempts = 0;
    if (UNLIKELY(end == CLIENT_AGAIN))
      worker_again(c->w);
  }
  if (end == CLIENT_OVER)
    env_undo_event(&c->env);
  env_work_ended(&c->env, end == CLIENT_DONE);
  c->w->between = NULL;
  c->env.between = false;
  c->measured = false;
  c->env.recorder = NULL;
  if (end == CLIENT_OVER || end == CLIENT_FAILED)
    worker_abandon(c->w);
  return end == CLIENT_FAILED ? -EINVAL : 0;
}

static int client_ping(struct client *c, struct err *err)
{
  int rc;

  c->env.recorder = c->w->recorder;
  c->measured = true;
  rc = env_ping(&c->env, err);
  c->measured = false;
  c->env.recorder = NULL;
  return rc;
}

/* ---- the test ---- */

struct sqltest_run {
  const struct sqltest_cfg *cfg;
  const struct plan *plan;
  struct labels labels;    /* files have none */
  _Atomic unsigned opened; /* clients that have connected, or could not */
  pthread_mutex_t lock;    /* protects `failed` */
  struct err failed;       /* the first failure, or "" */
};

static int sqltest_open_run(const struct plan *plan, const void *cfg,
                            void **ret_run, struct err *err)
{
  struct sqltest_run *run = calloc(1, sizeof(*run));

  if (!run)
    return err_set(err, -ENOMEM, "not enough memory");
  run->cfg = cfg;
  run->plan = plan;
  labels_init(&run->labels);
  (void)pthread_mutex_init(&run->lock, NULL);
  *ret_run = run;
  return 0;
}

/* SQLite shows settings of its driver. */
static void sqltest_mode_line(void *arg, struct strbuf *line)
{
  const struct sqltest_run *run = arg;
  struct db_env env = { .process = run->cfg->db };
  struct driver_handle *driver = run->cfg->db_line ? env_driver(&env, NULL)
                                                   : NULL;

  if (driver)
    conn_mode_line(driver, line);
  env_done(&env);
}

/* The SQL layer gets the end of the run. */
static void sqltest_stop_word(void *arg, _Atomic uint32_t *word)
{
  const struct sqltest_run *run = arg;

  process_set_over(run->cfg->db, word);
}

static void sqltest_close_run(void *arg)
{
  struct sqltest_run *run = arg;

  process_set_over(run->cfg->db, NULL); /* the word ends with the run */
  labels_done(&run->labels);
  (void)pthread_mutex_destroy(&run->lock);
  free(run);
}

/* ---- workers ---- */

struct thread {
  struct sqltest_run *run;
  struct client *client;
};

static void sqltest_count_opened(struct sqltest_run *run)
{
  const unsigned threads = run->cfg->workers > 0 ? run->cfg->workers
                                                 : plan_clients(run->plan);

  if (atomic_fetch_add(&run->opened, 1) + 1 == threads)
    process_connect_summary(run->cfg->db, threads);
}

/* A reason of many clients is printed once. */
static void sqltest_note_failure(struct sqltest_run *run, struct err *err)
{
  (void)pthread_mutex_lock(&run->lock);
  if (run->failed.text[0] == '\0')
    run->failed = *err;
  else if (strcmp(run->failed.text, err->text) == 0)
    err->said = log_get_level() < LOG_INFO;
  (void)pthread_mutex_unlock(&run->lock);
}

static void sqltest_thread_close(void *thr)
{
  struct thread *t = thr;

  client_close(t->client);
  free(t);
}

static int sqltest_thread_open(void *arg, struct worker *w, void **ret_thr,
                               struct err *err)
{
  struct thread *t = calloc(1, sizeof(*t));
  int rc;

  if (!t)
    return err_set(err, -ENOMEM, "not enough memory for %s %u",
                   plan_worker_word(w->plan),
                   plan_worker_number(w->plan, w->tid));
  t->run = arg;
  err->said = false;
  rc = client_open(&t->client, t->run->cfg, w, &t->run->labels, err);
  if (rc == 0 && !w->late)
    rc = client_connect(t->client, err);
  if (!w->late)
    sqltest_count_opened(t->run);
  if (rc < 0) {
    sqltest_thread_close(t);
    return rc;
  }
  *ret_thr = t;
  return 0;
}

static int sqltest_connect_client(void *client, struct err *err)
{
  return client_connect(client, err);
}

static int sqltest_thread_arrive(void *thr, struct worker *w, struct err *err)
{
  const struct thread *t = thr;

  (void)w;
  err->said = false;
  return env_arrive(&t->client->env, sqltest_connect_client, t->client, err);
}

static int sqltest_run_loop(struct thread *t, const struct worker *w,
                            struct err *err)
{
  const uint64_t end_ns = worker_end_ns(w);
  int rc;

  if (end_ns != PLAN_NO_LIMIT)
    atomic_store_explicit(&t->run->cfg->db->end_ns, end_ns,
                          memory_order_relaxed);
  err->said = false;
  rc = client_run(t->client, err);
  if (rc < 0)
    sqltest_note_failure(t->run, err);
  return rc;
}

static int sqltest_thread_loop(void *thr, struct worker *w, struct err *err)
{
  const int rc = sqltest_run_loop(thr, w, err);

  worker_abandon(w);
  return rc;
}

static int sqltest_thread_ping(void *thr, struct worker *w, struct err *err)
{
  struct thread *t = thr;
  int rc;

  (void)w;
  err->said = false;
  rc = client_ping(t->client, err);
  if (rc < 0)
    sqltest_note_failure(t->run, err);
  return rc;
}

static int sqltest_thread_turn(void *thr, struct worker *w, struct err *err)
{
  return sqltest_run_loop(thr, w, err);
}

/* ---- questions of the runner ---- */

static void sqltest_interrupt(void *arg, enum interrupt_step step)
{
  const struct sqltest_run *run = arg;
  struct err err;

  /* The SQL layer takes the second step itself. */
  if (step == INTERRUPT_CANCEL)
    (void)watch_deadline(&run->cfg->db->watch, &err);
}

static const struct report_form *sqltest_form(void *arg)
{
  (void)arg;
  return &sql_form;
}

static bool sqltest_in_process(void *arg)
{
  const struct sqltest_run *run = arg;

  return !process_uses_server(run->cfg->db);
}

static bool sqltest_server(void *arg, int *ret_pid, const char **ret_driver)
{
  const struct sqltest_run *run = arg;

  return process_server(run->cfg->db, ret_pid, ret_driver);
}

static void sqltest_tally(void *arg, struct tally *to)
{
  const struct sqltest_run *run = arg;

  db_figures_tally(run->cfg->db, to);
}

static void sqltest_details(void *arg, struct test_details *ret)
{
  const struct sqltest_run *run = arg;

  db_figures_details(run->cfg->db, ret);
}

static void sqltest_take_whole(void *arg, const struct test_details *whole)
{
  const struct sqltest_run *run = arg;

  db_figures_whole(run->cfg->db, whole);
}

static void sqltest_doubts(void *arg, const struct report *total,
                           struct warnings *to)
{
  const struct sqltest_run *run = arg;

  db_figures_doubts(run->cfg->db, run->plan, total, to);
}

static void sqltest_statement_times(void *arg, struct report *r)
{
  const struct sqltest_run *run = arg;

  db_figures_statement_times(run->cfg->db, r);
}

/* Clients of a thread share nothing. */
static int sqltest_group_open(void *arg, void **ret_group, struct err *err)
{
  (void)err;
  *ret_group = arg;
  return 0;
}

static void sqltest_group_close(void *group)
{
  (void)group;
}

static bool sqltest_thread_holds(void *thr)
{
  const struct thread *t = thr;

  return env_has_trx(&t->client->env);
}

const struct test_ops sqltest_ops = {
  .open = sqltest_open_run,
  .mode_line = sqltest_mode_line,
  .stop_word = sqltest_stop_word,
  .close = sqltest_close_run,
  .group_open = sqltest_group_open,
  .group_close = sqltest_group_close,
  .thread_open = sqltest_thread_open,
  .thread_close = sqltest_thread_close,
  .arrive = sqltest_thread_arrive,
  .loop = sqltest_thread_loop,
  .ping = sqltest_thread_ping,
  .turn = sqltest_thread_turn,
  .holds = sqltest_thread_holds,
  .interrupt = sqltest_interrupt,
  .form = sqltest_form,
  .in_process = sqltest_in_process,
  .server = sqltest_server,
  .tally = sqltest_tally,
  .details = sqltest_details,
  .take_whole = sqltest_take_whole,
  .warnings = sqltest_doubts,
  .statement_times = sqltest_statement_times,
};
