/*
 * test_runner_limits.c - how runs end: event limits, workers that leave early,
 * errors, signals, the warm-up.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/wait.h"
#include "run/runner.h"
#include "run/schedule.h"
#include "run/worker.h"
#include "tests/unit/run_probe.h"
#include "tests/unit/tap.h"

static int nothing(struct probe *p, struct worker *w, struct err *err)
{
  (void)p, (void)w, (void)err;
  return 0;
}

static void test_exact(void)
{
  static const uint64_t limits[] = { 1, 3, 7, 1000, 4096, 100003 };

  for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
    struct probe p;

    probe_init(&p);
    p.plan.threads = 4;
    p.plan.events = limits[i];
    p.on_event = nothing;
    probe_run(&p);
    OK(p.events == limits[i] && p.final.events == limits[i],
       "exactly so many events over 4 threads");
    OK(p.status == EXIT_OK && p.thread_closes == 4, "and all have ended");
    probe_done(&p);
  }
}

static void test_whole_time(void)
{
  struct probe p;

  probe_init(&p);
  p.plan.threads = 2;
  p.plan.time_ns = 100 * NS_PER_MS;
  p.on_event = nothing;
  probe_run(&p);
  OK(p.status == EXIT_OK && p.final.elapsed_ns >= p.plan.time_ns,
     "no run ends before its time limit");
  probe_done(&p);
}

/*
 * Worker 0 executes five events and then has nothing left; worker 1 waits for
 * the tickets that it returns.
 */
static bool only_five(struct probe *p, struct worker *w)
{
  uint32_t gone;

  if (w->tid == 0)
    return w->iteration < 5;
  while ((gone = atomic_load(&p->thread_closes)) == 0)
    wait_while(&p->thread_closes, gone, WAIT_FOREVER);
  return true;
}

static void test_give_back(void)
{
  struct probe p;

  probe_init(&p);
  p.plan.threads = 2;
  p.plan.events = 3000;
  p.on_event = nothing;
  p.on_next = only_five;
  p.ops.finish = NULL; /* it would wait for both */
  probe_run(&p);
  OK(p.events == 3000 && p.final.events == 3000,
     "tickets that were given back are not lost");
  OK(p.final.counter[COUNTER_ERROR] == 0, "and nothing else is counted");
  probe_done(&p);
}

/* Worker 0 leaves when an interval line has shown two threads, worker 1 when
 * one has shown a single thread. */
static void watch_threads(struct probe *p, const struct report *r)
{
  if (r->threads_running < atomic_load(&p->word))
    probe_say(p, r->threads_running);
}

static bool until_seen(struct probe *p, struct worker *w)
{
  return atomic_load(&p->word) > 2 - w->tid;
}

static void see_two(struct probe *p, const struct report *r)
{
  if (r->threads_running == 2 && atomic_load(&p->word) > 2)
    probe_say(p, 2);
  else
    watch_threads(p, r);
}

static void test_leavers(void)
{
  struct probe p;

  probe_init(&p);
  p.plan.threads = 2;
  p.plan.interval_ns = 5 * NS_PER_MS;
  p.word = 3;
  p.on_event = nothing;
  p.on_next = until_seen;
  p.on_interval = see_two;
  p.ops.finish = NULL;
  probe_run(&p);
  OK(p.status == EXIT_OK && p.intervals >= 2,
     "a worker that has left is not shown as running");
  OK(p.final.threads == 2 && p.final.events == p.events, "its events count");
  probe_done(&p);
}

/* Worker 1 fails as soon as worker 0 is in an event. */
static int one_fails(struct probe *p, struct worker *w, struct err *err)
{
  if (w->tid == 0) {
    if (atomic_load(&p->word) == 0)
      probe_say(p, 1);
    return 0;
  }
  probe_hear(p, 1);
  return err_set(err, -EIO, "worker 1 fails");
}

static void test_error_stops_all(void)
{
  struct probe p;

  probe_init(&p);
  p.plan.threads = 2;
  p.on_event = one_fails;
  probe_run(&p);
  OK(p.status == EXIT_FAILED, "an error in one worker ends the run");
  OK_STR(p.said, "FATAL: worker 1 fails\n", "is printed once");
  OK(p.finals == 1 && p.final.kind == REPORT_FINAL, "there is a report");
  OK(p.final.events == p.events - 1, "without the event that failed");
  OK(p.thread_closes == 2, "both workers are closed");
  probe_done(&p);
}

