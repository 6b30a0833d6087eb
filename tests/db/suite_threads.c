/*
 * suite_threads.c - many threads at once lose no update, and a killed process
 * leaves an intact database.
 */
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "suite.h"

enum {
  THREADS = 8,
  EVENTS = 40, /* of each thread */
  SEATS = 2,   /* rows that are updated in opposite orders */
};

struct seat {
  const struct rig *r;
  unsigned number;
  bool good;
  uint64_t restarts;
  pthread_t thread;
};

/* Statement after statement, or again from the first. */
static bool one_event(struct conn *c, unsigned number, uint64_t *restarts)
{
  char first[80], second[80];
  const char *const sql[] = { "BEGIN", "SELECT n FROM suite_cnt WHERE id = 1",
                              first, second, "COMMIT" };
  size_t i = 0;

  (void)snprintf(first, sizeof(first),
                 "UPDATE suite_cnt SET n = n + 1 WHERE id = %u",
                 1 + number % SEATS);
  (void)snprintf(second, sizeof(second),
                 "UPDATE suite_cnt SET n = n + 1 WHERE id = %u",
                 1 + (number + 1) % SEATS);
  while (i < sizeof(sql) / sizeof(sql[0])) {
    (void)conn_query(c, sql[i], strlen(sql[i]));
    if (c->pub.error == DB_ERROR_NONE) {
      i++;
      continue;
    }
    if (c->pub.error == DB_ERROR_FATAL || conn_restart(c) == DB_ERROR_FATAL) {
      conn_say(c);
      return false;
    }
    i = 0;
    (*restarts)++;
  }
  return true;
}

static void *writer(void *arg)
{
  struct seat *s = arg;
  struct db_env env;
  struct conn *c;

  s->good = rig_thread(&env, s->r, s->number, &c);
  for (int i = 0; i < EVENTS && s->good; i++)
    s->good = one_event(c, s->number, &s->restarts);
  env_done(&env);
  return NULL;
}

static void many(struct rig *r)
{
  struct seat seat[THREADS];
  uint64_t restarts = 0;
  bool good = true;
  char want[16];

  for (unsigned i = 0; i < THREADS; i++) {
    seat[i] = (struct seat){ .r = r, .number = i + 1 };
    (void)pthread_create(&seat[i].thread, NULL, writer, &seat[i]);
  }
  for (unsigned i = 0; i < THREADS; i++) {
    (void)pthread_join(seat[i].thread, NULL);
    good &= seat[i].good;
    restarts += seat[i].restarts;
  }
  ok(good, "%d threads with %d transactions each", THREADS, EVENTS);
  printf("# %" PRIu64 " restarts\n", restarts);
  ok(counted(r, COUNTER_ERROR) == restarts, "each restart is one error");
  (void)snprintf(want, sizeof(want), "%d", THREADS * EVENTS);
  if (!r->is->stores)
    return;
  ok_str(ask_sql(r->con, "SELECT n FROM suite_cnt WHERE id = 1"), want,
         "as many increments as events");
  ok_str(ask_sql(r->con, "SELECT n FROM suite_cnt WHERE id = 2"), want,
         "of the other row, too");
}

/* In a process of its own: writes until it is killed. */
static void write_for_ever(const struct rig_settings *set, int ready)
{
  struct rig r;
  uint64_t restarts = 0;

  if (!rig_open(&r, set) || !one_event(r.con, 0, &restarts) ||
      write(ready, "x", 1) != 1)
    _exit(1);
  while (one_event(r.con, 0, &restarts)) {
  }
  _exit(1);
}

static void killed_writer(const struct rig_settings *set)
{
  struct rig r;
  int pipes[2];
  char c;
  pid_t child;

  if (pipe(pipes) < 0)
    return;
  (void)fflush(stdout);
  child = fork();
  if (child == 0)
    write_for_ever(set, pipes[1]);
  (void)close(pipes[1]);
  ok(child > 0 && read(pipes[0], &c, 1) == 1, "another process writes");
  (void)kill(child, SIGKILL);
  (void)waitpid(child, NULL, 0);
  (void)close(pipes[0]);
  if (!rig_open(&r, set)) {
    ok(false, "cannot connect");
    return;
  }
  ok_str(ask_sql(r.con, r.is->integrity), "ok", "it is killed: all intact");
  ok_str(ask_sql(r.con, "SELECT COUNT(DISTINCT n) FROM suite_cnt"), "1",
         "no half transaction");
  rig_close(&r);
}

void suite_threads(const struct rig_settings *base)
{
  struct rig_settings set = *base;
  struct rig r;
  char sql[120];
  bool integrity;

  set.threads = THREADS + 1;
  if (!rig_open(&r, &set)) {
    ok(false, "cannot connect");
    return;
  }
  (void)snprintf(sql, sizeof(sql),
                 "CREATE TABLE suite_cnt (id %s PRIMARY KEY, n %s)",
                 r.is->int_type, r.is->int_type);
  ok(run_sql(r.con, "DROP TABLE IF EXISTS suite_cnt") && run_sql(r.con, sql) &&
       run_sql(r.con, "INSERT INTO suite_cnt VALUES (1, 0), (2, 0)"),
     "a table that counts");
  many(&r);
  integrity = r.is->integrity;
  if (integrity)
    ok_str(ask_sql(r.con, r.is->integrity), "ok", "the database is intact");
  rig_close(&r);
  if (integrity)
    killed_writer(base);
}
