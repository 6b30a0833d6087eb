/*
 * test_recorder.c - snapshots of workers that continue to work.
 *
 * Event k of a worker takes k ns in the tests with threads, so that totals,
 * minimum and maximum of any period follow from its first and last event.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "base/err.h"
#include "stats/recorder.h"
#include "tests/unit/tap.h"

enum {
  BUSY_PERIODS = 60, /* periods with events, in each test with threads */
  TORN_READS = 20000,
};

static struct recorders *new_recorders(struct recorders *rs, unsigned n,
                                       bool percentiles, struct snapshot *s)
{
  struct err err = { "" };

  if (recorders_init(rs, n, percentiles, &err) < 0 ||
      snapshot_init(s, rs, &err) < 0) {
    printf("Bail out! %s\n", err.text);
    exit(1);
  }
  return rs;
}

static bool nothing(const struct snapshot *s)
{
  return s->min_ns == UINT64_MAX && s->max_ns == 0;
}

static bool limits(const struct snapshot *s, uint64_t min_ns, uint64_t max_ns)
{
  return s->min_ns == min_ns && s->max_ns == max_ns;
}

static void test_periods(void)
{
  struct recorders rs;
  struct snapshot s;
  struct recorder *r;

  r = &new_recorders(&rs, 2, true, &s)->of[0];
  snapshot_take(&s, &rs, 7);
  OK(s.at_ns == 7 && s.events == 0 && nothing(&s) && s.hist->total == 0,
     "nothing happened yet");

  recorder_event(&rs, &r[0], 500);
  recorder_event(&rs, &r[0], 300);
  recorder_event(&rs, &r[1], 400);
  OK(recorder_events(&r[0]) == 2, "a worker knows its number of events");
  snapshot_take(&s, &rs, 8);
  OK(s.events == 3 && s.sum_ns == 1200 && limits(&s, 300, 500), "a period");
  OK(s.worker[0].events == 2 && s.worker[0].sum_ns == 800 &&
       s.worker[0].min_ns == 300 && s.worker[0].max_ns == 500 &&
       s.worker[1].events == 1 && s.worker[1].sum_ns == 400 &&
       s.worker[1].min_ns == 400 && s.worker[1].max_ns == 400,
     "each worker in it");
  OK(s.hist->total == 3 && hist_percentile(s.hist, 50) == 400, "histogram");

  snapshot_take(&s, &rs, 9);
  OK(s.events == 3 && s.sum_ns == 1200 && nothing(&s),
     "a period without events keeps the totals and has no limits");

  recorder_event(&rs, &r[1], 450);
  snapshot_take(&s, &rs, 10);
  OK(s.events == 4 && limits(&s, 450, 450) &&
       s.worker[0].min_ns == UINT64_MAX && s.worker[1].min_ns == 450,
     "limits are those of the period alone, after a pause too");
  for (int i = 0; i < 5; i++)
    snapshot_take(&s, &rs, 11);
  recorder_event(&rs, &r[0], 0);
  snapshot_take(&s, &rs, 12);
  OK(s.events == 5 && limits(&s, 0, 0), "an event may take no time");

  snapshot_done(&s);
  recorders_done(&rs);
  recorders_done(NULL);
  snapshot_done(NULL);
}

/* The reader starts an epoch just before the worker adds its event. */
static void test_late(void)
{
  struct recorders rs;
  struct snapshot s;
  struct recorder *r;
  uint32_t before;

  r = new_recorders(&rs, 1, false, &s)->of;
  OK(!s.hist, "no histogram without percentiles");
  recorder_event(&rs, r, 50);
  before = atomic_load(&rs.epoch);
  snapshot_take(&s, &rs, 1);
  recorder_event_in(r, before, 90);
  OK(s.events == 1 && limits(&s, 50, 50), "a late event is not seen");
  snapshot_take(&s, &rs, 2);
  OK(s.events == 2 && limits(&s, 90, 90), "the next snapshot has it");
  snapshot_take(&s, &rs, 3);
  OK(s.events == 2 && nothing(&s), "and the one after that has not");

  recorder_event(&rs, r, 60);
  before = atomic_load(&rs.epoch);
  snapshot_take(&s, &rs, 4);
  recorder_event_in(r, before, 20);
  recorder_event(&rs, r, 30);
  recorder_event(&rs, r, 40);
  snapshot_take(&s, &rs, 5);
  OK(s.events == 6 && limits(&s, 20, 40),
     "a late event counts with those of the next epoch");
  recorder_event(&rs, r, 35);
  snapshot_take(&s, &rs, 6);
  OK(s.events == 7 && limits(&s, 35, 35), "once only");

  before = atomic_load(&rs.epoch);
  snapshot_take(&s, &rs, 7);
  recorder_event_in(r, before, 70);
  for (int i = 0; i < 2; i++)
    snapshot_take(&s, &rs, 8);
  OK(s.events == 8 && nothing(&s), "a late event before a pause");
  recorder_event(&rs, r, 80);
  snapshot_take(&s, &rs, 9);
  OK(s.events == 9 && limits(&s, 80, 80), "stays in its period");
  snapshot_done(&s);
  recorders_done(&rs);
}

