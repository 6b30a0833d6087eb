/*
 * test_merge.c - merging reports: the result is the report of one process that
 * would have done the work of all.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "nodes/merge.h"
#include "nodes/pack.h"
#include "stats/recorder.h"
#include "stats/value_hist.h"
#include "tests/unit/same_sum.h"
#include "tests/unit/tap.h"

enum {
  PROCESSES = 3,
  THREADS = 2,
  ALL = PROCESSES * THREADS,
};

static const struct report_setup setup = { .percentile = 95.0 };

/* Returns the latency of event k of worker w, in nanoseconds. */
static uint64_t latency(unsigned w, unsigned k)
{
  return 1000 + (w * 7919 + k * 104729) % 5000000;
}

static unsigned events_of(unsigned w)
{
  return w == 4 ? 0 : 200 + 37 * w;
}

/* A report of some workers, first..first+n-1, over `period_ns`. */
struct part {
  struct recorders rs;
  struct snapshot before, now;
  struct hist_sum *diff;
  struct report_thread thread[ALL];
  struct report r;
};

static void part_make(struct part *p, unsigned first, unsigned n,
                      uint64_t period_ns)
{
  struct err err;
  uint64_t min_ns, max_ns;

  (void)recorders_init(&p->rs, n, true, &err);
  (void)snapshot_init(&p->before, &p->rs, &err);
  (void)snapshot_init(&p->now, &p->rs, &err);
  p->diff = hist_sum_new();
  snapshot_take(&p->before, &p->rs, 1000);
  for (unsigned i = 0; i < n; i++) {
    for (unsigned k = 0; k < events_of(first + i); k++) {
      recorder_event(&p->rs, &p->rs.of[i], latency(first + i, k));
      recorder_count(&p->rs.of[i], COUNTER_READ, 14);
      recorder_count(&p->rs.of[i], COUNTER_ERROR, k % 3 == 0);
    }
  }
  snapshot_take(&p->now, &p->rs, 1000 + period_ns);
  min_ns = p->now.min_ns;
  max_ns = p->now.max_ns;
  p->r = (struct report){ .kind = REPORT_FINAL,
                          .threads = n,
                          .threads_running = n,
                          .queue_length = first,
                          .arrivals = 10 + first };
  report_threads_clear(p->thread, n);
  report_threads_merge(p->thread, &p->now);
  report_threads_fill(p->thread, &p->before, &p->now);
  report_fill(&p->r, &setup, &p->before, &p->now, min_ns, max_ns, p->diff);
  p->r.thread = p->thread;
}

static void part_done(struct part *p)
{
  snapshot_done(&p->before);
  snapshot_done(&p->now);
  hist_sum_free(p->diff);
  recorders_done(&p->rs);
}

static int add(struct merge *m, const struct report *r)
{
  struct strbuf b = { 0 };
  struct unpack u;
  int rc;

  merge_pack(&b, r);
  u = unpack_start(strbuf_str(&b), b.len);
  rc = merge_add(m, &u);
  if (u.at != u.end)
    rc = -1;
  strbuf_done(&b);
  return rc;
}

static bool near(double a, double b)
{
  return fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b) + 1e-9);
}

