/*
 * sqltest.c - a file of SQL as a test.
 */
#include "sqlfile/run/sqltest.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/log.h"
#include "db/classes/label.h"
#include "db/conn.h"
#include "db/env_conns.h"
#include "db/figures/db_figures.h"
#include "db/figures/sql_form.h"
#include "db/watch.h"
#include "report/form.h"
#include "run/plan.h"
#include "run/test.h"
#include "run/worker.h"
#include "sqlfile/run/client.h"

struct sqltest_run {
  const struct sqltest_cfg *cfg;
  const struct plan *plan;
  struct labels labels;    /* of statements; files have none */
  _Atomic unsigned opened; /* clients that have connected, or could not */
  pthread_mutex_t lock;    /* protects `failed` */
  struct err failed;       /* the first failure; "" until there is one */
};

static int open_run(const struct plan *plan, const void *cfg, void **ret_run,
                    struct err *err)
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

/* Adds the settings of the driver that should be shown (SQLite's). */
static void mode_line(void *arg, struct strbuf *line)
{
  const struct sqltest_run *run = arg;
  struct db_env env = { .process = run->cfg->db };
  struct driver_handle *driver = run->cfg->db_line ? env_driver(&env, NULL)
                                                   : NULL;

  if (driver)
    conn_mode_line(driver, line);
  env_done(&env);
}

/* The SQL layer reads this word to see that the run is over. */
static void stop_word(void *arg, _Atomic uint32_t *word)
{
  const struct sqltest_run *run = arg;

  process_set_over(run->cfg->db, word);
}

static void close_run(void *arg)
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

/* The last worker that gets here reports how many could not connect. */
static void count_opened(struct sqltest_run *run)
{
  const unsigned threads = run->cfg->workers > 0 ? run->cfg->workers
                                                 : plan_clients(run->plan);

  if (atomic_fetch_add(&run->opened, 1) + 1 == threads)
    process_connect_summary(run->cfg->db, threads);
}

/* Many clients fail for the same reason: it is printed once. */
static void note_failure(struct sqltest_run *run, struct err *err)
{
  (void)pthread_mutex_lock(&run->lock);
  if (run->failed.text[0] == '\0')
    run->failed = *err;
  else if (strcmp(run->failed.text, err->text) == 0)
    err->said = log_get_level() < LOG_INFO;
  (void)pthread_mutex_unlock(&run->lock);
}

static void thread_close(void *thr)
{
  struct thread *t = thr;

  client_close(t->client);
  free(t);
}

static int thread_open(void *arg, struct worker *w, void **ret_thr,
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
    count_opened(t->run);
  if (rc < 0) {
    thread_close(t);
    return rc;
  }
  *ret_thr = t;
  return 0;
}

static int connect_client(void *client, struct err *err)
{
  return client_connect(client, err);
}

static int thread_arrive(void *thr, struct worker *w, struct err *err)
{
  const struct thread *t = thr;

  (void)w;
  err->said = false;
  return env_arrive(&t->client->env, connect_client, t->client, err);
}

static int run_loop(struct thread *t, const struct worker *w, struct err *err)
{
  const uint64_t end_ns = worker_end_ns(w);
  int rc;

  if (end_ns != PLAN_NO_LIMIT)
    atomic_store_explicit(&t->run->cfg->db->end_ns, end_ns,
                          memory_order_relaxed);
  err->said = false;
  rc = client_run(t->client, err);
  if (rc < 0)
    note_failure(t->run, err);
  return rc;
}

static int thread_loop(void *thr, struct worker *w, struct err *err)
{
  const int rc = run_loop(thr, w, err);

  worker_abandon(w);
  return rc;
}

static int thread_ping(void *thr, struct worker *w, struct err *err)
{
  struct thread *t = thr;
  int rc;

  (void)w;
  err->said = false;
  rc = client_ping(t->client, err);
  if (rc < 0)
    note_failure(t->run, err);
  return rc;
}

/* The same loop for one event, which is open. */
static int thread_turn(void *thr, struct worker *w, struct err *err)
{
  return run_loop(thr, w, err);
}

/* ---- questions of the runner ---- */

static void interrupt(void *arg, enum interrupt_step step)
{
  const struct sqltest_run *run = arg;
  struct err err;

  /* The SQL layer takes the second step itself. */
  if (step == INTERRUPT_CANCEL)
    (void)watch_deadline(&run->cfg->db->watch, &err);
}

static const struct report_form *form(void *arg)
{
  (void)arg;
  return &sql_form;
}

static bool in_process(void *arg)
{
  const struct sqltest_run *run = arg;

  return !process_uses_server(run->cfg->db);
}

static bool server(void *arg, int *ret_pid, const char **ret_driver)
{
  const struct sqltest_run *run = arg;

  return process_server(run->cfg->db, ret_pid, ret_driver);
}

static void tally(void *arg, struct tally *to)
{
  const struct sqltest_run *run = arg;

  db_figures_tally(run->cfg->db, to);
}

static void details(void *arg, struct test_details *ret)
{
  const struct sqltest_run *run = arg;

  db_figures_details(run->cfg->db, ret);
}

static void take_whole(void *arg, const struct test_details *whole)
{
  const struct sqltest_run *run = arg;

  db_figures_whole(run->cfg->db, whole);
}

static void doubts(void *arg, const struct report *total, struct doubts *to)
{
  const struct sqltest_run *run = arg;

  db_figures_doubts(run->cfg->db, run->plan, total, to);
}

static void statement_times(void *arg, struct report *r)
{
  const struct sqltest_run *run = arg;

  db_figures_statement_times(run->cfg->db, r);
}

/* Clients of one thread share nothing. */
static int group_open(void *arg, void **ret_group, struct err *err)
{
  (void)err;
  *ret_group = arg;
  return 0;
}

static void group_close(void *group)
{
  (void)group;
}

static bool thread_holds(void *thr)
{
  const struct thread *t = thr;

  return env_has_trx(&t->client->env);
}

const struct test_ops sqltest_ops = {
  .open = open_run,
  .mode_line = mode_line,
  .stop_word = stop_word,
  .close = close_run,
  .group_open = group_open,
  .group_close = group_close,
  .thread_open = thread_open,
  .thread_close = thread_close,
  .arrive = thread_arrive,
  .loop = thread_loop,
  .ping = thread_ping,
  .turn = thread_turn,
  .holds = thread_holds,
  .interrupt = interrupt,
  .form = form,
  .in_process = in_process,
  .server = server,
  .tally = tally,
  .details = details,
  .take_whole = take_whole,
  .doubts = doubts,
  .statement_times = statement_times,
};
