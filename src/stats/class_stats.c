#include "stats/class_stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/minmax.h"

enum {
  BUSY_CLASSES = 4, /* busy in most tests */
  FEW = 2,          /* half as many histograms if threads share */
  FEWER = 8,        /* the fraction for the other classes */
};

struct class_memo {
  struct class_memo *next;
  const void *key;
  max_align_t memory[];
};

static unsigned class_hists_of(const struct class_set *set, unsigned id)
{
  const unsigned n = set->n_hists;

  if (id >= BUSY_CLASSES)
    return (n + FEWER - 1) / FEWER;
  return set->n_threads > n ? (n + FEW - 1) / FEW : n;
}

int class_set_new(struct class_set **ret, unsigned n_threads, struct err *err)
{
  struct class_set *set = calloc(1, sizeof(*set));

  if (set)
    set->of = mem_aligned(n_threads, sizeof(*set->of), CACHE_LINE);
  if (!set || !set->of) {
    free(set);
    return err_set(err, -ENOMEM, "cannot allocate statistics of %u threads",
                   n_threads);
  }
  (void)pthread_mutex_init(&set->lock, NULL);
  set->n_threads = n_threads;
  set->n_hists = hist_count(n_threads);
  for (unsigned i = 0; i < n_threads; i++) {
    set->of[i].set = set;
    set->of[i].thread = i;
  }
  *ret = set;
  return 0;
}

static void class_free_memos(struct class_memo *m)
{
  while (m) {
    struct class_memo *next = m->next;

    free(m);
    m = next;
  }
}

void class_set_free(struct class_set *set)
{
  if (!set)
    return;
  for (unsigned id = 0; id < class_count(set); id++) {
    for (unsigned i = 0; i < set->n_threads; i++)
      free(atomic_load(&set->of[i].cell[id]));
    for (unsigned i = 0; set->hist[id] && i < class_hists_of(set, id); i++)
      hist_free(set->hist[id][i]);
    free(set->hist[id]);
    hist_slow_free(set->slow[id]);
    free(set->name[id]);
  }
  for (unsigned i = 0; i < set->n_threads; i++)
    class_free_memos(set->of[i].memos);
  (void)pthread_mutex_destroy(&set->lock);
  free(set->of);
  free(set);
}

/* Under the lock. The last place is for the classes that do not fit. */
static unsigned class_add(struct class_set *set, unsigned n, const char *name,
                          size_t len)
{
  static const char other[] = "(other)";

  if (n == CLASS_MAX)
    return CLASS_MAX - 1;
  if (n == CLASS_MAX - 1) {
    name = other;
    len = sizeof(other) - 1;
  }
  set->name[n] = mem_strndup(name, len);
  if (!set->name[n])
    return n > 0 ? n - 1 : 0;
  atomic_store_explicit(&set->n, n + 1, memory_order_release);
  return n;
}

unsigned class_id(struct class_set *set, const char *name, size_t len)
{
  unsigned id, n;

  len = strnlen(name, len); /* stored names end there, too */
  (void)pthread_mutex_lock(&set->lock);
  n = atomic_load_explicit(&set->n, memory_order_relaxed);
  for (id = 0; id < n; id++) {
    if (strncmp(set->name[id], name, len) == 0 && set->name[id][len] == '\0')
      break;
  }
  if (id == n)
    id = class_add(set, n, name, len);
  (void)pthread_mutex_unlock(&set->lock);
  return id;
}

unsigned class_count(const struct class_set *set)
{
  return atomic_load_explicit(&set->n, memory_order_acquire);
}

const char *class_name(const struct class_set *set, unsigned id)
{
  return set->name[id];
}

/* Under the lock. */
static struct hist *class_hist_for(struct class_set *set, unsigned thread,
                                   unsigned id)
{
  const unsigned n = class_hists_of(set, id);
  struct hist **slot;

  if (!set->hist[id])
    set->hist[id] = calloc(n, sizeof(struct hist *));
  if (!set->hist[id])
    return NULL;
  slot = &set->hist[id][thread % n];
  if (!*slot)
    *slot = hist_new();
  return *slot;
}