static void test_whole(void)
{
  struct part part[PROCESSES], whole;
  struct merge *m = NULL;
  struct err err;
  struct report r = { .kind = REPORT_FINAL };
  bool percentiles = true, threads = true;

  OK(merge_new(&m, &err) == 0, "made");
  part_make(&whole, 0, ALL, 3 * NS_PER_S);
  merge_clear(m);
  for (unsigned i = 0; i < PROCESSES; i++) {
    part_make(&part[i], i * THREADS, THREADS, (i + 1) * NS_PER_S);
    OK(add(m, &part[i].r) == 0, "a part is added, every byte of it");
  }
  merge_report(m, &setup, &r);

  OK(merge_count(m) == PROCESSES, "all were counted");
  OK(r.events == whole.r.events, "events are the sum");
  OK(r.counter[COUNTER_READ] == whole.r.counter[COUNTER_READ] &&
       r.counter[COUNTER_ERROR] == whole.r.counter[COUNTER_ERROR],
     "counters are the sums");
  OK(r.sum_ns == whole.r.sum_ns, "the sum of latencies");
  OK(r.min_ns == whole.r.min_ns && r.max_ns == whole.r.max_ns,
     "the smallest and the largest; a part without events has neither");
  OK(r.threads == ALL && r.threads_running == ALL, "threads are the sum");
  OK(r.queue_length == 0 + 2 + 4, "and so are waiting arrivals");
  OK(r.arrivals == 10 + 12 + 14, "and those that became due");
  OK(r.period_ns == 3 * NS_PER_S, "the period is the longest one");
  for (double pct = 0.5; pct <= 100.0; pct += 0.5)
    percentiles &= report_percentile(&r, pct) ==
                   report_percentile(&whole.r, pct);
  OK(percentiles, "every percentile is that of the whole, exactly");
  OK(r.percentile_ns == whole.r.percentile_ns, "the usual one, too");
  OK(same_sum(r.hist, whole.r.hist), "every bucket is");
  OK(near(r.events_mean, whole.r.events_mean) &&
       near(r.events_stddev, whole.r.events_stddev) &&
       near(r.time_mean_s, whole.r.time_mean_s) &&
       near(r.time_stddev_s, whole.r.time_stddev_s),
     "fairness is that of all threads");
  for (unsigned i = 0; i < ALL; i++)
    threads &= r.thread[i].events == whole.thread[i].events &&
               r.thread[i].min_ns == whole.thread[i].min_ns &&
               r.thread[i].max_ns == whole.thread[i].max_ns;
  OK(threads, "threads are in the order of the processes");

  r.kind = REPORT_INTERVAL;
  merge_report(m, &setup, &r);
  OK(r.period_ns == 2 * NS_PER_S, "that of an interval is the mean");

  merge_clear(m);
  OK(add(m, &part[1].r) == 0, "after a new beginning");
  r = (struct report){ .kind = REPORT_FINAL };
  merge_report(m, &setup, &r);
  OK(r.events == part[1].r.events && r.min_ns == part[1].r.min_ns &&
       r.hist->total == part[1].r.hist->total,
     "nothing is left of before");
  for (unsigned i = 0; i < PROCESSES; i++)
    part_done(&part[i]);
  part_done(&whole);
  merge_free(m);
}

static int add_more(struct merge *m, const struct report *r)
{
  struct strbuf b = { 0 };
  struct unpack u;
  int rc;

  merge_pack(&b, r);
  u = unpack_start(strbuf_str(&b), b.len);
  rc = merge_add_more(m, &u);
  strbuf_done(&b);
  return rc;
}

/* The second process gives two reports, on different work of its threads. */
static void test_more(void)
{
  struct part one, early, late;
  struct merge *m = NULL;
  struct err err;
  struct report r = { .kind = REPORT_CHECKPOINT };
  bool threads = true;

  (void)merge_new(&m, &err);
  part_make(&one, 0, THREADS, 2 * NS_PER_S);
  part_make(&early, 2, THREADS, NS_PER_S);
  part_make(&late, 4, THREADS, 3 * NS_PER_S); /* a thread without events */
  late.r.threads_running = 1;
  OK(add(m, &one.r) == 0 && add(m, &early.r) == 0 && add_more(m, &late.r) == 0,
     "added");
  merge_report(m, &setup, &r);

  OK(merge_count(m) == 2, "they are two processes");
  OK(r.threads == 2 * THREADS, "each thread counts once");
  OK(r.threads_running == THREADS + 1 && r.queue_length == 0 + 4,
     "what is true of a moment is that of the newer one");
  OK(r.events == one.r.events + early.r.events + late.r.events &&
       r.hist->total == r.events,
     "events are the sum");
  OK(r.period_ns == 4 * NS_PER_S, "the periods of one process are one behind "
                                  "the other");
  OK(near(r.events_mean, (double)r.events / (2 * THREADS)) &&
       near(r.time_mean_s, (double)r.sum_ns / 1e9 / (2 * THREADS)),
     "the means are those of all its work");
  for (unsigned i = 0; i < THREADS; i++) {
    const struct report_thread *t = &r.thread[THREADS + i];
    const struct report_thread *a = &early.thread[i], *b = &late.thread[i];

    threads &= t->events == a->events + b->events &&
               t->sum_ns == a->sum_ns + b->sum_ns &&
               t->max_ns == (a->max_ns > b->max_ns ? a->max_ns : b->max_ns) &&
               t->min_ns == (b->events == 0 || a->min_ns < b->min_ns
                               ? a->min_ns
                               : b->min_ns);
  }
  OK(threads, "and so are those of its threads");
  merge_of_all(&r, 2 * THREADS);
  OK(r.thread != NULL, "which are all there");

  r.kind = REPORT_INTERVAL;
  merge_report(m, &setup, &r);
  OK(r.period_ns == 3 * NS_PER_S,
     "an interval's is the mean of both processes");
  part_done(&one);
  part_done(&early);
  part_done(&late);
  merge_free(m);
}