static int send_signal(struct probe *p, struct worker *w, struct err *err)
{
  (void)err;
  if (w->iteration == 100)
    (void)kill(getpid(), (int)p->word);
  return 0;
}

static void test_signals(void)
{
  static const struct {
    int number;
    const char *said;
  } cases[] = {
    { SIGINT, "WARNING: stopped by SIGINT\n" },
    { SIGTERM, "WARNING: stopped by SIGTERM\n" },
  };

  for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
    struct probe p;

    probe_init(&p);
    p.word = (uint32_t)cases[i].number;
    p.on_event = send_signal;
    probe_run(&p);
    OK(p.status == EXIT_SIGNAL + cases[i].number,
       "the exit status of a signal");
    OK_STR(p.said, cases[i].said, "and its message");
    OK(p.finals == 1 && p.final.events == p.events && p.events >= 100,
       "what was measured is reported");
    probe_done(&p);
  }
}

static _Atomic uint32_t *stop_word; /* stop word of the run */

static int keep_stop_word(struct probe *p, struct worker *w, struct err *err)
{
  (void)p, (void)err;
  stop_word = worker_stop_word(w);
  return 0;
}

static int end_with_signal(void *run, struct err *err)
{
  (void)run, (void)err;
  (void)kill(getpid(), SIGTERM);
  while (atomic_load(stop_word) == 0)
    wait_while(stop_word, 0, WAIT_FOREVER);
  return 0;
}

static void test_late_signal(void)
{
  struct probe p;

  probe_init(&p);
  p.plan.events = 1;
  p.on_event = keep_stop_word;
  p.ops.end = end_with_signal;
  probe_run(&p);
  OK(p.status == EXIT_SIGNAL + SIGTERM && p.reason == END_SIGNAL,
     "a signal behind the last report");
  OK_STR(p.said, "WARNING: stopped by SIGTERM\n", "is told");
  probe_done(&p);
}

enum {
  CROWD = 16, /* more than processors: most are interrupted at some place */
};

/*
 * Notes that this worker had an event in the warm-up.  p->word has a bit for
 * each.
 */
static int note_cold(struct probe *p, struct worker *w, struct err *err)
{
  (void)err;
  if (!w->counted)
    (void)atomic_fetch_or(&p->word, UINT32_C(1) << w->tid);
  return 0;
}

/* Returns how many workers had an event in the warm-up. */
static unsigned warm_up(void)
{
  struct probe p;
  unsigned open;

  probe_init(&p);
  p.plan.threads = CROWD;
  p.plan.warmup_ns = 20 * NS_PER_MS;
  p.plan.events = 100;
  p.on_event = note_cold;
  probe_run(&p);
  open = (unsigned)__builtin_popcount(atomic_load(&p.word));
  OK(p.status == EXIT_OK, "a warm-up");
  OK(p.final.events == 100 + open,
     "of its events those count that were open at its end, one of each worker");
  OK(p.events > p.final.events || open == 0, "and no others");
  OK(p.final.elapsed_ns == p.final.period_ns,
     "its total time is the one that its rates are divided by");
  probe_done(&p);
  return open;
}

/*
 * A loop of events ends each event at the start of the next, so exactly one
 * event of a worker begins in the warm-up and ends after it.  On a busy
 * machine, the warm-up may be over before any worker got a processor.
 */
static void test_warmup(void)
{
  unsigned crowded = 0;

  for (unsigned i = 0; i < 200 && crowded < 5; i++)
    crowded += warm_up() > 2;
  OK(crowded > 0, "several workers had events in the warm-up");
}

/* All workers but one wait for an arrival until after the warm-up. */
static void test_warmup_rate(void)
{
  struct probe p;
  unsigned cold;

  probe_init(&p);
  p.plan.threads = CROWD;
  p.plan.warmup_ns = 20 * NS_PER_MS;
  p.plan.events = 20;
  p.plan.rate = 200;
  p.plan.report.rate = true;
  p.on_event = note_cold;
  probe_run(&p);
  cold = (unsigned)__builtin_popcount(atomic_load(&p.word));
  OK(p.status == EXIT_OK && cold < CROWD / 2 && p.final.events >= 20 &&
       p.final.events <= 20 + cold,
     "an event that arrives after the warm-up needs a ticket");
  probe_done(&p);
}

