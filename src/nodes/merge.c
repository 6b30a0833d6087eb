#include "nodes/merge.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "nodes/pack.h"
#include "stats/class_stats.h"
#include "stats/hist_sum.h"
#include "stats/outage_report.h"
#include "stats/tally.h"
#include "stats/value_hist.h"

struct merge_classes {
  unsigned n, room;
  struct class_report *of; /* owned, with names and histograms */
};

/* 0 events have neither. */
static inline void merge_limits(uint64_t *min_ns, uint64_t *max_ns, bool first,
                                uint64_t min, uint64_t max)
{
  if (first || min < *min_ns)
    *min_ns = min;
  if (max > *max_ns)
    *max_ns = max;
}

/* ---- counts of tests ---- */

enum {
  NAME_SIZE = 128
};

static void merge_tally_pack_values(struct strbuf *b,
                                    const struct named_values *v)
{
  pack_text(b, v->name);
  pack_text(b, v->unit);
  pack_u64(b, v->values->n);
  pack_real(b, v->values->sum);
  pack_real(b, v->values->min);
  pack_real(b, v->values->max);
  pack_counts(b, v->values->count, VALUE_BUCKETS);
}

void merge_error_pack(struct strbuf *b, const struct error_count *e)
{
  pack_text(b, e->source);
  pack_text(b, e->code);
  pack_text(b, e->state);
  pack_u64(b, e->count);
  pack_text(b, e->text);
}

static void merge_tally_pack(struct strbuf *b, const struct tally_report *r)
{
  pack_u64(b, r->n_counts);
  for (size_t i = 0; i < r->n_counts; i++) {
    pack_text(b, r->count[i].name);
    pack_real(b, r->count[i].sum);
  }
  pack_u64(b, r->n_values);
  for (size_t i = 0; i < r->n_values; i++)
    merge_tally_pack_values(b, &r->values[i]);
  pack_u64(b, r->n_errors);
  for (size_t i = 0; i < r->n_errors; i++)
    merge_error_pack(b, &r->error[i]);
}

void merge_error_unpack(struct unpack *u, struct error_count *ret)
{
  unpack_text(u, ret->source, sizeof(ret->source));
  unpack_text(u, ret->code, sizeof(ret->code));
  unpack_text(u, ret->state, sizeof(ret->state));
  ret->count = unpack_u64(u);
  unpack_text(u, ret->text, sizeof(ret->text));
}

static int merge_tally_add_values(struct tally *to, struct unpack *u)
{
  char name[NAME_SIZE], unit[NAME_SIZE];
  struct value_sum *values;
  double sum, min, max;
  uint64_t n;

  unpack_text(u, name, sizeof(name));
  unpack_text(u, unit, sizeof(unit));
  n = unpack_u64(u);
  sum = unpack_real(u);
  min = unpack_real(u);
  max = unpack_real(u);
  values = tally_values(to, name, unit);
  if (!values)
    return -ENOMEM;
  value_sum_join(values, n, sum, min, max);
  unpack_counts_add(u, values->count, VALUE_BUCKETS);
  return 0;
}

/* 0 or -ENOMEM; from->failed: nonsense. */
static int merge_tally_add(struct tally *to, struct unpack *u)
{
  uint64_t n;
  int rc = 0;

  n = unpack_u64(u);
  for (uint64_t i = 0; i < n && !u->failed; i++) {
    char name[NAME_SIZE];

    unpack_text(u, name, sizeof(name));
    tally_count(to, name, unpack_real(u));
  }
  n = unpack_u64(u);
  for (uint64_t i = 0; i < n && !u->failed && rc == 0; i++)
    rc = merge_tally_add_values(to, u);
  n = unpack_u64(u);
  for (uint64_t i = 0; i < n && !u->failed && rc == 0; i++) {
    struct error_count e;

    merge_error_unpack(u, &e);
    if (!u->failed)
      tally_error(to, &e);
  }
  return rc;
}

/* ---- classes of operations, by name ---- */

