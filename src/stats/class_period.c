/*
 * class_period.c - classes of operations in a period: differences.
 */
#include "stats/class_period.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"

/* One class: its numbers when the periods began. */
struct class_track {
  struct class_totals interval, total;
  struct hist_sum *diff; /* the latest result */
};

static void track_free(struct class_track *t)
{
  if (!t)
    return;
  hist_sum_free(t->interval.hist);
  hist_sum_free(t->total.hist);
  hist_sum_free(t->diff);
  free(t);
}

static struct class_track *track_new(void)
{
  struct class_track *t = calloc(1, sizeof(*t));

  if (!t)
    return NULL;
  t->interval.hist = hist_sum_new();
  t->total.hist = hist_sum_new();
  t->diff = hist_sum_new();
  if (!t->interval.hist || !t->total.hist || !t->diff) {
    track_free(t);
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
    track_free(p->track[i]);
  free(p->track);
  free(p->report);
  hist_sum_free(p->now.hist);
  memset(p, 0, sizeof(*p));
}

/* Classes for which there is no memory are added later. */
static void add_tracks(struct class_periods *p)
{
  const unsigned n = p->set ? class_count(p->set) : 0;

  while (p->n < n) {
    struct class_track *t = track_new();

    if (!t)
      break;
    p->track[p->n++] = t;
  }
}

static void begin(struct class_totals *base, const struct class_totals *now)
{
  struct hist_sum *hist = base->hist;

  hist_sum_copy(hist, now->hist);
  *base = *now;
  base->hist = hist;
}

void class_periods_restart(struct class_periods *p)
{
  add_tracks(p);
  for (unsigned i = 0; i < p->n; i++) {
    class_read(p->set, i, &p->now);
    begin(&p->track[i]->interval, &p->now);
    begin(&p->track[i]->total, &p->now);
  }
}

static void set_limits(struct class_report *r)
{
  const unsigned first = hist_sum_next(r->hist, 0);

  r->min_ns = first < HIST_BUCKETS ? hist_low(first) : 0;
  for (unsigned i = first; i < HIST_BUCKETS;
       i = hist_sum_next(r->hist, i + 1)) {
    r->max_ns = i + 1 < HIST_BUCKETS ? hist_low(i + 1) - 1 : HIST_MAX_NS;
  }
}

/* The sum of latencies was read a moment before their histogram: what is in one
 * of them only must not give a mean that none of them can have. */
static void fit_sum(struct class_report *r)
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

/* Fill in the difference between `now`, which has just been read, and
 * `base`. */
static void fill(struct class_periods *p, unsigned id,
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
  set_limits(&p->report[id]);
  fit_sum(&p->report[id]);
}

struct class_list class_periods_interval(struct class_periods *p)
{
  add_tracks(p);
  for (unsigned i = 0; i < p->n; i++) {
    fill(p, i, &p->track[i]->interval);
    begin(&p->track[i]->interval, &p->now);
  }
  return (struct class_list){ p->n, p->report };
}

struct class_list class_periods_total(struct class_periods *p)
{
  add_tracks(p);
  for (unsigned i = 0; i < p->n; i++)
    fill(p, i, &p->track[i]->total);
  return (struct class_list){ p->n, p->report };
}