static void test_warmup_cut(void)
{
  struct probe p;

  probe_init(&p);
  p.plan.warmup_ns = 3600 * NS_PER_S;
  p.word = SIGTERM;
  p.on_event = send_signal;
  probe_run(&p);
  OK(p.status == EXIT_SIGNAL + SIGTERM && p.finals == 1,
     "a signal in the warm-up");
  OK(p.events >= 100 && p.final.events == 0, "nothing was measured");
  OK(p.final.elapsed_ns == 0 && p.final.period_ns == 0, "in no time");
  OK(p.final.max_ns == 0 && p.final.sum_ns == 0, "and no latency is shown");
  probe_done(&p);
}

static void test_warmup_cut_rate(void)
{
  struct probe p;

  probe_init(&p);
  p.plan.warmup_ns = 3600 * NS_PER_S;
  p.plan.rate = 1e6;
  p.plan.report.rate = true;
  p.word = SIGTERM;
  p.on_event = send_signal;
  probe_run(&p);
  OK_STR(p.said, "WARNING: stopped by SIGTERM\n",
         "a run that only warms up is not too slow for its rate");
  OK(p.arrivals == 0 && p.backlog == 0 && p.final.queue_length == 0,
     "no arrival of it counts");
  OK(p.wall_ns == 0, "and it took no time");
  probe_done(&p);
}

/* The error comes while worker 0 waits for the warm-up to be over. */
static int fail_soon(struct probe *p, struct worker *w, struct err *err)
{
  (void)p;
  return w->iteration == 50 ? err_set(err, -EIO, "warm and broken") : 0;
}

static void test_warmup_error(void)
{
  struct probe p;

  probe_init(&p);
  p.plan.threads = 2;
  p.plan.warmup_ns = 3600 * NS_PER_S;
  p.on_event = fail_soon;
  probe_run(&p);
  OK(p.status == EXIT_FAILED && p.final.events == 0, "an error in the warm-up");
  probe_done(&p);
}

static void test_rate(void)
{
  struct probe p;

  probe_init(&p);
  p.plan.threads = 3;
  p.plan.events = 500;
  p.plan.rate = 1e6;
  p.plan.report.rate = true;
  p.on_event = nothing;
  probe_run(&p);
  OK(p.events == 500 && p.final.events == 500, "the event limit under a rate");
  OK(p.final.sum_ns > 0 && p.final.min_ns <= p.final.max_ns,
     "latency counts from arrivals");
  probe_done(&p);
}