static void merge_classes_done(struct merge_classes *s)
{
  for (unsigned i = 0; i < s->n; i++) {
    free((void *)(uintptr_t)s->of[i].name);
    hist_sum_free((struct hist_sum *)(uintptr_t)s->of[i].hist);
  }
  free(s->of);
  *s = (struct merge_classes){ 0 };
}

/* Names and memory stay for the next report. */
static void merge_classes_clear(struct merge_classes *s)
{
  for (unsigned i = 0; i < s->n; i++) {
    struct class_report *c = &s->of[i];
    struct hist_sum *h = (struct hist_sum *)(uintptr_t)c->hist;
    const char *name = c->name;

    hist_sum_clear(h);
    *c = (struct class_report){ .name = name, .hist = h };
  }
}

/* Made if new; NULL: no memory. */
static struct class_report *merge_classes_class_of(struct merge_classes *s,
                                                   const char *name, size_t len)
{
  struct class_report *c;

  for (unsigned i = 0; i < s->n; i++) {
    if (strlen(s->of[i].name) == len && memcmp(s->of[i].name, name, len) == 0)
      return &s->of[i];
  }
  if (s->n == s->room) {
    const unsigned room = 2 * s->room + 8;

    c = realloc(s->of, room * sizeof(*c));
    if (!c)
      return NULL;
    s->of = c;
    s->room = room;
  }
  c = &s->of[s->n];
  *c = (struct class_report){ .name = mem_strndup(name, len),
                              .hist = hist_sum_new() };
  if (!c->name || !c->hist) {
    free((void *)(uintptr_t)c->name);
    hist_sum_free((struct hist_sum *)(uintptr_t)c->hist);
    return NULL;
  }
  s->n++;
  return c;
}

/* 0 or -ENOMEM. */
static int merge_classes_add(struct merge_classes *s, struct unpack *u)
{
  const uint64_t n = unpack_u64(u);

  for (uint64_t i = 0; i < n && !u->failed; i++) {
    size_t len;
    const char *name = unpack_bytes(u, &len);
    struct class_report *c = merge_classes_class_of(s, name, len);
    uint64_t count, min_ns, max_ns;

    if (!c)
      return -ENOMEM;
    count = unpack_u64(u);
    c->errors += unpack_u64(u);
    c->rows += unpack_u64(u);
    c->bytes += unpack_u64(u);
    c->reconnects += unpack_u64(u);
    c->sum_ns += unpack_u64(u);
    min_ns = unpack_u64(u);
    max_ns = unpack_u64(u);
    if (count > 0)
      merge_limits(&c->min_ns, &c->max_ns, c->count == 0, min_ns, max_ns);
    c->count += count;
    (void)unpack_hist_add(u, (struct hist_sum *)(uintptr_t)c->hist);
  }
  return 0;
}

static void merge_outages_pack_stall(struct strbuf *b, const struct stall *s)
{
  pack_u64(b, s->from_ns);
  pack_u64(b, s->to_ns - s->from_ns);
  pack_u64(b, s->clients);
  pack_u64(b, (uint64_t)(s->ended_by + 1));
  pack_u64(b, s->arrivals);
  pack_u64(b, s->fault.at_ns);
  if (s->fault.at_ns == 0)
    return;
  pack_u64(b, s->fault.phase);
  pack_text(b, s->fault.code);
  pack_text(b, s->fault.text);
}

static void merge_outages_unpack_stall(struct unpack *u, struct stall *ret)
{
  uint64_t phase;

  *ret = (struct stall){ .from_ns = unpack_u64(u) };
  ret->to_ns = ret->from_ns + unpack_u64(u);
  ret->clients = (unsigned)unpack_u64(u);
  ret->ended_by = (int64_t)unpack_u64(u) - 1;
  ret->arrivals = unpack_u64(u);
  ret->fault.at_ns = unpack_u64(u);
  if (ret->fault.at_ns == 0)
    return;
  phase = unpack_u64(u);
  u->failed |= phase >= FAULT_PHASES;
  ret->fault.phase = phase < FAULT_PHASES ? (enum fault_phase)phase
                                          : FAULT_CONNECT;
  unpack_text(u, ret->fault.code, sizeof(ret->fault.code));
  unpack_text(u, ret->fault.text, sizeof(ret->fault.text));
}