static struct slow_hist *class_slow_for(struct class_set *set, unsigned id)
{
  if (!set->slow[id])
    set->slow[id] = hist_slow_new();
  return set->slow[id];
}

struct class_cell *class_cell_new(struct class_recorder *r, unsigned id)
{
  struct class_set *set = r->set;
  struct class_cell *c = mem_aligned(1, sizeof(*c), CACHE_LINE);

  if (!c)
    return NULL;
  (void)pthread_mutex_lock(&set->lock);
  c->hist = class_hist_for(set, r->thread, id);
  c->slow = class_slow_for(set, id);
  (void)pthread_mutex_unlock(&set->lock);
  if (!c->hist || !c->slow) {
    free(c);
    return NULL;
  }
  c->hist_shared = set->n_threads > class_hists_of(set, id);
  atomic_store_explicit(&r->cell[id], c, memory_order_release);
  return c;
}

void *class_recorder_memo(struct class_recorder *r, const void *key,
                          size_t size)
{
  struct class_memo *m;

  for (m = r->memos; m; m = m->next) {
    if (m->key == key)
      return m->memory;
  }
  m = calloc(1, sizeof(*m) + size);
  if (!m)
    return NULL;
  m->key = key;
  m->next = r->memos;
  r->memos = m;
  return m->memory;
}

void class_add_trouble(struct class_recorder *r, unsigned id, uint64_t errors,
                       uint64_t reconnects)
{
  struct class_cell *c = atomic_load_explicit(&r->cell[id],
                                              memory_order_relaxed);

  if (!c)
    c = class_cell_new(r, id);
  if (!c)
    return;
  recorder_bump(&c->errors, errors);
  recorder_bump(&c->reconnects, reconnects);
}

static void class_read_hists(struct class_set *set, unsigned id,
                             struct hist_sum *sum)
{
  hist_sum_clear(sum);
  (void)pthread_mutex_lock(&set->lock);
  for (unsigned i = 0; set->hist[id] && i < class_hists_of(set, id); i++) {
    if (set->hist[id][i])
      hist_sum_add(sum, set->hist[id][i]);
  }
  if (set->slow[id])
    hist_slow_add(sum, set->slow[id]);
  (void)pthread_mutex_unlock(&set->lock);
}

void class_read(struct class_set *set, unsigned id, struct class_totals *ret)
{
  ret->count = ret->errors = ret->rows = ret->bytes = 0;
  ret->reconnects = ret->sum_ns = 0;
  for (unsigned i = 0; i < set->n_threads; i++) {
    const struct class_cell *c = atomic_load_explicit(&set->of[i].cell[id],
                                                      memory_order_acquire);

    if (!c)
      continue;
    ret->count += recorder_load(&c->count);
    ret->errors += recorder_load(&c->errors);
    ret->rows += recorder_load(&c->rows);
    ret->bytes += recorder_load(&c->bytes);
    ret->reconnects += recorder_load(&c->reconnects);
    ret->sum_ns += recorder_load(&c->sum_ns);
  }
  if (!ret->hist)
    return;
  class_read_hists(set, id, ret->hist);
  /* An operation that ends now can be in only one. */
  ret->count = ret->hist->total;
}

/* ---- periods ---- */

struct class_track {
  struct class_totals interval, total;
  struct hist_sum *diff;
};

static void class_track_free(struct class_track *t)
{
  if (!t)
    return;
  hist_sum_free(t->interval.hist);
  hist_sum_free(t->total.hist);
  hist_sum_free(t->diff);
  free(t);
}

static struct class_track *class_track_new(void)
{
  struct class_track *t = calloc(1, sizeof(*t));

  if (!t)
    return NULL;
  t->interval.hist = hist_sum_new();
  t->total.hist = hist_sum_new();
  t->diff = hist_sum_new();
  if (!t->interval.hist || !t->total.hist || !t->diff) {
    class_track_free(t);
    return NULL;
  }
  return t;
}