/* Returns the processor time of this thread. */
static uint64_t used_ns(void)
{
  return clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* Returns the schedule with this rate, with the arrivals up to that time. */
static struct schedule *schedule_up_to(double rate, uint64_t time_ns)
{
  struct schedule *s = NULL;
  struct err err;

  if (schedule_new(&s, rate, 1, 0, &err) < 0)
    abort();
  schedule_start(s, 0, UINT64_MAX, UINT64_MAX);
  (void)schedule_waiting(s, time_ns);
  return s;
}

/* Returns the processor time for going through all arrivals. */
static uint64_t cost_of_arrivals(double rate, uint64_t time_ns)
{
  const uint64_t before = used_ns();

  schedule_free(schedule_up_to(rate, time_ns));
  return used_ns() - before;
}

static bool nothing_to_catch_up(void)
{
  uint64_t cost, before;
  struct probe p;

  probe_init(&p);
  p.plan.time_ns = 500 * NS_PER_MS;
  p.plan.rate = 1e7;
  p.plan.report.rate = true;
  p.on_event = nothing;
  cost = cost_of_arrivals(p.plan.rate, p.plan.time_ns);
  before = used_ns();
  probe_run(&p);
  probe_done(&p);
  return used_ns() - before < cost / 2;
}

/* On a busy machine the report thread may be late. */
static void test_rate_followed(void)
{
  bool ok = false;

  for (int i = 0; i < 10 && !ok; i++)
    ok = nothing_to_catch_up();
  OK(ok, "the arrivals of a run are not left to its end");
}

static int fail_at_100(struct probe *p, struct worker *w, struct err *err)
{
  (void)p;
  return w->iteration == 100 ? err_set(err, -EIO, "enough") : 0;
}

/*
 * The worker has left, and closes after the report thread has worked two more
 * times.
 */
static void close_late(void *thr)
{
  probe_say(thr, 1);
  probe_hear(thr, 3);
}

static void count_lines(struct probe *p, const struct report *r)
{
  const uint32_t word = atomic_load(&p->word);

  (void)r;
  if (word == 1 || word == 2)
    probe_say(p, word + 1);
}

static uint64_t arrivals_within(double rate, uint64_t time_ns)
{
  struct schedule *s = schedule_up_to(rate, time_ns);
  const uint64_t n = schedule_arrivals(s);

  schedule_free(s);
  return n;
}

static void test_rate_stopped(void)
{
  struct probe p;

  probe_init(&p);
  p.plan.rate = 1e5;
  p.plan.report.rate = true;
  p.plan.interval_ns = 120 * NS_PER_MS; /* each looks at the queue */
  p.on_event = fail_at_100;
  p.on_interval = count_lines;
  p.ops.thread_close = close_late;
  probe_run(&p);
  OK(p.arrivals == arrivals_within(p.plan.rate, p.final.elapsed_ns),
     "what would have arrived after a stop does not count");
  OK(p.backlog == p.arrivals - 100 && p.final.queue_length == p.backlog,
     "nor is it said to wait");
  probe_done(&p);
}

/* An operation of the test is in progress, and fails. */
static bool fails_meanwhile(void *thr, struct worker *w, uint64_t until_ns)
{
  struct probe *p = thr;

  atomic_store(&p->word, until_ns > clock_now_ns() && w->thr == thr);
  return false;
}

static int tell_it(struct probe *p, struct worker *w, struct err *err)
{
  (void)p, (void)w;
  return err_set(err, -EIO, "it has failed");
}

/* The arrivals are hours apart. */
static void test_rate_idle(void)
{
  struct probe p;

  probe_init(&p);
  p.plan.rate = 1e-4;
  p.plan.report.rate = true;
  p.ops.idle = fails_meanwhile;
  p.on_event = tell_it;
  probe_run(&p);
  OK(p.word == 1, "who waits for an arrival sees to the rest");
  OK(p.status == EXIT_FAILED && p.events == 1, "an error there ends the wait");
  OK_STR(p.said, "FATAL: it has failed\n", "and is told");
  probe_done(&p);
}

/*
 * Waits until force is used, or until after the deadline if it should not be.
 */
static int finish_late(void *thr, struct worker *w, struct err *err)
{
  struct probe *p = thr;
  const uint64_t until = p->plan.grace_auto
                           ? worker_end_ns(w) + p->plan.grace_ns +
                               50 * NS_PER_MS
                           : PLAN_NO_LIMIT;

  (void)err;
  while (clock_now_ns() < until && atomic_load(worker_stop_word(w)) == 0)
    wait_while(worker_stop_word(w), 0, until);
  return 0;
}

static void test_finish_late(bool automatic)
{
  struct probe p;

  probe_init(&p);
  p.plan.threads = 2;
  p.plan.events = 10;
  p.plan.time_ns = NS_PER_S; /* for all to leave, also on a busy machine */
  p.plan.grace_ns = NS_PER_MS;
  p.plan.grace_auto = automatic;
  p.on_event = nothing;
  p.ops.finish = finish_late;
  probe_run(&p);
  if (automatic)
    OK(p.status == EXIT_OK && p.final.kind == REPORT_FINAL,
       "the automatic deadline waits for finish()");
  if (automatic)
    OK(p.reason == END_EVENTS, "and it is the event limit that ended the run");
  else
    OK(p.status == EXIT_FORCED && p.final.kind == REPORT_FORCED,
       "one that was asked for does not");
  probe_done(&p);
}

/* Takes until the warning of the wait is written. */
static int event_late(struct probe *p, struct worker *w, struct err *err)
{
  struct stat said = { .st_size = 0 };

  (void)p, (void)err;
  while (said.st_size == 0 && atomic_load(worker_stop_word(w)) == 0) {
    wait_while(worker_stop_word(w), 0, clock_now_ns() + NS_PER_MS);
    if (fstat(STDERR_FILENO, &said) < 0)
      return -errno;
  }
  return 0;
}

/* Takes until force is used, however long that is. */
static int event_forced(struct probe *p, struct worker *w, struct err *err)
{
  (void)p, (void)err;
  while (atomic_load(worker_stop_word(w)) == 0)
    wait_while(worker_stop_word(w), 0, PLAN_NO_LIMIT);
  return 0;
}

static void test_event_late(bool patient)
{
  struct probe p;

  probe_init(&p);
  p.plan.time_ns =
    NS_PER_S; /* for the event to begin, also on a busy machine */
  p.plan.grace_ns = 20 * NS_PER_MS;
  p.plan.grace_auto = true;
  p.plan.patient = patient;
  p.on_event = patient ? event_late : event_forced;
  probe_run(&p);
  if (patient)
    OK(p.status == EXIT_OK && p.final.kind == REPORT_FINAL &&
         p.final.events == 1 && strstr(p.said, "the run waits for them"),
       "the default time limit waits for an event, with a warning");
  else
    OK(p.status == EXIT_FORCED && p.final.kind == REPORT_FORCED,
       "one that was given does not");
  probe_done(&p);
}

enum {
  BURNT_NS = 100 * NS_PER_MS /* of processor time */
};

static void burn(void *thr)
{
  uint64_t until = 0, now;

  (void)thr;
  do {
    now = used_ns();
    if (until == 0)
      until = now + BURNT_NS;
  } while (now < until);
}

static int burn_run(void *run, struct err *err)
{
  (void)err;
  burn(run);
  return 0;
}

static int burn_finish(void *thr, struct worker *w, struct err *err)
{
  (void)w;
  return burn_run(thr, err);
}

/* Processor time belongs to the same time that it is divided by. */
static void test_client(bool finishes)
{
  struct probe p;

  probe_init(&p);
  p.plan.events = 10;
  p.on_event = nothing;
  p.ops.finish = finishes ? burn_finish : NULL;
  p.ops.thread_close = burn;
  p.ops.end = burn_run;
  probe_run(&p);
  if (finishes)
    OK(p.cpu_ns >= BURNT_NS && p.cpu_ns < 2 * BURNT_NS,
       "what finish() uses belongs to the run");
  else
    OK(p.cpu_ns < BURNT_NS / 2, "what is used behind the end does not");
  probe_done(&p);
}

/* No time is granted and none is needed: both workers wait for arrivals. */
static bool leave_at_once(void)
{
  struct probe p;
  bool ok;

  probe_init(&p);
  p.plan.threads = 2;
  p.plan.time_ns = 20 * NS_PER_MS;
  p.plan.grace_ns = 0;
  p.plan.rate = 1e-4;
  p.plan.report.rate = true;
  p.on_event = nothing;
  probe_run(&p);
  ok = p.status == EXIT_OK && p.final.kind == REPORT_FINAL;
  probe_done(&p);
  return ok;
}

/* On a busy machine a worker may have to wait for a processor. */
static void test_no_grace(void)
{
  bool ok = false;

  for (int i = 0; i < 10 && !ok; i++)
    ok = leave_at_once();
  OK(ok, "no force is used on those who only have to notice the end");
}

/* Lasts longer than both times below. */
static int outlast_moments(struct probe *p, struct worker *w, struct err *err)
{
  const uint64_t until_ns = worker_end_ns(w) + 2 * p->plan.time_ns;

  (void)err;
  while (clock_now_ns() < until_ns)
    wait_while(worker_stop_word(w), 0, until_ns);
  return 0;
}

/* False: no event began before the time limit, on a busy machine. */
static bool checkpoints_within(uint64_t time_ns)
{
  const uint64_t moments[] = { time_ns, 2 * time_ns };
  struct probe p;
  bool begun;

  probe_init(&p);
  p.plan.time_ns = moments[0];
  p.plan.checkpoint_ns = moments;
  p.plan.n_checkpoints = ARRAY_SIZE(moments);
  p.on_event = outlast_moments;
  probe_run(&p);
  begun = p.events > 0;
  if (begun)
    OK(p.checkpoints == 0 && p.finals == 1 && p.final.events == 1,
       "a checkpoint at the time limit is the final report");
  probe_done(&p);
  return begun;
}

static void test_checkpoints(void)
{
  uint64_t time_ns = 20 * NS_PER_MS;

  while (!checkpoints_within(time_ns) && time_ns < 20 * NS_PER_S)
    time_ns *= 2;
  OK(time_ns < 20 * NS_PER_S, "its event began before the time limit");
}

static bool until_told(struct probe *p, struct worker *w)
{
  (void)w;
  return atomic_load(&p->word) == 0;
}

/* Written by the report thread. */
static uint64_t line_ended_ns, checkpoint_end_ns;

static void end_line(struct probe *p, const struct report *r)
{
  (void)r;
  if (p->checkpoints == 0)
    line_ended_ns = clock_now_ns();
}

static void see_checkpoint(struct probe *p, const struct report *r)
{
  checkpoint_end_ns = r->end_ns;
  probe_say(p, 1);
}

/* Both are due at the same time; the line may take as long as it likes. */
static void test_checkpoint_behind_line(void)
{
  static const uint64_t moment = 20 * NS_PER_MS;
  struct probe p;

  probe_init(&p);
  p.plan.interval_ns = moment;
  p.plan.checkpoint_ns = &moment;
  p.plan.n_checkpoints = 1;
  p.on_event = nothing;
  p.on_next = until_told;
  p.on_interval = end_line;
  p.on_checkpoint = see_checkpoint;
  probe_run(&p);
  OK(p.checkpoints == 1 && line_ended_ns > 0 &&
       checkpoint_end_ns >= line_ended_ns,
     "a checkpoint behind an interval has the moment of its counters");
  probe_done(&p);
}

#define TICK_NS (5 * NS_PER_MS)

/*
 * The worker has left: waits until there is a line, or several should have
 * come.
 */
static void close_after_lines(void *thr)
{
  struct probe *p = thr;
  const uint64_t until_ns = clock_now_ns() + 4 * TICK_NS;

  while (atomic_load(&p->word) == 0 && clock_now_ns() < until_ns)
    wait_while(&p->word, 0, until_ns);
}

static void see_line_of_nobody(struct probe *p, const struct report *r)
{
  if (r->threads_running == 0)
    probe_say(p, 1);
}

static void test_lines_end(void)
{
  struct probe p;

  probe_init(&p);
  p.plan.interval_ns = TICK_NS;
  p.plan.events = 1;
  p.on_event = nothing;
  p.on_interval = see_line_of_nobody;
  p.ops.finish = NULL;
  p.ops.thread_close = close_after_lines;
  probe_run(&p);
  OK(atomic_load(&p.word) == 0 && p.finals == 1,
     "no line is about the time after the last event");
  probe_done(&p);
}

/* Waits until the time is up: there is nothing else to await. */
static int outlast(struct probe *p, struct worker *w, struct err *err)
{
  const uint64_t end_ns = worker_end_ns(w);

  (void)p, (void)err;
  while (clock_now_ns() < end_ns)
    wait_while(worker_stop_word(w), 0, end_ns);
  return 0;
}

/* The only event ends after the time limit. */
static void test_reason(uint64_t events, bool no_deadline,
                        enum end_reason reason, const char *what)
{
  struct probe p;

  probe_init(&p);
  p.plan.events = events;
  p.plan.time_ns = NS_PER_S; /* for the event to begin */
  p.no_deadline = no_deadline;
  p.on_event = outlast;
  probe_run(&p);
  OK(p.status == EXIT_OK && p.reason == reason, what);
  probe_done(&p);
}

int main(void)
{
  (void)alarm(600); /* against a hang; nothing waits for it */
  test_exact();
  test_whole_time();
  test_give_back();
  test_leavers();
  test_error_stops_all();
  test_signals();
  test_late_signal();
  test_warmup();
  test_warmup_rate();
  test_warmup_cut();
  test_warmup_cut_rate();
  test_warmup_error();
  test_rate();
  test_rate_followed();
  test_rate_stopped();
  test_rate_idle();
  test_no_grace();
  test_checkpoints();
  test_checkpoint_behind_line();
  test_lines_end();
  test_client(false);
  test_client(true);
  test_finish_late(true);
  test_finish_late(false);
  test_event_late(true);
  test_event_late(false);
  test_reason(PLAN_NO_LIMIT, false, END_TIME, "the time limit");
  test_reason(2, false, END_TIME, "the time limit, before the last event");
  test_reason(1, false, END_EVENTS, "the event limit, whenever it ended");
  test_reason(PLAN_NO_LIMIT, true, END_EVENTS,
              "a test that knows no time limit");
  return TAP_EXIT();
}
