/*
 * step.c - the step of a worker between two events: worker.h.
 */
#include "run/worker.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/minmax.h"
#include "base/thread.h"
#include "base/wait.h"
#include "loop/fiber.h"
#include "loop/loop.h"
#include "run/delay.h"
#include "run/life.h"
#include "run/plan.h"
#include "run/run.h"
#include "run/schedule.h"
#include "run/stall.h"
#include "run/test.h"
#include "stats/class_stats.h"
#include "stats/event_ring.h"

enum {
  MAX_TICKETS = 1024,   /* in one block */
  BLOCK_NS = 50 * 1000, /* a block should last this long */
  ALONE_NS = 50 * 1000, /* see step_gives_way() */
};

static void step_set_phase(struct worker *w, enum worker_phase phase)
{
  atomic_store_explicit(&w->phase, phase, memory_order_relaxed);
}

/* Short events must not compete for a cache line; long or last events need
 * blocks of one, or tickets would wait for a busy worker. */
static bool step_take_tickets(struct worker *w, uint64_t now)
{
  struct run *run = w->run;
  uint64_t left = atomic_load_explicit(&run->tickets, memory_order_relaxed);
  uint64_t block, fair;

  if (now - w->block_ns < BLOCK_NS && w->block < MAX_TICKETS)
    w->block *= 2;
  else if (now - w->block_ns >= BLOCK_NS && w->block > 1)
    w->block /= 2;
  if (w->block == 0)
    w->block = 1;
  if (w->plan->threads == 1)
    w->block = MAX_TICKETS;
  w->block_ns = now;

  do {
    if (left == 0)
      return false;
    fair = left / (2 * (uint64_t)w->plan->threads);
    block = w->block < fair ? w->block : fair;
    if (block == 0)
      block = 1;
  } while (!atomic_compare_exchange_weak_explicit(
    &run->tickets, &left, left - block, memory_order_relaxed,
    memory_order_relaxed));
  w->tickets = block;
  return true;
}

static bool step_leave(struct worker *w, uint64_t now, const char *why)
{
  if (atomic_load_explicit(&w->left_ns, memory_order_relaxed) == 0) {
    atomic_store_explicit(&w->left_ns, now, memory_order_relaxed);
    if (why)
      log_msg(LOG_INFO, "%s", why);
  }
  step_set_phase(w, WORKER_ENDING);
  return false;
}

/* WAITS; the measured part may not begin. */
static void step_await_measured(struct run *run)
{
  uint32_t warm;

  while ((warm = atomic_load(&run->warm)) != WARM_DONE && !run_stopped(run))
    loop_wait_while(&run->warm, warm, WAIT_FOREVER);
}

/* WAITS until the counters were read. */
static void step_end_warmup(struct worker *w, uint64_t *now)
{
  w->counted = true;
  delay_start(w);
  w->tickets = w->plan->events == PLAN_NO_LIMIT ? PLAN_NO_LIMIT : 0;
  w->kept = 0;
  if (w->plan->warmup_ns == 0)
    return;
  w->watched = worker_is_watched(w);
  step_await_measured(w->run);
  (void)thread_queue_ns(&w->queue_before_ns);
  *now = clock_now_ns();
}

static bool step_time_is_over(struct run *run, uint64_t now)
{
  if (now < run->end_ns)
    return false;
  atomic_store_explicit(&run->timed_out, 1, memory_order_relaxed);
  return true;
}

/* False: the run is over. */
static bool wait_until(struct worker *w, uint64_t due, uint64_t *now)
{
  struct run *run = w->run;
  const struct test_ops *ops = run->test->ops;
  const uint64_t until = due < run->end_ns ? due : run->end_ns;

  if (*now < until)
    step_set_phase(w, WORKER_IDLE);
  while (*now < until && !run_stopped(run)) {
    if (ops->idle && !ops->idle(w->thr, w, until))
      break;
    loop_wait_while(&run->stop, STOP_NO, until);
    *now = clock_now_ns();
    if (w->schedule && *now >= due)
      w->late_ns = *now - due;
  }
  if (!w->counted && *now >= run->measured_ns)
    step_end_warmup(w, now); /* this event counts */
  return !run_stopped(run) && !step_time_is_over(run, *now);
}