void merge_outages_pack(struct strbuf *b, const struct outage_report *r)
{
  pack_u64(b, r != NULL);
  if (!r)
    return;
  pack_u64(b, r->base_ns);
  pack_u64(b, r->end_ns);
  pack_u64(b, r->limit_ns);
  pack_u64(b, r->open_loop);
  pack_u64(b, r->clients);
  pack_u64(b, r->affected);
  pack_u64(b, r->still_down);
  pack_u64(b, r->outages);
  pack_u64(b, r->unserved_ns);
  for (unsigned i = 0; i < FAULT_PHASES; i++)
    pack_u64(b, r->phases[i]);
  pack_u64(b, r->count);
  pack_u64(b, r->n_stalls);
  for (unsigned i = 0; i < r->n_stalls; i++)
    merge_outages_pack_stall(b, &r->stalls[i]);
  pack_u64(b, r->n_longest);
  for (unsigned i = 0; i < r->n_longest; i++) {
    pack_u64(b, r->longest_of[i]);
    pack_u64(b, r->noticed_of[i]);
  }
}

/* Each item takes a byte at least. */
static unsigned merge_outages_unpack_length(struct unpack *u)
{
  const uint64_t n = unpack_u64(u);

  u->failed |= n > (size_t)(u->end - u->at);
  return u->failed ? 0 : (unsigned)n;
}

/* The caller frees both lists. */
static int merge_outages_unpack_report(struct unpack *u,
                                       struct outage_report *r,
                                       struct stall **ret_stalls,
                                       uint64_t **ret_longest)
{
  struct stall *stalls;
  uint64_t *longest;

  r->base_ns = unpack_u64(u);
  r->end_ns = unpack_u64(u);
  r->limit_ns = unpack_u64(u);
  r->open_loop = unpack_u64(u) == 1;
  r->clients = (unsigned)unpack_u64(u);
  r->affected = (unsigned)unpack_u64(u);
  r->still_down = (unsigned)unpack_u64(u);
  r->outages = unpack_u64(u);
  r->unserved_ns = unpack_u64(u);
  for (unsigned i = 0; i < FAULT_PHASES; i++)
    r->phases[i] = unpack_u64(u);
  r->count = unpack_u64(u);
  r->n_stalls = merge_outages_unpack_length(u);
  *ret_stalls = stalls = calloc(r->n_stalls + 1, sizeof(*stalls));
  if (!stalls)
    return -ENOMEM;
  for (unsigned i = 0; i < r->n_stalls; i++)
    merge_outages_unpack_stall(u, &stalls[i]);
  r->n_longest = merge_outages_unpack_length(u);
  *ret_longest = longest = calloc(r->n_longest + 1, 2 * sizeof(*longest));
  if (!longest)
    return -ENOMEM;
  for (unsigned i = 0; i < r->n_longest; i++) {
    longest[i] = unpack_u64(u);
    longest[r->n_longest + i] = unpack_u64(u);
  }
  r->stalls = stalls;
  r->longest_of = longest;
  r->noticed_of = longest + r->n_longest;
  return u->failed ? -EBADMSG : 0;
}

int merge_outages_add(struct outage_sum *s, struct unpack *u)
{
  struct outage_report r = { 0 };
  struct stall *stalls = NULL;
  uint64_t *longest = NULL;
  int rc = 0;

  if (unpack_u64(u) == 1) {
    rc = merge_outages_unpack_report(u, &r, &stalls, &longest);
    if (rc == 0)
      rc = outage_sum_add(s, &r);
  }
  free(stalls);
  free(longest);
  return rc;
}

/* Of n values; can be added up. */
struct spread {
  double n, mean, squares;
};