static void test_counters(void)
{
  struct recorders rs;
  struct snapshot s, copy;
  struct err err;

  new_recorders(&rs, 2, true, &s);
  (void)snapshot_init(&copy, &rs, &err);
  recorder_count(&rs.of[0], COUNTER_READ, 5);
  recorder_count(&rs.of[1], COUNTER_READ, 2);
  recorder_count(&rs.of[1], COUNTER_BYTES_WRITTEN, UINT64_C(1) << 40);
  recorder_count(&rs.of[0], COUNTER_EVENT, 3);
  recorder_event(&rs, &rs.of[0], 10);
  snapshot_take(&s, &rs, 1);
  OK(s.counter[COUNTER_READ] == 7 && s.counter[COUNTER_WRITE] == 0 &&
       s.counter[COUNTER_BYTES_WRITTEN] == UINT64_C(1) << 40,
     "counters of all workers add up");
  OK(s.counter[COUNTER_EVENT] == 4 && s.events == 1 &&
       recorder_events(&rs.of[0]) == 4,
     "events of scripts are counted beside the measured ones");

  snapshot_copy(&copy, &s);
  recorder_event(&rs, &rs.of[1], 99);
  OK(recorders_events(&rs) == 5, "the events of all workers are known");
  snapshot_take(&s, &rs, 2);
  OK(copy.at_ns == 1 && copy.events == 1 && copy.worker[1].events == 0 &&
       copy.hist->total == 1 && s.worker[1].events == 1 && s.hist->total == 2,
     "a copy stays what it is");
  snapshot_done(&s);
  snapshot_done(&copy);
  recorders_done(&rs);
}

/* A thread that works for every `step`th recorder, from `first` on. */
struct crew {
  struct recorders *rs;
  unsigned first, step;
  bool pause; /* between events */
  _Atomic bool *stop;
  uint64_t events; /* of each of its recorders, at the end */
  pthread_t thread;
};

/* Lasts as long as the shortest events of real tests; see snapshot_take(). */
static void pass_time(void)
{
  for (unsigned i = 0; i < 300; i++)
    OPAQUE(i);
}

static void *work(void *arg)
{
  struct crew *c = arg;

  while (!atomic_load(c->stop)) {
    c->events++;
    for (unsigned i = c->first; i < c->rs->n; i += c->step) {
      recorder_event(c->rs, &c->rs->of[i], c->events);
      recorder_count(&c->rs->of[i], COUNTER_OTHER, 1);
      if (c->pause)
        pass_time();
    }
  }
  return NULL;
}

static uint64_t sum_to(uint64_t k)
{
  return k * (k + 1) / 2;
}

/* Returns what is wrong with the period before `now`, or NULL. */
static const char *wrong(const struct snapshot *before,
                         const struct snapshot *now)
{
  uint64_t events = 0, sum_ns = 0, min_ns = UINT64_MAX, max_ns = 0;

  for (unsigned i = 0; i < now->n; i++) {
    const struct worker_totals *a = &before->worker[i], *b = &now->worker[i];

    if (b->events < a->events)
      return "a worker's events went back";
    if (b->sum_ns != sum_to(b->events))
      return "sum and events of a worker do not belong together";
    if (b->events > a->events) {
      if (b->min_ns != a->events + 1)
        return "a worker's minimum is not that of its first event";
      if (b->max_ns != b->events)
        return "a worker's maximum is not that of its last event";
    } else if (b->min_ns != UINT64_MAX || b->max_ns != 0) {
      return "a worker without events has limits";
    }
    events += b->events;
    sum_ns += b->sum_ns;
    min_ns = b->min_ns < min_ns ? b->min_ns : min_ns;
    max_ns = b->max_ns > max_ns ? b->max_ns : max_ns;
  }
  if (now->events != events || now->counter[COUNTER_EVENT] != events ||
      now->sum_ns != sum_ns)
    return "totals are not those of the workers";
  if (!limits(now, min_ns, max_ns))
    return "limits are not those of the workers";
  for (unsigned i = 0; now->hist && i < HIST_BUCKETS; i++) {
    if (hist_sum_at(now->hist, i) < hist_sum_at(before->hist, i))
      return "a bucket of the histogram went back";
  }
  return NULL;
}