static uint64_t step_pause_of(struct worker *w)
{
  uint64_t ns = w->rest_ns;

  w->rest_ns = 0;
  /* Not where arrivals set the moments. */
  if (w->iteration > 0 && !w->schedule)
    ns += think_draw(&w->plan->cfg.think_time, &w->think);
  return ns;
}

/* WAITS for a connection, a pause, the arrival.  False: the run is over. */
static bool wait_for_start(struct worker *w, uint64_t *now)
{
  struct run *run = w->run;
  uint64_t due;

  if (w->between && w->iteration > 0) {
    step_set_phase(w, WORKER_BETWEEN);
    w->between(w->between_ctx);
    *now = clock_now_ns();
    if (*now >= run->end_ns)
      service_give_up(&w->recorder->service);
  }
  if (!wait_until(w, *now + step_pause_of(w), now))
    return false;
  w->start_ns = *now;
  if (!w->schedule)
    return true;
  due = schedule_take(w->schedule, w->counted ? run->measured_ns : 0);
  if (!wait_until(w, due, now)) {
    if (w->counted && due <= *now && due <= run->end_ns)
      schedule_leave(w->schedule);
    return false;
  }
  w->start_ns = due;
  w->began_ns = *now;
  return true;
}

static bool step_get_ticket(struct worker *w, uint64_t now)
{
  w->look_ns = min_u64(w->run->end_ns, w->sample_ns);
  w->tickets += w->kept;
  w->kept = 0;
  return w->tickets > 0 || step_take_tickets(w, now);
}

/* `tickets` end before the next measured event. */
static void step_use_ticket(struct worker *w)
{
  const uint64_t before = w->sample_at - w->iteration - 1;

  if (w->counted && w->tickets > before) {
    w->kept = w->tickets - before;
    w->tickets = before;
  }
  w->tickets--;
}

/* Sets start_ns, and look_ns: when to ask again. */
static bool step_admit(struct worker *w, uint64_t now)
{
  static const char time_is_up[] = "Time limit exceeded, exiting...",
                    no_more_events[] = "Event limit exceeded, exiting...";
  struct run *run = w->run;
  bool sample;

  if (now >= run->measured_ns && !w->counted)
    step_end_warmup(w, &now);
  if (run_stopped(run))
    return step_leave(w, now, NULL);
  if (step_time_is_over(run, now))
    return step_leave(w, now, time_is_up);
  if (w->late && w->iteration > 0)
    return step_leave(w, now, NULL);

  if (!w->counted) {
    w->look_ns = run->measured_ns;
    w->tickets = PLAN_NO_LIMIT;
  } else if (!step_get_ticket(w, now)) {
    return step_leave(w, now, no_more_events);
  }

  if (now >= w->sample_ns)
    delay_choose(w, now);
  sample = w->iteration + 1 >= w->sample_at;
  if (sample)
    now = delay_begin(w);
  w->start_ns = now;
  if (w->schedule || w->plan->cfg.think_time.kind != THINK_NONE || w->between ||
      w->rest_ns > 0 || w->late) {
    if (!wait_for_start(w, &now)) {
      if (run_stopped(run))
        return step_leave(w, now, NULL);
      /* The thread can have waited for a CPU. */
      return step_leave(w, min_u64(now, run->end_ns), time_is_up);
    }
    if (!step_get_ticket(w, now)) /* the warm-up may have ended */
      return step_leave(w, now, no_more_events);
    if (sample && !w->schedule) /* the pause is outside of the event */
      w->start_ns = delay_begin(w);
    w->look_ns = 0;
  }
  step_use_ticket(w);
  w->skipped = false;
  service_begin(&w->recorder->service, w->start_ns);
  step_set_phase(w, WORKER_EVENT);
  return true;
}

static void log_event(struct worker *w, uint64_t took)
{
  struct event_record record = { .start_ns = w->start_ns,
                                 .latency_ns = took,
                                 .class_id = w->event_class,
                                 .failed = w->event_failed };

  event_ring_put(w->events, &record);
  w->event_class = EVENT_NO_CLASS;
  w->event_failed = false;
}

