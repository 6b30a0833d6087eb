#include "stats/recorder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/minmax.h"

static void recorder_store(_Atomic uint64_t *p, uint64_t value)
{
  atomic_store_explicit(p, value, memory_order_relaxed);
}

static void recorder_epoch_data_start(struct epoch_data *d, uint64_t events,
                                      uint64_t sum_ns)
{
  recorder_store(&d->first_events, events);
  recorder_store(&d->first_sum_ns, sum_ns);
  recorder_store(&d->events, events);
  recorder_store(&d->sum_ns, sum_ns);
  recorder_store(&d->min_ns, UINT64_MAX);
  recorder_store(&d->max_ns, 0);
}

int recorders_init(struct recorders *rs, unsigned n, bool percentiles,
                   struct err *err)
{
  memset(rs, 0, sizeof(*rs));
  rs->of = mem_aligned(n, sizeof(*rs->of), CACHE_LINE);
  rs->seen = calloc(n, sizeof(*rs->seen));
  if (percentiles) {
    rs->n_hists = hist_count(n);
    rs->hists = calloc(rs->n_hists, sizeof(struct hist *));
    rs->slow = hist_slow_new();
  }
  if (!rs->of || !rs->seen || (percentiles && (!rs->hists || !rs->slow)))
    goto no_memory;
  for (unsigned i = 0; i < rs->n_hists; i++) {
    rs->hists[i] = hist_new();
    if (!rs->hists[i])
      goto no_memory;
  }

  rs->n = n;
  for (unsigned i = 0; i < n; i++) {
    struct recorder *r = &rs->of[i];

    ck_sequence_init(&r->seq);
    recorder_epoch_data_start(&r->data[0], 0, 0);
    recorder_epoch_data_start(&r->data[1], 0, 0);
    if (percentiles) {
      r->hist = rs->hists[i % rs->n_hists];
      r->slow = rs->slow;
    }
    r->hist_shared = n > rs->n_hists;
  }
  return 0;

no_memory:
  recorders_done(rs);
  return err_set(err, -ENOMEM, "cannot allocate statistics of %u threads", n);
}

void recorders_done(struct recorders *rs)
{
  if (!rs)
    return;
  for (unsigned i = 0; rs->hists && i < rs->n_hists; i++)
    hist_free(rs->hists[i]);
  free(rs->hists);
  hist_slow_free(rs->slow);
  free(rs->seen);
  free(rs->of);
  memset(rs, 0, sizeof(*rs));
}

void recorders_latencies(const struct recorders *rs, struct hist_sum *sum)
{
  for (unsigned i = 0; i < rs->n_hists; i++)
    hist_sum_add(sum, rs->hists[i]);
  if (rs->slow)
    hist_slow_add(sum, rs->slow);
}

/* Writes both halves: the previous one is the worker's last epoch only if none
 * passed without an event. */
void recorder_new_epoch(struct recorder *r, uint32_t epoch)
{
  const uint32_t old = atomic_load_explicit(&r->epoch, memory_order_relaxed);
  const struct epoch_data *last = &r->data[old & 1];
  const uint64_t events = recorder_load(&last->events);
  const uint64_t sum_ns = recorder_load(&last->sum_ns);

  ck_sequence_write_begin(&r->seq);
  if (old != epoch - 1)
    recorder_epoch_data_start(&r->data[(epoch - 1) & 1], events, sum_ns);
  recorder_epoch_data_start(&r->data[epoch & 1], events, sum_ns);
  atomic_store_explicit(&r->epoch, epoch, memory_order_relaxed);
  ck_sequence_write_end(&r->seq);
}

uint64_t recorder_events(const struct recorder *r)
{
  const uint32_t e = atomic_load_explicit(&r->epoch, memory_order_relaxed);

  return recorder_load(&r->data[e & 1].events) +
         recorder_load(&r->counter[COUNTER_EVENT]);
}

uint64_t recorders_events(const struct recorders *rs)
{
  uint64_t sum = 0;

  for (unsigned i = 0; i < rs->n; i++)
    sum += recorder_events(&rs->of[i]);
  return sum;
}

void recorder_peek(const struct recorder *r, uint64_t *ret_events,
                   uint64_t *ret_sum_ns)
{
  unsigned version;

  do {
    const struct epoch_data *d;
    uint32_t e;

    version = ck_sequence_read_begin(&r->seq);
    e = atomic_load_explicit(&r->epoch, memory_order_relaxed);
    d = &r->data[e & 1];
    *ret_events = recorder_load(&d->events);
    *ret_sum_ns = recorder_load(&d->sum_ns);
  } while (ck_sequence_read_retry(&r->seq, version));
}