/* Event k of every worker that has come so far must be in the histogram. */
static bool complete(const struct snapshot *s)
{
  uint64_t max = 0;

  for (unsigned i = 0; i < s->n; i++)
    max = s->worker[i].events > max ? s->worker[i].events : max;
  for (uint64_t k = 1; k <= max && k < 2048; k++) {
    uint64_t want = 0;

    for (unsigned i = 0; i < s->n; i++)
      want += s->worker[i].events >= k;
    if (hist_sum_at(s->hist, hist_index(k)) != want)
      return false;
  }
  return s->hist->total == s->events;
}

/* Take snapshots until enough of them had events, or one is wrong. */
static const char *watch(struct recorders *rs, struct snapshot *before,
                         struct snapshot *now, _Atomic bool *stop)
{
  const char *fault = NULL;

  for (unsigned busy = 0; busy < BUSY_PERIODS && !fault;) {
    snapshot_take(now, rs, before->at_ns + 1);
    fault = wrong(before, now);
    busy += now->events > before->events;
    snapshot_copy(before, now);
    (void)sched_yield();
  }
  atomic_store(stop, true);
  return fault;
}

static void test_threads(unsigned workers, unsigned threads, const char *what)
{
  struct crew crews[3];
  struct snapshot before, now;
  struct recorders rs;
  _Atomic bool stop = false;
  struct err err;
  const char *fault;
  uint64_t events = 0;

  new_recorders(&rs, workers, true, &before);
  (void)snapshot_init(&now, &rs, &err);
  for (unsigned i = 0; i < threads; i++) {
    crews[i] = (struct crew){
      .rs = &rs, .first = i, .step = threads, .pause = true, .stop = &stop
    };
    (void)pthread_create(&crews[i].thread, NULL, work, &crews[i]);
  }
  fault = watch(&rs, &before, &now, &stop);
  for (unsigned i = 0; i < threads; i++)
    (void)pthread_join(crews[i].thread, NULL);
  snapshot_take(&now, &rs, before.at_ns + 1);
  if (!fault)
    fault = wrong(&before, &now);

  OK(!fault, what);
  if (fault)
    printf("# snapshot %u: %s\n", (unsigned)now.at_ns, fault);
  for (unsigned i = 0; i < workers; i++)
    events += crews[i % threads].events;
  OK(now.events == events && now.counter[COUNTER_OTHER] == events,
     "the last snapshot has all events");
  OK(complete(&now), "so has its histogram");
  snapshot_done(&before);
  snapshot_done(&now);
  recorders_done(&rs);
}

/* Reads from a worker that hardly ever stops writing. */
static void test_torn(void)
{
  struct recorders rs;
  struct snapshot s;
  _Atomic bool stop = false;
  struct crew crew = { .rs = &rs, .step = 1, .stop = &stop };
  unsigned torn = 0, moved = 0;
  uint64_t last = 0;

  new_recorders(&rs, 1, false, &s);
  (void)pthread_create(&crew.thread, NULL, work, &crew);
  for (unsigned i = 0; moved < TORN_READS; i++) {
    snapshot_take(&s, &rs, i);
    torn += s.sum_ns != sum_to(s.events);
    moved += s.events > last;
    last = s.events;
  }
  atomic_store(&stop, true);
  (void)pthread_join(crew.thread, NULL);
  OK(torn == 0, "no snapshot has half an event");
  snapshot_done(&s);
  recorders_done(&rs);
}

static void test_sharing(void)
{
  struct recorders rs;
  struct snapshot s;

  new_recorders(&rs, 8, true, &s);
  OK(!rs.of[0].hist_shared && rs.of[0].hist != rs.of[7].hist,
     "8 workers have a histogram each");
  for (int i = 0; i < 8; i++)
    recorder_event(&rs, &rs.of[i], SLOW_NS << i);
  snapshot_take(&s, &rs, 1);
  OK(s.hist->total == 8 && hist_percentile(s.hist, 100) >= SLOW_NS << 7,
     "slow events of all workers are there");
  OK(rs.of[7].hist->groups == 0, "which have a histogram of their own");
  snapshot_done(&s);
  recorders_done(&rs);
  new_recorders(&rs, 1000, true, &s);
  OK(rs.n_hists <= 64 && rs.of[0].hist_shared &&
       rs.of[0].hist == rs.of[rs.n_hists].hist && rs.of[999].hist,
     "more of them share at most 64");
  snapshot_done(&s);
  recorders_done(&rs);
}

int main(void)
{
  test_periods();
  test_late();
  test_counters();
  test_sharing();
  test_torn();
  test_threads(1, 1, "one worker: every period is exact");
  test_threads(5, 3, "three threads: every period is exact");
  test_threads(100, 3, "shared histograms: every period is exact");
  return TAP_EXIT();
}