/* Not inlined, for registers of the fast path. */
static NOINLINE void watch_event(struct worker *w, uint64_t now, uint64_t took)
{
  static const struct class_outcome fine = { 0 };

  if (w->sampled)
    delay_end(w, took);
  if (w->rated) {
    class_record(w->rated, RATED_SERVICE, now - w->began_ns, &fine);
    class_record(w->rated, RATED_LAG, w->began_ns - w->start_ns, &fine);
  }
  if (w->members)
    class_record(w->members, w->member, took, &fine);
  if (w->events && now >= w->run->measured_ns)
    log_event(w, took);
}

/* The event began in the warm-up.  If it ends later, it counts, and is
 * recorded after the counters were read. */
static void step_end_cold_event(struct worker *w, uint64_t now, uint64_t took)
{
  struct run *run = w->run;

  if (now >= run->measured_ns) {
    step_await_measured(run);
    recorder_event(w->recorders, w->recorder, took);
    watch_event(w, now, took);
    return;
  }
  /* Sequentially consistent; pairs with reporting_cut_warmup(). */
  atomic_store(&w->recording, 1);
  if (atomic_load(&run->warm) == WARM_NOT_YET) {
    recorder_event(w->recorders, w->recorder, took);
    watch_event(w, now, took);
  }
  atomic_store_explicit(&w->recording, 0, memory_order_release);
}

/* Not inlined, for registers of the fast path. */
static NOINLINE void step_end_watched_event(struct worker *w, uint64_t now,
                                            uint64_t took)
{
  if (!w->counted && w->plan->warmup_ns > 0) {
    step_end_cold_event(w, now, took);
    return;
  }
  recorder_event(w->recorders, w->recorder, took);
  watch_event(w, now, took);
}

static ALWAYS_INLINE void step_end_event(struct worker *w, uint64_t now)
{
  struct recorder *r = w->recorder; /* loaded once: stores might change it */
  const uint64_t since = now - w->start_ns;
  const uint64_t took = LIKELY((int64_t)since >= 0) ? since : 0;

  stall_served(w, r, now);
  if (UNLIKELY(w->watched))
    step_end_watched_event(w, now, took);
  else
    recorder_event(w->recorders, r, took);
}

/* After a forced end, the event is unfinished. */
static COLD void step_end_last_event(struct worker *w, uint64_t now)
{
  if (atomic_load(&w->run->forced) == 0)
    step_end_event(w, now);
}

static COLD bool step_go_on(struct worker *w)
{
  w->again = false;
  w->open = true;
  return true;
}

bool worker_step(struct worker *w)
{
  const uint64_t now = clock_now_ns();

  if (LIKELY(run_stopped(w->run) == STOP_NO && w->open)) {
    step_end_event(w, now);
    if (LIKELY(now < w->look_ns && w->tickets > 0)) {
      w->start_ns = now;
      w->tickets--;
      w->iteration++;
      return true;
    }
  } else if (w->open) {
    step_end_last_event(w, now);
  } else if (w->again) {
    return step_go_on(w);
  }
  w->start_ns = now;
  w->open = step_admit(w, now);
  w->iteration += w->open;
  return w->open;
}

/* Also when alone, now and then, for the loop's counts. */
static bool step_gives_way(const struct worker *w)
{
  return w->moves == fiber_switches() &&
         (w->start_ns - w->gave_way_ns >= ALONE_NS || !fiber_is_alone());
}

bool worker_step_in_turn(struct worker *w)
{
  const bool now = w->open && step_gives_way(w);
  bool more;

  if (now) {
    worker_stop(w);
    fiber_yield();
  }
  more = worker_step(w);
  if (now)
    w->gave_way_ns = w->start_ns;
  w->moves = fiber_switches();
  return more;
}

void worker_give(struct worker *w, unsigned member)
{
  w->member = member;
  w->turn_given = true;
}

bool worker_turn(struct worker *w)
{
  if (w->turn_given) {
    w->turn_given = false;
    return true;
  }
  return !w->turn_unread && w->again && step_go_on(w);
}