/* The rank that was added last. */
struct last_part {
  uint64_t period_ns;
  uint64_t threads, running, unfinished, queue;
  uint64_t concurrency;
  unsigned first_thread;
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

static void merge_spread_add(struct spread *s, double n, double mean,
                             double stddev)
{
  const double all = s->n + n, off = mean - s->mean;

  if (n <= 0.0)
    return;
  s->squares += stddev * stddev * n + off * off * s->n * n / all;
  s->mean += off * n / all;
  s->n = all;
}

/* Adds `n` times `mean` to the sum; how evenly is unknown. */
static void merge_spread_grow(struct spread *s, double n, double mean)
{
  if (s->n > 0.0)
    s->mean += mean * n / s->n;
}

static void merge_add_times(struct unpack *u, struct report_times *t)
{
  const uint64_t count = unpack_u64(u), sum_ns = unpack_u64(u);
  const uint64_t min_ns = unpack_u64(u), max_ns = unpack_u64(u);

  if (count > 0)
    merge_limits(&t->min_ns, &t->max_ns, t->count == 0, min_ns, max_ns);
  t->count += count;
  t->sum_ns += sum_ns;
}

static struct report_thread merge_unpack_thread(struct unpack *u)
{
  struct report_thread t;

  t.events = unpack_u64(u);
  t.sum_ns = unpack_u64(u);
  t.min_ns = unpack_u64(u);
  t.max_ns = unpack_u64(u);
  return t;
}

static int merge_add_threads(struct merge *m, struct unpack *u)
{
  const uint64_t n = unpack_u64(u);
  struct report_thread *more;

  m->last.first_thread = m->n_threads;
  if (n == 0)
    return 0;
  if (n > (size_t)(u->end - u->at))
    return -EBADMSG;
  more = realloc(m->thread, (m->n_threads + n) * sizeof(*more));
  if (!more)
    return -ENOMEM;
  m->thread = more;
  for (uint64_t i = 0; i < n; i++)
    more[m->n_threads++] = merge_unpack_thread(u);
  return 0;
}

static int merge_grow_threads(struct merge *m, struct unpack *u)
{
  const uint64_t n = unpack_u64(u);

  if (n != m->n_threads - m->last.first_thread)
    return -EBADMSG;
  for (unsigned i = m->last.first_thread; i < m->n_threads; i++) {
    const struct report_thread more = merge_unpack_thread(u);
    struct report_thread *t = &m->thread[i];

    if (more.events > 0)
      merge_limits(&t->min_ns, &t->max_ns, t->events == 0, more.min_ns,
                   more.max_ns);
    t->events += more.events;
    t->sum_ns += more.sum_ns;
  }
  return 0;
}

/* Only the newest report of a rank counts. */
static uint64_t merge_unpack_newest(struct unpack *u, uint64_t *last,
                                    bool again)
{
  const uint64_t before = again ? *last : 0;

  *last = unpack_u64(u);
  return *last - before;
}

static void merge_add_spread(struct spread *s, struct unpack *u, double n,
                             bool again)
{
  const double mean = unpack_real(u), stddev = unpack_real(u);

  if (again)
    merge_spread_grow(s, n, mean);
  else
    merge_spread_add(s, n, mean, stddev);
}

static void merge_add_numbers(struct merge *m, struct unpack *u, bool again)
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
  r->threads += (unsigned)merge_unpack_newest(u, &last->threads, again);
  r->threads_running += (unsigned)merge_unpack_newest(u, &last->running, again);
  r->unfinished += merge_unpack_newest(u, &last->unfinished, again);
  for (int c = 0; c < COUNTERS; c++)
    r->counter[c] += unpack_u64(u);
  min_ns = unpack_u64(u);
  max_ns = unpack_u64(u);
  if (r->counter[COUNTER_EVENT] > before)
    merge_limits(&r->min_ns, &r->max_ns, before == 0, min_ns, max_ns);
  r->sum_ns += unpack_u64(u);
  r->queue_length += merge_unpack_newest(u, &last->queue, again);
  r->concurrency += merge_unpack_newest(u, &last->concurrency, again);
  r->arrivals += unpack_u64(u);
  merge_add_spread(&m->events, u, (double)last->threads, again);
  merge_add_spread(&m->time_s, u, (double)last->threads, again);
}