int snapshot_init(struct snapshot *s, const struct recorders *rs,
                  struct err *err)
{
  memset(s, 0, sizeof(*s));
  s->n = rs->n;
  s->min_ns = UINT64_MAX;
  s->worker = calloc(rs->n, sizeof(*s->worker));
  if (rs->n_hists > 0)
    s->hist = hist_sum_new();
  if (!s->worker || (rs->n_hists > 0 && !s->hist)) {
    snapshot_done(s);
    return err_set(err, -ENOMEM, "cannot allocate statistics of %u threads",
                   rs->n);
  }
  return 0;
}

void snapshot_done(struct snapshot *s)
{
  if (!s)
    return;
  free(s->worker);
  hist_sum_free(s->hist);
  memset(s, 0, sizeof(*s));
}

struct worker_view {
  uint64_t first_events, first_sum_ns;
  uint64_t events, sum_ns;
  uint64_t min_ns, max_ns; /* since first_events */
};

static void snapshot_view(struct worker_view *v, const struct recorder *r,
                          uint32_t ended)
{
  unsigned version;

  do {
    uint32_t at;
    const struct epoch_data *d;

    version = ck_sequence_read_begin(&r->seq);
    at = atomic_load_explicit(&r->epoch, memory_order_relaxed);
    /* A worker in the next epoch has left this one complete. */
    d = &r->data[(at == ended + 1 ? ended : at) & 1];
    v->first_events = recorder_load(&d->first_events);
    v->first_sum_ns = recorder_load(&d->first_sum_ns);
    v->events = recorder_load(&d->events);
    v->sum_ns = recorder_load(&d->sum_ns);
    v->min_ns = recorder_load(&d->min_ns);
    v->max_ns = recorder_load(&d->max_ns);
    if (at != ended && at != ended + 1) {
      /* No event since a reported epoch. */
      v->first_events = v->events;
      v->first_sum_ns = v->sum_ns;
      v->min_ns = UINT64_MAX;
      v->max_ns = 0;
    }
  } while (ck_sequence_read_retry(&r->seq, version));
}

static void snapshot_read(struct worker_totals *w, const struct recorder *r,
                          uint32_t ended, const struct worker_totals *seen)
{
  struct worker_view v;
  uint64_t late;

  snapshot_view(&v, r, ended);
  w->events = v.events;
  w->sum_ns = v.sum_ns;
  w->min_ns = v.min_ns;
  w->max_ns = v.max_ns;
  w->aside = atomic_load_explicit(&r->aside, memory_order_relaxed);

  late = v.first_events - seen->events;
  if (late > 0) {
    const uint64_t late_ns = (v.first_sum_ns - seen->sum_ns) / late;

    w->min_ns = min_u64(w->min_ns, late_ns);
    w->max_ns = max_u64(w->max_ns, late_ns);
  }
}

static void snapshot_add(struct snapshot *s, const struct worker_totals *w,
                         const struct recorder *r)
{
  s->events += w->events;
  s->sum_ns += w->sum_ns;
  s->min_ns = min_u64(s->min_ns, w->min_ns);
  s->max_ns = max_u64(s->max_ns, w->max_ns);
  for (unsigned c = 0; c < COUNTERS; c++)
    s->counter[c] += recorder_load(&r->counter[c]);
}

void snapshot_take(struct snapshot *s, struct recorders *rs, uint64_t now_ns)
{
  const uint32_t ended = atomic_load_explicit(&rs->epoch, memory_order_relaxed);

  atomic_store_explicit(&rs->epoch, ended + 1, memory_order_seq_cst);
  s->at_ns = now_ns;
  s->events = s->sum_ns = 0;
  s->min_ns = UINT64_MAX;
  s->max_ns = 0;
  memset(s->counter, 0, sizeof(s->counter));
  for (unsigned i = 0; i < rs->n; i++) {
    snapshot_read(&s->worker[i], &rs->of[i], ended, &rs->seen[i]);
    snapshot_add(s, &s->worker[i], &rs->of[i]);
    rs->seen[i] = s->worker[i];
  }
  s->counter[COUNTER_EVENT] += s->events;

  if (s->hist) {
    hist_sum_clear(s->hist);
    recorders_latencies(rs, s->hist);
  }
}

void snapshot_copy(struct snapshot *to, const struct snapshot *from)
{
  struct worker_totals *worker = to->worker;
  struct hist_sum *hist = to->hist;

  memcpy(worker, from->worker, from->n * sizeof(*worker));
  if (hist)
    hist_sum_copy(hist, from->hist);
  *to = *from;
  to->worker = worker;
  to->hist = hist;
}