int class_periods_init(struct class_periods *p, struct class_set *set)
{
  memset(p, 0, sizeof(*p));
  p->set = set;
  if (!set)
    return 0;
  p->track = calloc(CLASS_MAX, sizeof(struct class_track *));
  p->report = calloc(CLASS_MAX, sizeof(*p->report));
  p->now.hist = hist_sum_new();
  if (p->track && p->report && p->now.hist)
    return 0;
  class_periods_done(p);
  return -ENOMEM;
}

void class_periods_done(struct class_periods *p)
{
  for (unsigned i = 0; p->track && i < p->n; i++)
    class_track_free(p->track[i]);
  free(p->track);
  free(p->report);
  hist_sum_free(p->now.hist);
  memset(p, 0, sizeof(*p));
}

static void class_add_tracks(struct class_periods *p)
{
  const unsigned n = p->set ? class_count(p->set) : 0;

  while (p->n < n) {
    struct class_track *t = class_track_new();

    if (!t)
      break;
    p->track[p->n++] = t;
  }
}

static void class_begin(struct class_totals *base,
                        const struct class_totals *now)
{
  struct hist_sum *hist = base->hist;

  hist_sum_copy(hist, now->hist);
  *base = *now;
  base->hist = hist;
}

void class_periods_restart(struct class_periods *p)
{
  class_add_tracks(p);
  for (unsigned i = 0; i < p->n; i++) {
    class_read(p->set, i, &p->now);
    class_begin(&p->track[i]->interval, &p->now);
    class_begin(&p->track[i]->total, &p->now);
  }
}

static void class_set_limits(struct class_report *r)
{
  const unsigned first = hist_sum_next(r->hist, 0);

  r->min_ns = first < HIST_BUCKETS ? hist_low(first) : 0;
  for (unsigned i = first; i < HIST_BUCKETS;
       i = hist_sum_next(r->hist, i + 1)) {
    r->max_ns = i + 1 < HIST_BUCKETS ? hist_low(i + 1) - 1 : HIST_MAX_NS;
  }
}

/* The sum and the histogram can differ by an operation. */
static void class_fit_sum(struct class_report *r)
{
  const double n = (double)r->count;

  if ((double)r->sum_ns < n * (double)r->min_ns)
    r->sum_ns = r->count * r->min_ns;
  if (r->max_ns < HIST_MAX_NS && (double)r->sum_ns > n * (double)r->max_ns)
    r->sum_ns = r->count * r->max_ns;
}

uint64_t class_percentile(const struct class_report *c, double pct)
{
  const uint64_t ns = c->count > 0 ? hist_percentile(c->hist, pct) : 0;

  return ns < c->min_ns ? c->min_ns : min_u64(ns, c->max_ns);
}

static void class_fill(struct class_periods *p, unsigned id,
                       const struct class_totals *base)
{
  const struct class_totals *now = &p->now;
  struct hist_sum *diff = p->track[id]->diff;

  class_read(p->set, id, &p->now);
  hist_sum_sub(diff, now->hist, base->hist);
  p->report[id] = (struct class_report){
    .name = class_name(p->set, id),
    .count = now->count - base->count,
    .errors = now->errors - base->errors,
    .rows = now->rows - base->rows,
    .bytes = now->bytes - base->bytes,
    .reconnects = now->reconnects - base->reconnects,
    .sum_ns = now->sum_ns - base->sum_ns,
    .hist = diff,
  };
  class_set_limits(&p->report[id]);
  class_fit_sum(&p->report[id]);
}

struct class_list class_periods_interval(struct class_periods *p)
{
  class_add_tracks(p);
  for (unsigned i = 0; i < p->n; i++) {
    class_fill(p, i, &p->track[i]->interval);
    class_begin(&p->track[i]->interval, &p->now);
  }
  return (struct class_list){ p->n, p->report };
}

struct class_list class_periods_total(struct class_periods *p)
{
  class_add_tracks(p);
  for (unsigned i = 0; i < p->n; i++)
    class_fill(p, i, &p->track[i]->total);
  return (struct class_list){ p->n, p->report };
}