uint64_t merge_packed_events(struct unpack from)
{
  struct report r = { 0 };

  for (int i = 0; i < 4; i++)
    (void)unpack_u64(&from); /* in the order of merge_add_numbers() */
  for (int c = 0; c < COUNTERS; c++)
    r.counter[c] = unpack_u64(&from);
  return r.counter[COUNTER_EVENT];
}

/* `again`: of the rank that was added last. */
static int merge_one_report(struct merge *m, struct unpack *u, bool again)
{
  int rc;

  merge_add_numbers(m, u, again);
  merge_add_times(u, &m->sum.execution);
  merge_add_times(u, &m->sum.fetching);
  if (unpack_hist_add(u, m->hist))
    m->has_hist = true;
  rc = again ? merge_grow_threads(m, u) : merge_add_threads(m, u);
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
  const int rc = merge_one_report(m, u, false);

  if (rc == 0)
    m->count++;
  return rc;
}

int merge_add_more(struct merge *m, struct unpack *u)
{
  return merge_one_report(m, u, true);
}

static double merge_stddev_of(const struct spread *s)
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
  r->events_stddev = merge_stddev_of(&m->events);
  r->time_mean_s = m->time_s.mean;
  r->time_stddev_s = merge_stddev_of(&m->time_s);
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

static void merge_pack_times(struct strbuf *b, const struct report_times *t)
{
  pack_u64(b, t->count);
  pack_u64(b, t->sum_ns);
  pack_u64(b, t->min_ns);
  pack_u64(b, t->max_ns);
}

static void merge_pack_threads(struct strbuf *b, const struct report *r)
{
  pack_u64(b, r->thread ? r->threads : 0);
  for (unsigned i = 0; r->thread && i < r->threads; i++) {
    const struct report_thread *t = &r->thread[i];

    pack_u64(b, t->events);
    pack_u64(b, t->sum_ns);
    pack_u64(b, t->min_ns);
    pack_u64(b, t->max_ns);
  }
}

static void merge_pack_classes(struct strbuf *b, const struct class_list *list)
{
  pack_u64(b, list->n);
  for (unsigned i = 0; i < list->n; i++) {
    const struct class_report *c = &list->of[i];

    pack_text(b, c->name);
    pack_u64(b, c->count);
    pack_u64(b, c->errors);
    pack_u64(b, c->rows);
    pack_u64(b, c->bytes);
    pack_u64(b, c->reconnects);
    pack_u64(b, c->sum_ns);
    pack_u64(b, c->min_ns);
    pack_u64(b, c->max_ns);
    pack_hist(b, c->hist);
  }
}

void merge_pack(struct strbuf *b, const struct report *r)
{
  pack_u64(b, r->period_ns);
  pack_u64(b, r->threads);
  pack_u64(b, r->threads_running);
  pack_u64(b, r->unfinished);
  for (int c = 0; c < COUNTERS; c++)
    pack_u64(b, r->counter[c]);
  pack_u64(b, r->min_ns);
  pack_u64(b, r->max_ns);
  pack_u64(b, r->sum_ns);
  pack_u64(b, r->queue_length);
  pack_u64(b, r->concurrency);
  pack_u64(b, r->arrivals);
  pack_real(b, r->events_mean);
  pack_real(b, r->events_stddev);
  pack_real(b, r->time_mean_s);
  pack_real(b, r->time_stddev_s);
  merge_pack_times(b, &r->execution);
  merge_pack_times(b, &r->fetching);
  pack_hist(b, r->hist);
  merge_pack_threads(b, r);
  merge_pack_classes(b, &r->classes);
  merge_pack_classes(b, &r->rated);
  merge_pack_classes(b, &r->members);
  merge_tally_pack(b, &r->tally);
  merge_outages_pack(b, r->outages);
}
