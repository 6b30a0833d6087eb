/*
 * merge.c - the reports of all ranks of a run, merged into one.
 */
#include "cluster/merge.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "cluster/merge_classes.h"
#include "cluster/merge_outages.h"
#include "cluster/merge_tally.h"
#include "cluster/pack.h"
#include "stats/outage_sum.h"

/* Mean and squared distances of n values, in a form that can be added up. */
struct spread {
  double n, mean, squares;
};

/* The rank that was added last, which may have more to add. */
struct last_part {
  uint64_t period_ns; /* of all its reports together */
  uint64_t threads, running, unfinished, queue; /* of the newest report */
  uint64_t concurrency;
  unsigned first_thread; /* the index of its first thread */
};

struct merge {
  unsigned count;
  struct report sum;
  uint64_t period_sum_ns, period_max_ns;
  struct spread events, time_s;
  struct last_part last;

  struct hist_sum *hist; /* owned */
  bool has_hist;
  struct report_thread *thread; /* owned; [n_threads] */
  unsigned n_threads;
  struct merge_classes classes, rated, members;
  struct tally *tally; /* owned */
  struct outage_sum outages;
};

int merge_new(struct merge **ret, struct err *err)
{
  struct merge *m = calloc(1, sizeof(*m));

  if (m)
    m->hist = hist_sum_new();
  if (!m || !m->hist || tally_new(&m->tally, err) < 0) {
    merge_free(m);
    return err_set(err, -ENOMEM, "not enough memory for merging reports");
  }
  *ret = m;
  return 0;
}

void merge_free(struct merge *m)
{
  if (!m)
    return;
  hist_sum_free(m->hist);
  free(m->thread);
  merge_classes_done(&m->classes);
  merge_classes_done(&m->rated);
  merge_classes_done(&m->members);
  tally_free(m->tally);
  outage_sum_clear(&m->outages);
  free(m);
}

void merge_clear(struct merge *m)
{
  m->count = 0;
  m->sum = (struct report){ 0 };
  m->period_sum_ns = m->period_max_ns = 0;
  m->events = m->time_s = (struct spread){ 0 };
  m->last = (struct last_part){ 0 };
  hist_sum_clear(m->hist);
  m->has_hist = false;
  m->n_threads = 0;
  merge_classes_clear(&m->classes);
  merge_classes_clear(&m->rated);
  merge_classes_clear(&m->members);
  tally_clear(m->tally);
  outage_sum_clear(&m->outages);
}

int merge_add_report(struct merge *m, const struct report *r)
{
  struct strbuf b = { 0 };
  struct unpack u;
  int rc;

  merge_pack(&b, r);
  u = unpack_start(strbuf_str(&b), b.len);
  rc = b.failed ? -ENOMEM : merge_add(m, &u);
  strbuf_done(&b);
  return rc;
}

unsigned merge_count(const struct merge *m)
{
  return m->count;
}

static void spread_add(struct spread *s, double n, double mean, double stddev)
{
  const double all = s->n + n, off = mean - s->mean;

  if (n <= 0.0)
    return;
  s->squares += stddev * stddev * n + off * off * s->n * n / all;
  s->mean += off * n / all;
  s->n = all;
}

/* The same n values have grown, by `mean` on average.  How evenly is
 * unknown. */
static void spread_grow(struct spread *s, double n, double mean)
{
  if (s->n > 0.0)
    s->mean += mean * n / s->n;
}

static void add_times(struct unpack *u, struct report_times *t)
{
  const uint64_t count = unpack_u64(u), sum_ns = unpack_u64(u);
  const uint64_t min_ns = unpack_u64(u), max_ns = unpack_u64(u);

  if (count > 0)
    merge_limits(&t->min_ns, &t->max_ns, t->count == 0, min_ns, max_ns);
  t->count += count;
  t->sum_ns += sum_ns;
}

static struct report_thread unpack_thread(struct unpack *u)
{
  struct report_thread t;

  t.events = unpack_u64(u);
  t.sum_ns = unpack_u64(u);
  t.min_ns = unpack_u64(u);
  t.max_ns = unpack_u64(u);
  return t;
}

static int add_threads(struct merge *m, struct unpack *u)
{
  const uint64_t n = unpack_u64(u);
  struct report_thread *more;

  m->last.first_thread = m->n_threads;
  if (n == 0)
    return 0;
  if (n > (size_t)(u->end - u->at)) /* each takes several bytes */
    return -EBADMSG;
  more = realloc(m->thread, (m->n_threads + n) * sizeof(*more));
  if (!more)
    return -ENOMEM;
  m->thread = more;
  for (uint64_t i = 0; i < n; i++)
    more[m->n_threads++] = unpack_thread(u);
  return 0;
}

/* Add another period of the same threads. */
static int grow_threads(struct merge *m, struct unpack *u)
{
  const uint64_t n = unpack_u64(u);

  if (n != m->n_threads - m->last.first_thread)
    return -EBADMSG;
  for (unsigned i = m->last.first_thread; i < m->n_threads; i++) {
    const struct report_thread more = unpack_thread(u);
    struct report_thread *t = &m->thread[i];

    if (more.events > 0)
      merge_limits(&t->min_ns, &t->max_ns, t->events == 0, more.min_ns,
                   more.max_ns);
    t->events += more.events;
    t->sum_ns += more.sum_ns;
  }
  return 0;
}