/* One of three processes is late: its threads are not listed. */
static void test_missing(void)
{
  struct part part[2];
  struct merge *m = NULL;
  struct err err;
  struct report r = { .kind = REPORT_CHECKPOINT };

  (void)merge_new(&m, &err);
  for (unsigned i = 0; i < 2; i++) {
    part_make(&part[i], i * THREADS, THREADS, NS_PER_S);
    (void)add(m, &part[i].r);
  }
  merge_report(m, &setup, &r);
  OK(r.threads == 2 * THREADS && r.thread != NULL, "two are there");
  merge_of_all(&r, ALL);
  OK(r.threads == ALL, "the line is of the threads of all");
  OK(r.thread == NULL, "of which nothing is told one by one");
  OK(r.threads_running == 2 * THREADS, "and those of two run");
  for (unsigned i = 0; i < 2; i++)
    part_done(&part[i]);
  merge_free(m);
}

/*
 * Counters of tests are merged: two processes, one of which has more of them.
 */
static void test_tally(void)
{
  struct value_sum *low = calloc(1, sizeof(*low));
  struct value_sum *high = calloc(1, sizeof(*high));
  const struct named_count one[] = { { "hits", 2.5 } };
  const struct named_count two[] = { { "misses", 1 }, { "hits", -1 } };
  const struct named_values first = { "wait", "ms", low };
  const struct named_values second = { "wait", "ms", high };
  const struct error_count errors[] = {
    { "mysql", "1213", "40001", 3, "Deadlock found" },
    { "mysql", "1205", "HY000", 1, "Lock wait timeout" },
  };
  const struct report a = { .tally = { 1, 1, 1, one, &first, errors } };
  const struct report b = { .tally = { 2, 1, 2, two, &second, errors } };
  struct report r = { .kind = REPORT_FINAL };
  const struct value_sum *values;
  struct merge *m = NULL;
  struct err err;

  value_sum_join(low, 2, 3, 1, 2);
  low->count[100] = 2;
  value_sum_join(high, 1, 50, 50, 50);
  high->count[VALUE_BUCKETS - 1] = 1;
  (void)merge_new(&m, &err);
  for (int round = 0; round < 2; round++) {
    merge_clear(m);
    OK(add(m, &a) == 0 && add(m, &b) == 0, "counts are added");
    merge_report(m, &setup, &r);
    OK(r.tally.n_counts == 2 && r.tally.count[0].sum == 1.5 &&
         r.tally.count[1].sum == 1,
       "counters are sums, by name");
    values = r.tally.values[0].values;
    OK(r.tally.n_values == 1 && values->n == 3 && values->sum == 53 &&
         values->min == 1 && values->max == 50 && values->count[100] == 2 &&
         values->count[VALUE_BUCKETS - 1] == 1,
       "histograms are sums");
    OK(r.tally.n_errors == 2 && r.tally.error[0].count == 6 &&
         r.tally.error[1].count == 1,
       "errors are sums, by code");
    OK_STR(r.tally.error[0].text, "Deadlock found", "their text");
  }
  merge_free(m);
  free(low);
  free(high);
}

