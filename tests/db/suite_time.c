/*
 * suite_time.c - statements that take too long are ended from outside.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/strbuf.h"
#include "base/wait.h"
#include "suite.h"

/* Another failure of the same connection has nothing to do with the limit. */
static void not_limited(const struct rig *r)
{
  static const char wrong[] = "SELECT FROM nowhere WHERE";
  struct conn_message m;

  if (r->is->slow_option[0]) /* all statements are too long */
    return;
  (void)conn_query(r->con, wrong, strlen(wrong));
  m = conn_take_message(r->con);
  ok(!strstr(strbuf_str(&m.lines), "timeout"), "that of another does not");
  conn_drop_message(&m);
}

static void query_timeout(const struct rig_settings *base)
{
  struct rig_settings set = *base;
  struct rig r;
  uint64_t start, took;
  struct conn_message m;

  set.query_timeout_s = 0.2;
  if (!rig_open(&r, &set))
    return;
  start = clock_now_ns();
  (void)conn_query(r.con, r.is->slow, strlen(r.is->slow));
  took = clock_now_ns() - start;
  ok(r.con->pub.error == DB_ERROR_FATAL &&
       (r.is->interrupted == 0 || r.con->pub.sql_errno == r.is->interrupted),
     "a statement that takes too long is interrupted");
  ok_str(r.con->pub.sql_state, r.is->interrupted_state, "its state");
  ok(took >= 190 * NS_PER_MS && took < 5 * NS_PER_S, "in time");
  ok(counted(&r, COUNTER_ERROR) == 1, "it is an error");
  m = conn_take_message(r.con);
  ok(strstr(strbuf_str(&m.lines), "--db-query-timeout=0.2\n"),
     "the message names the option");
  conn_drop_message(&m);
  not_limited(&r);
  rig_close(&r);
}

struct blocked {
  const struct rig *r;
  struct db_env env;
  struct conn *c;
  _Atomic uint32_t connected;
  pthread_t thread;
};

static void *block(void *arg)
{
  struct blocked *b = arg;
  const bool connected = rig_thread(&b->env, b->r, 1, &b->c);

  atomic_store(&b->connected, connected ? 1 : 2);
  wait_wake_all(&b->connected);
  if (connected)
    (void)conn_query(b->c, b->r->is->slow, strlen(b->r->is->slow));
  return NULL;
}

static void deadline(const struct rig_settings *base)
{
  struct rig_settings set = *base;
  struct blocked b = { 0 };
  struct rig r;
  struct err err;
  uint64_t start;

  set.threads = 2;
  if (!rig_open(&r, &set))
    return;
  b.r = &r;
  (void)pthread_create(&b.thread, NULL, block, &b);
  while (atomic_load(&b.connected) == 0)
    wait_while(&b.connected, 0, WAIT_FOREVER);
  if (atomic_load(&b.connected) == 1) { /* let it get into its call */
    while (atomic_load(&b.c->watched->busy) == 0)
      (void)sched_yield();
  }
  start = clock_now_ns();
  ok(watch_deadline(&r.process->watch, &err) == 0, "the deadline");
  (void)pthread_join(b.thread, NULL);
  ok(clock_now_ns() - start < 3 * NS_PER_S, "ends what is blocked");
  ok(b.c && conn_failure(b.c)->abandoned, "the event is abandoned");
  ok(counted(&r, COUNTER_ERROR) == 0, "it is no error");
  ok(b.c && !(b.c->owed & CONN_OWES_MESSAGE), "nothing is said");
  env_done(&b.env);
  rig_close(&r);
}

void suite_time(const struct rig_settings *base)
{
  struct rig_settings set = *base;
  struct rig r;

  if (!rig_open(&r, base))
    return;
  if (r.is->slow_option[0])
    set.more = r.is->slow_option;
  rig_close(&r);
  query_timeout(&set);
  deadline(&set);
}
