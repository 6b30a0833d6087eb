/*
 * periods.c - from snapshots to reports.
 */
#include "run/periods.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "stats/recorder.h"

static void period_start(struct period *p, const struct snapshot *now)
{
  snapshot_copy(&p->base, now);
  p->min_ns = UINT64_MAX;
  p->max_ns = 0;
}

static void period_merge(struct period *p, const struct snapshot *now)
{
  if (now->min_ns < p->min_ns)
    p->min_ns = now->min_ns;
  if (now->max_ns > p->max_ns)
    p->max_ns = now->max_ns;
}

int periods_init(struct periods *p, struct recorders *recorders,
                 bool per_thread, struct err *err)
{
  int rc;

  memset(p, 0, sizeof(*p));
  p->reported = true;
  p->recorders = recorders;
  rc = snapshot_init(&p->now, recorders, err);
  if (rc == 0)
    rc = snapshot_init(&p->interval.base, recorders, err);
  if (rc == 0)
    rc = snapshot_init(&p->cumulative.base, recorders, err);
  if (rc == 0 && recorders->n_hists > 0) {
    p->diff = hist_sum_new();
    if (!p->diff)
      rc = err_set(err, -ENOMEM, "cannot allocate statistics");
  }
  if (rc == 0 && per_thread) {
    p->threads = calloc(recorders->n, sizeof(*p->threads));
    if (!p->threads)
      rc = err_set(err, -ENOMEM, "cannot allocate statistics");
  }
  if (rc < 0)
    periods_done(p);
  return rc;
}

void periods_done(struct periods *p)
{
  if (!p)
    return;
  snapshot_done(&p->now);
  snapshot_done(&p->interval.base);
  snapshot_done(&p->cumulative.base);
  hist_sum_free(p->diff);
  free(p->threads);
  memset(p, 0, sizeof(*p));
}

/* The threads' smallest and largest, of the cumulated period. */
static void merge_threads(struct periods *p)
{
  for (unsigned i = 0; p->threads && i < p->now.n; i++) {
    const struct worker_totals *w = &p->now.worker[i];

    if (w->min_ns < p->threads[i].min_ns)
      p->threads[i].min_ns = w->min_ns;
    if (w->max_ns > p->threads[i].max_ns)
      p->threads[i].max_ns = w->max_ns;
  }
}

static void restart_threads(struct periods *p)
{
  for (unsigned i = 0; p->threads && i < p->now.n; i++)
    p->threads[i] = (struct report_thread){ .min_ns = UINT64_MAX };
}

static void take(struct periods *p, uint64_t now_ns)
{
  if (p->reported)
    restart_threads(p);
  p->reported = false;
  snapshot_take(&p->now, p->recorders, now_ns);
  period_merge(&p->interval, &p->now);
  period_merge(&p->cumulative, &p->now);
  merge_threads(p);
}

void periods_restart(struct periods *p, uint64_t now_ns)
{
  take(p, now_ns);
  period_start(&p->interval, &p->now);
  period_start(&p->cumulative, &p->now);
  p->reported = true;
}

void periods_interval(struct periods *p, const struct report_setup *setup,
                      uint64_t now_ns, struct report *r)
{
  take(p, now_ns);
  report_fill(r, setup, &p->interval.base, &p->now, p->interval.min_ns,
              p->interval.max_ns, p->diff);
  period_start(&p->interval, &p->now);
}

static void fill_threads(struct periods *p, struct report *r)
{
  for (unsigned i = 0; p->threads && i < p->now.n; i++) {
    const struct worker_totals *a = &p->cumulative.base.worker[i];
    const struct worker_totals *b = &p->now.worker[i];
    struct report_thread *t = &p->threads[i];

    t->events = b->events - a->events;
    t->sum_ns = b->sum_ns - a->sum_ns;
    if (t->min_ns == UINT64_MAX)
      t->min_ns = 0;
  }
  r->thread = p->threads;
}

void periods_cumulative(struct periods *p, const struct report_setup *setup,
                        uint64_t now_ns, struct report *r)
{
  take(p, now_ns);
  fill_threads(p, r);
  report_fill(r, setup, &p->cumulative.base, &p->now, p->cumulative.min_ns,
              p->cumulative.max_ns, p->diff);
  period_start(&p->cumulative, &p->now);
  p->reported = true;
}