/* The sum of a number that is true of one moment: only the newest report of a
 * rank counts. */
static uint64_t unpack_newest(struct unpack *u, uint64_t *last, bool again)
{
  const uint64_t before = again ? *last : 0;

  *last = unpack_u64(u);
  return *last - before;
}

static void add_spread(struct spread *s, struct unpack *u, double n, bool again)
{
  const double mean = unpack_real(u), stddev = unpack_real(u);

  if (again)
    spread_grow(s, n, mean);
  else
    spread_add(s, n, mean, stddev);
}

static void add_numbers(struct merge *m, struct unpack *u, bool again)
{
  struct report *r = &m->sum;
  struct last_part *last = &m->last;
  const uint64_t period_ns = unpack_u64(u);
  const uint64_t before = r->counter[COUNTER_EVENT];
  uint64_t min_ns, max_ns;

  m->period_sum_ns += period_ns;
  last->period_ns = period_ns + (again ? last->period_ns : 0);
  if (last->period_ns > m->period_max_ns)
    m->period_max_ns = last->period_ns;
  r->threads += (unsigned)unpack_newest(u, &last->threads, again);
  r->threads_running += (unsigned)unpack_newest(u, &last->running, again);
  r->unfinished += unpack_newest(u, &last->unfinished, again);
  for (int c = 0; c < COUNTERS; c++)
    r->counter[c] += unpack_u64(u);
  min_ns = unpack_u64(u);
  max_ns = unpack_u64(u);
  if (r->counter[COUNTER_EVENT] > before)
    merge_limits(&r->min_ns, &r->max_ns, before == 0, min_ns, max_ns);
  r->sum_ns += unpack_u64(u);
  r->queue_length += unpack_newest(u, &last->queue, again);
  r->concurrency += unpack_newest(u, &last->concurrency, again);
  r->arrivals += unpack_u64(u);
  add_spread(&m->events, u, (double)last->threads, again);
  add_spread(&m->time_s, u, (double)last->threads, again);
}

uint64_t merge_packed_events(struct unpack from)
{
  struct report r = { 0 };

  for (int i = 0; i < 4; i++)
    (void)unpack_u64(&from); /* as add_numbers() reads it */
  for (int c = 0; c < COUNTERS; c++)
    r.counter[c] = unpack_u64(&from);
  return r.counter[COUNTER_EVENT];
}

/* `again`: it is from the rank that was added last. */
static int add_report(struct merge *m, struct unpack *u, bool again)
{
  int rc;

  add_numbers(m, u, again);
  add_times(u, &m->sum.execution);
  add_times(u, &m->sum.fetching);
  if (unpack_hist_add(u, m->hist))
    m->has_hist = true;
  rc = again ? grow_threads(m, u) : add_threads(m, u);
  if (rc == 0)
    rc = merge_classes_add(&m->classes, u);
  if (rc == 0)
    rc = merge_classes_add(&m->rated, u);
  if (rc == 0)
    rc = merge_classes_add(&m->members, u);
  if (rc == 0)
    rc = merge_tally_add(m->tally, u);
  if (rc == 0)
    rc = merge_outages_add(&m->outages, u);
  if (rc == 0 && u->failed)
    rc = -EBADMSG;
  return rc;
}

int merge_add(struct merge *m, struct unpack *u)
{
  const int rc = add_report(m, u, false);

  if (rc == 0)
    m->count++;
  return rc;
}

int merge_add_more(struct merge *m, struct unpack *u)
{
  return add_report(m, u, true);
}

static double stddev_of(const struct spread *s)
{
  return s->n > 0.0 ? sqrt(s->squares / s->n) : 0.0;
}

void merge_report(struct merge *m, const struct report_setup *setup,
                  struct report *r)
{
  const struct report as = *r;

  *r = m->sum;
  r->kind = as.kind;
  r->form = as.form;
  r->elapsed_ns = as.elapsed_ns;
  r->end_ns = as.end_ns;
  r->unprinted = as.unprinted;
  r->partial = as.partial;
  r->period_ns = m->period_max_ns;
  if (r->kind == REPORT_INTERVAL && m->count > 0)
    r->period_ns = m->period_sum_ns / m->count;
  r->events = r->counter[COUNTER_EVENT];
  r->hist = m->has_hist ? m->hist : NULL;
  r->percentile_ns = setup->percentile > 0.0
                       ? report_percentile(r, setup->percentile)
                       : 0;
  r->events_mean = m->events.mean;
  r->events_stddev = stddev_of(&m->events);
  r->time_mean_s = m->time_s.mean;
  r->time_stddev_s = stddev_of(&m->time_s);
  r->thread = m->n_threads > 0 ? m->thread : NULL;
  r->classes = (struct class_list){ m->classes.n, m->classes.of };
  r->rated = (struct class_list){ m->rated.n, m->rated.of };
  r->members = (struct class_list){ m->members.n, m->members.of };
  tally_total(m->tally, &r->tally);
  r->outages = outage_sum_report(&m->outages);
}

void merge_of_all(struct report *r, unsigned threads)
{
  if (r->threads != threads)
    r->thread = NULL;
  r->threads = threads;
}