bool worker_more(struct worker *w)
{
  const uint64_t now = clock_now_ns();

  if (LIKELY(run_stopped(w->run) == STOP_NO && now < w->look_ns &&
             w->tickets > 0)) {
    w->tickets--;
    return true;
  }
  return step_admit(w, now);
}

static void step_stand_aside(struct worker *w)
{
  if (atomic_exchange_explicit(&w->recorder->aside, true, memory_order_relaxed))
    return;
  if (atomic_fetch_add(&w->run->aside, 1) + 1 +
        atomic_load(&w->run->life.left) >=
      w->plan->threads)
    run_news(w->run);
}

bool worker_linger(struct worker *w, uint64_t ns)
{
  struct run *run = w->run;
  uint64_t now = clock_now_ns();
  const uint64_t until = now + ns;

  step_stand_aside(w);
  worker_abandon(w);
  step_set_phase(w, WORKER_IDLE);
  for (;;) {
    if (now >= run->measured_ns && !w->counted)
      step_end_warmup(w, &now);
    if (atomic_load(&run->load_over) || step_time_is_over(run, now))
      return step_leave(w, now, NULL);
    if (now >= until)
      return true;
    loop_wait_while(&run->load_over, 0, min_u64(until, run->end_ns));
    now = clock_now_ns();
  }
}

bool worker_return(struct worker *w)
{
  struct run *run = w->run;

  (void)atomic_fetch_sub(&run->aside, 1);
  if (atomic_load(&run->load_over))
    return step_leave(w, clock_now_ns(), NULL);
  return true;
}

void worker_start(struct worker *w)
{
  if (!w->schedule)
    w->start_ns = clock_now_ns();
  service_begin(&w->recorder->service, w->start_ns);
  w->open = true;
  w->iteration++;
}

void worker_stop(struct worker *w)
{
  if (!w->open)
    return;
  w->open = false;
  if (run_stopped(w->run) == STOP_NO)
    step_end_event(w, clock_now_ns());
  else
    step_end_last_event(w, clock_now_ns());
}

void worker_abandon(struct worker *w)
{
  if (w->open)
    service_give_up(&w->recorder->service);
  w->open = false;
  if (w->sampled)
    delay_drop(w);
}

void worker_skip(struct worker *w)
{
  w->skipped = w->open;
  worker_abandon(w);
}

void worker_again(struct worker *w)
{
  w->again = w->open;
  w->open = false;
}

void worker_rest(struct worker *w, uint64_t ns)
{
  w->rest_ns += ns;
  w->look_ns = 0;
}

void worker_give_back(struct worker *w)
{
  w->open = false;
  if (w->sampled)
    delay_drop(w);
  if (w->counted && w->plan->events != PLAN_NO_LIMIT)
    (void)atomic_fetch_add_explicit(&w->run->tickets, w->tickets + w->kept + 1,
                                    memory_order_relaxed);
  w->tickets = w->kept = 0;
}

_Atomic uint32_t *worker_stop_word(struct worker *w)
{
  return &w->run->stop;
}

uint64_t worker_end_ns(const struct worker *w)
{
  return w->run->end_ns;
}

bool worker_is_over(struct worker *w)
{
  return run_stopped(w->run) != STOP_NO ||
         step_time_is_over(w->run, clock_now_ns());
}

void worker_failed(struct worker *w, const struct err *why)
{
  struct run *run = w->run;

  life_fail(run, why);
  (void)atomic_fetch_add(&run->failed, 1);
  (void)run_stop(run, STOP_ERROR);
  run_news(run);
}

void worker_exit(struct worker *w, unsigned char status, const struct err *why)
{
  struct run *run = w->run;
  const struct err nothing = { "" };
  uint32_t none = 0;
  const bool first = atomic_compare_exchange_strong(&run->asked, &none,
                                                    WORKER_EXITED | status);

  if (atomic_load(&w->phase) < WORKER_ENDING)
    (void)atomic_fetch_add(&run->broken, 1);
  worker_failed(w, first ? why : &nothing);
}
