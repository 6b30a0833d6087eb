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

static int periods_init_details(struct periods *p,
                                const struct recorders *recorders,
                                struct err *err)
{
  int rc = snapshot_init(&p->total.base, recorders, err);

  if (rc < 0)
    return rc;
  p->total_threads = calloc(recorders->n, sizeof(*p->total_threads));
  if (recorders->n_hists > 0)
    p->total_diff = hist_sum_new();
  if (!p->total_threads || (recorders->n_hists > 0 && !p->total_diff))
    return err_set(err, -ENOMEM, "cannot allocate statistics");
  p->details = true;
  return 0;
}

int periods_init(struct periods *p, struct recorders *recorders,
                 const struct periods_want *want, struct err *err)
{
  int rc;

  memset(p, 0, sizeof(*p));
  p->reported = true;
  p->recorders = recorders;
  p->source = want->tally;
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
  if (rc == 0 && want->per_thread) {
    p->threads = calloc(recorders->n, sizeof(*p->threads));
    if (!p->threads)
      rc = err_set(err, -ENOMEM, "cannot allocate statistics");
  }
  if (rc == 0 && want->details)
    rc = periods_init_details(p, recorders, err);
  if (rc == 0 && (want->details || want->sums) && p->source.tell)
    rc = tally_new(&p->tally, err);
  if (rc == 0 && (class_periods_init(&p->classes, want->classes) < 0 ||
                  class_periods_init(&p->rated, want->rated) < 0 ||
                  class_periods_init(&p->members, want->members) < 0))
    rc = err_set(err, -ENOMEM, "cannot allocate statistics");
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
  snapshot_done(&p->total.base);
  hist_sum_free(p->diff);
  hist_sum_free(p->total_diff);
  free(p->threads);
  free(p->total_threads);
  class_periods_done(&p->classes);
  class_periods_done(&p->rated);
  class_periods_done(&p->members);
  tally_free(p->tally);
  memset(p, 0, sizeof(*p));
}

static void periods_take(struct periods *p, uint64_t now_ns)
{
  if (p->threads && p->reported)
    report_threads_clear(p->threads, p->recorders->n);
  p->reported = false;
  snapshot_take(&p->now, p->recorders, now_ns);
  period_merge(&p->interval, &p->now);
  period_merge(&p->cumulative, &p->now);
  if (p->threads)
    report_threads_merge(p->threads, &p->now);
  if (p->details) {
    period_merge(&p->total, &p->now);
    report_threads_merge(p->total_threads, &p->now);
  }
}

static void periods_take_tally(struct periods *p)
{
  tally_clear(p->tally);
  p->source.tell(p->source.ctx, p->tally);
}

void periods_restart(struct periods *p, uint64_t now_ns)
{
  periods_take(p, now_ns);
  period_start(&p->interval, &p->now);
  period_start(&p->cumulative, &p->now);
  p->reported = true;
  if (p->details) {
    period_start(&p->total, &p->now);
    report_threads_clear(p->total_threads, p->recorders->n);
  }
  class_periods_restart(&p->classes);
  class_periods_restart(&p->rated);
  class_periods_restart(&p->members);
  if (p->tally) {
    periods_take_tally(p);
    tally_restart(p->tally);
  }
}

void periods_interval(struct periods *p, const struct report_setup *setup,
                      uint64_t now_ns, struct report *r)
{
  periods_take(p, now_ns);
  report_fill(r, setup, &p->interval.base, &p->now, p->interval.min_ns,
              p->interval.max_ns, p->diff);
  period_start(&p->interval, &p->now);
  if (setup->details) {
    r->classes = class_periods_interval(&p->classes);
    r->members = class_periods_interval(&p->members);
  }
  if (p->tally) {
    periods_take_tally(p);
    tally_interval(p->tally, &r->tally);
  }
}

void periods_cumulative(struct periods *p, const struct report_setup *setup,
                        uint64_t now_ns, struct report *r)
{
  periods_take(p, now_ns);
  if (p->threads)
    report_threads_fill(p->threads, &p->cumulative.base, &p->now);
  r->thread = p->threads;
  report_fill(r, setup, &p->cumulative.base, &p->now, p->cumulative.min_ns,
              p->cumulative.max_ns, p->diff);
  period_start(&p->cumulative, &p->now);
  p->reported = true;
}

void periods_total(struct periods *p, const struct report_setup *setup,
                   struct report *r)
{
  report_threads_fill(p->total_threads, &p->total.base, &p->now);
  r->thread = p->total_threads;
  report_fill(r, setup, &p->total.base, &p->now, p->total.min_ns,
              p->total.max_ns, p->total_diff);
  r->rated = class_periods_total(&p->rated);
  periods_sums(p, r);
}

void periods_sums(struct periods *p, struct report *r)
{
  r->classes = class_periods_total(&p->classes);
  r->members = class_periods_total(&p->members);
  if (p->tally) {
    periods_take_tally(p);
    tally_total(p->tally, &r->tally);
  }
}
