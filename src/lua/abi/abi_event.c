/*
 * abi_event.c - functions for scripts about events and counters.
 */
#include <stdint.h>

#include "base/clock.h"
#include "base/ffi_api.h"
#include "base/log.h"
#include "db/acknowledge.h"
#include "db/conn.h"
#include "db/env_conns.h"
#include "db/error_policy.h"
#include "loop/loop.h"
#include "lua/engine/shared.h"
#include "lua/engine/state.h"
#include "run/plan.h"
#include "run/worker.h"
#include "stats/recorder.h"

_Static_assert((int)SB_CNT_OTHER == (int)COUNTER_OTHER &&
                 (int)SB_CNT_READ == (int)COUNTER_READ &&
                 (int)SB_CNT_WRITE == (int)COUNTER_WRITE &&
                 (int)SB_CNT_TRX == (int)COUNTER_EVENT &&
                 (int)SB_CNT_ERROR == (int)COUNTER_ERROR &&
                 (int)SB_CNT_RECONNECT == (int)COUNTER_RECONNECT &&
                 (int)SB_CNT_BYTES_READ == (int)COUNTER_BYTES_READ &&
                 (int)SB_CNT_BYTES_WRITTEN == (int)COUNTER_BYTES_WRITTEN &&
                 (int)SB_CNT_MAX == (int)COUNTER_READ_EMPTY,
               "scripts and recorders count in the same order");

static struct worker *abi_event_current_worker(void)
{
  const struct state *s = state_current();

  return LIKELY(s != NULL) ? s->worker : NULL;
}

/* The same for the thread's own number. */
static struct worker *worker_of(int thread_id)
{
  const struct state *s = state_current();
  const char *who;

  if (LIKELY(s && (unsigned)thread_id == s->tid))
    return s->worker;
  who = s ? plan_worker_word(s->script->setup.plan) : "thread";
  log_msg(LOG_ALERT, "%s number %d is not that of the calling %s, call ignored",
          who, thread_id, who);
  return NULL;
}

bool sb_more_events(int thread_id)
{
  struct worker *w = worker_of(thread_id);

  if (!w)
    return false;
  worker_abandon(w); /* an event was started and not stopped */
  return worker_more(w);
}

void sb_event_start(int thread_id)
{
  struct worker *w = worker_of(thread_id);

  if (w)
    worker_start(w);
}

void sb_event_stop(int thread_id)
{
  struct worker *w = worker_of(thread_id);

  if (w)
    worker_stop(w);
}

void sb_counter_inc(int thread_id, sb_counter_type type)
{
  sb_counter_add(thread_id, type, 1);
}

void sb_counter_add(int thread_id, sb_counter_type type, uint64_t n)
{
  struct worker *w = worker_of(thread_id);

  if (w && (unsigned)type < SB_CNT_MAX)
    recorder_count(w->recorder, (enum counter)type, n);
}

uint64_t sb_counter_val(int thread_id, sb_counter_type type)
{
  const struct worker *w = worker_of(thread_id);
  uint64_t n;

  if (!w || (unsigned)type >= SB_CNT_MAX)
    return 0;
  n = atomic_load_explicit(&w->recorder->counter[type], memory_order_relaxed);
  return (int)type == (int)SB_CNT_TRX ? n + recorder_events(w->recorder) : n;
}

/* Unread results of an event are settled before it ends. */
bool bench_event_step(void)
{
  struct worker *w = abi_event_current_worker();

  if (LIKELY(w != NULL && !w->unsettled))
    return worker_step(w);
  return w && w->members && worker_turn(w);
}

bool bench_event_unread(void)
{
  const struct state *s = state_current();

  return UNLIKELY(s && s->env.unread);
}

sql_connection *bench_event_settle(void)
{
  struct state *s = state_current();
  struct conn *c = s ? env_settle(&s->env) : NULL;

  return c ? conn_abi(c) : NULL;
}

void bench_event_abandon(void)
{
  struct worker *w = abi_event_current_worker();

  if (w)
    worker_abandon(w);
}

/* The event is not counted. */
void bench_event_skip(void)
{
  struct worker *w = abi_event_current_worker();

  if (w)
    worker_skip(w);
}

/* Is it too late for another attempt?  Events end with the run, everything
 * else at its deadline. */
static bool abi_event_is_over(const struct state *s)
{
  return env_in_event(&s->env) ? worker_is_over(s->worker)
                               : env_is_dead(&s->env);
}

bool bench_event_restart(int attempt)
{
  const struct state *s = state_current();
  const uint64_t pause = error_restart_pause_ns(attempt);

  if (!s || abi_event_is_over(s))
    return false;
  if (pause > 0) {
    const uint64_t until = clock_now_ns() + pause;
    _Atomic uint32_t *word = env_in_event(&s->env) ? worker_stop_word(s->worker)
                                                   : &s->env.process->never;

    while (clock_now_ns() < until && !abi_event_is_over(s))
      loop_wait_while(word, 0, until);
  }
  return !abi_event_is_over(s);
}

void bench_event_again(void)
{
  struct state *s = state_current();

  if (!s || !s->worker)
    return;
  acknowledge_nothing(&s->env);
  env_undo_attempt(&s->env);
  worker_again(s->worker);
}

void bench_event_undo(void)
{
  struct state *s = state_current();

  if (!s)
    return;
  acknowledge_nothing(&s->env);
  env_undo_event(&s->env);
}

bool bench_in_event(void)
{
  const struct state *s = state_current();

  return s && env_in_event(&s->env);
}

static uint64_t abi_event_nanoseconds(double seconds)
{
  if (!(seconds > 0))
    return 0;
  return seconds < 1e9 ? (uint64_t)(seconds * NS_PER_S) : 1000000000 * NS_PER_S;
}

void bench_event_rest(double seconds)
{
  struct worker *w = abi_event_current_worker();

  if (w && seconds > 0)
    worker_rest(w, abi_event_nanoseconds(seconds));
}

/* A wait outside of events, for a client's own loop.  False: the run is
 * over. */
bool bench_linger(double seconds)
{
  struct worker *w = abi_event_current_worker();

  return w && worker_linger(w, abi_event_nanoseconds(seconds));
}

/* Excludes the client from all figures, or includes it again. */
void bench_off_duty(bool off)
{
  struct state *s = state_current();

  if (!s || !s->worker)
    return;
  s->env.recorder = off ? NULL : s->worker->recorder;
  s->measured = !off;
}

double bench_iteration(void)
{
  const struct worker *w = abi_event_current_worker();

  return w ? (double)w->iteration : 0;
}