static void test_classes(void)
{
  struct hist_sum *h = hist_sum_new();
  const struct class_report one[] = {
    { "read", 3, 1, 30, 300, 600, 100, 300, h },
    { "write", 0, 0, 0, 0, 0, 0, 0, h },
  };
  const struct class_report two[] = {
    { "write", 2, 0, 2, 0, 100, 40, 60, h },
    { "read", 1, 0, 5, 50, 50, 50, 50, h },
    { "commit", 1, 1, 0, 0, 9, 9, 9, h },
  };
  const struct report a = { .classes = { 2, one } };
  const struct report b = { .classes = { 3, two }, .rated = { 1, two } };
  struct report r = { .kind = REPORT_FINAL };
  const struct class_report *c;
  struct merge *m = NULL;
  struct err err;

  hist_sum_put(h, 50, 1);
  (void)merge_new(&m, &err);
  merge_clear(m);
  OK(add(m, &a) == 0 && add(m, &b) == 0, "classes are added");
  merge_report(m, &setup, &r);
  c = r.classes.of;
  OK(r.classes.n == 3, "by their names");
  OK_STR(c[0].name, "read", "in the order in which they came");
  OK(c[0].count == 4 && c[0].errors == 1 && c[0].rows == 35 &&
       c[0].bytes == 350 && c[0].sum_ns == 650 && c[0].min_ns == 50 &&
       c[0].max_ns == 300 && c[0].hist->total == 2,
     "numbers are sums, limits are limits");
  OK(c[1].count == 2 && c[1].min_ns == 40, "nothing happened in the first");
  OK_STR(c[2].name, "commit", "one that only one process has");
  OK(r.rated.n == 1 && r.rated.of[0].count == 2,
     "those of --rate are kept apart");

  merge_clear(m);
  OK(add(m, &b) == 0, "again");
  merge_report(m, &setup, &r);
  OK(r.classes.of[0].count == 1 && r.classes.of[0].hist->total == 1,
     "a new beginning starts from 0");
  hist_sum_free(h);
  merge_free(m);
}

/* Whatever arrives, no byte is read that is not there. */
static void test_nonsense(void)
{
  struct strbuf b = { 0 };
  struct part p;
  struct merge *m = NULL;
  struct err err;
  bool refused = true;

  (void)merge_new(&m, &err);
  part_make(&p, 0, 2, NS_PER_S);
  merge_pack(&b, &p.r);
  for (size_t len = 0; len < b.len; len++) {
    char *cut = malloc(len + 1);
    struct unpack u;

    memcpy(cut, strbuf_str(&b), len);
    u = unpack_start(cut, len);
    merge_clear(m);
    refused &= merge_add(m, &u) == -EBADMSG;
    free(cut);
  }
  OK(refused, "what was cut off anywhere is refused");
  strbuf_done(&b);
  part_done(&p);
  merge_free(m);
}

static void test_pack(void)
{
  static const uint64_t numbers[] = { 0,   1,          127,       128,
                                      300, UINT32_MAX, UINT64_MAX };
  struct strbuf b = { 0 };
  struct unpack u;
  char text[4];

  for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
    pack_u64(&b, numbers[i]);
  pack_real(&b, -0.125);
  pack_text(&b, "abcdef");
  pack_hist(&b, NULL);
  u = unpack_start(strbuf_str(&b), b.len);
  for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
    OK(unpack_u64(&u) == numbers[i], "a number comes back");
  OK(unpack_real(&u) == -0.125, "and a real one");
  unpack_text(&u, text, sizeof(text));
  OK_STR(text, "abc", "a text is cut to fit");
  OK(!unpack_hist_add(&u, NULL), "no histogram is none");
  OK(!u.failed && u.at == u.end, "nothing is left");
  OK(unpack_u64(&u) == 0 && u.failed, "there is nothing beyond the end");
  strbuf_done(&b);
}

int main(void)
{
  test_pack();
  test_whole();
  test_more();
  test_missing();
  test_classes();
  test_tally();
  test_nonsense();
  return TAP_EXIT();
}
