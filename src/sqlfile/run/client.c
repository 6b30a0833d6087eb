/*
 * client.c - opens and closes a client, and runs its events.
 */
#include "sqlfile/run/client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/err.h"
#include "base/log.h"
#include "db/conn.h"
#include "db/env_conns.h"
#include "db/restart.h"
#include "loop/loop.h"
#include "rand/stream.h"
#include "run/plan.h"
#include "run/worker.h"
#include "sqlfile/run/sqltest.h"

/* ---- open and close ---- */

/* Prints what debug() is called with. */
static void print_debug(void *ctx, uint32_t at, const struct value *v)
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

static void set_builtins(struct client *c, const struct plan *plan)
{
  const struct value values[SQLFILE_BUILTINS] = {
    [SQLFILE_CLIENT_ID] = value_int(plan->first_thread + c->w->tid),
    [SQLFILE_SCALE] = value_int(1),
    [SQLFILE_RANDOM_SEED] = value_int((int64_t)plan->seed),
    /* The same for all clients, so that they agree on what is popular. */
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

/* Some statement keeps its rows. */
static bool keeps_rows(const struct sqlfile *file)
{
  for (size_t i = 0; i < file->n_statements; i++) {
    if (file->statement[i].keep != SQLFILE_KEEP_NOTHING)
      return true;
  }
  return false;
}

static bool make_values(struct client *c, const struct plan *plan)
{
  const struct sqlfile *file = c->file;

  c->value = calloc(file->n_variables, sizeof(*c->value));
  c->saved = calloc(file->n_variables, sizeof(*c->saved));
  c->statement = calloc(file->n_statements, sizeof(*c->statement));
  if (keeps_rows(file))
    c->texts = calloc(file->n_variables, sizeof(*c->texts));
  if (!c->value || !c->saved || !c->statement ||
      (keeps_rows(file) && !c->texts))
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
    .debug = print_debug,
    .debug_ctx = c,
  };
  set_builtins(c, plan);
  return true;
}

int client_connect(struct client *c, struct err *err)
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
  err->said = log_get_level() < LOG_INFO; /* the SQL layer has said why */
  return -EIO;
}

int client_open(struct client **ret, const struct sqltest_cfg *cfg,
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
  if (!make_values(c, plan) ||
      (w->classes && statements_init(&c->classes, w->classes, labels,
                                     cfg->member, &c->measured, &c->env) < 0)) {
    client_close(c);
    return err_set(err, -ENOMEM, "not enough memory for client %u", w->tid);
  }
  *ret = c;
  return 0;
}

void client_close(struct client *c)
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

/* ---- events ---- */

/* A repetition draws the same numbers and begins with the same variables. */
static void begin(struct client *c)
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

/* Waits before the next attempt.  False: there is no time for it. */
static bool wait_for_attempt(struct client *c)
{
  const uint64_t pause = restart_pause_ns(c->attempts);
  const uint64_t until = pause > 0 ? clock_now_ns() + pause : 0;

  while (until > 0 && clock_now_ns() < until && !worker_is_over(c->w))
    loop_wait_while(worker_stop_word(c->w), 0, until);
  return !worker_is_over(c->w);
}

/* Rolls back what the failed attempt has left open; that may fail as well. */
static enum client_end prepare_again(struct client *c, struct err *err)
{
  do {
    c->attempts++;
    if (!wait_for_attempt(c))
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

static bool other_step(struct worker *w)
{
  return w->members ? worker_turn(w) : worker_step_in_turn(w);
}

static bool step(struct client *c)
{
  if (!c->w->again)
    env_event_ended(&c->env);
  return UNLIKELY(c->other_step) ? other_step(c->w) : worker_step(c->w);
}

static void between_events(void *ctx)
{
  env_between(ctx);
}

int client_run(struct client *c, struct err *err)
{
  enum client_end end = CLIENT_DONE;

  c->env.recorder = c->w->recorder;
  c->measured = true;
  if (!c->w->members &&
      env_start_between(&c->env, c->w->plan->seed,
                        c->w->plan->first_thread + c->w->tid)) {
    c->w->between = between_events;
    c->w->between_ctx = &c->env;
  }
  while (end != CLIENT_OVER && end != CLIENT_FAILED && step(c)) {
    begin(c);
    end = client_pass(c, err);
    if (UNLIKELY(end == CLIENT_AGAIN))
      end = prepare_again(c, err);
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

int client_ping(struct client *c, struct err *err)
{
  int rc;

  c->env.recorder = c->w->recorder; /* for errors */
  c->measured = true;
  rc = env_ping(&c->env, err);
  c->measured = false;
  c->env.recorder = NULL;
  return rc;
}
