/*
 * merge_pack.c - packs a report as bytes, to be merged in another rank.
 */
#include "base/strbuf.h"
#include "cluster/merge.h"
#include "cluster/merge_outages.h"
#include "cluster/merge_tally.h"
#include "cluster/pack.h"

static void pack_times(struct strbuf *b, const struct report_times *t)
{
  pack_u64(b, t->count);
  pack_u64(b, t->sum_ns);
  pack_u64(b, t->min_ns);
  pack_u64(b, t->max_ns);
}

static void pack_threads(struct strbuf *b, const struct report *r)
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

static void pack_classes(struct strbuf *b, const struct class_list *list)
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
  pack_times(b, &r->execution);
  pack_times(b, &r->fetching);
  pack_hist(b, r->hist);
  pack_threads(b, r);
  pack_classes(b, &r->classes);
  pack_classes(b, &r->rated);
  pack_classes(b, &r->members);
  merge_tally_pack(b, &r->tally);
  merge_outages_pack(b, r->outages);
}
