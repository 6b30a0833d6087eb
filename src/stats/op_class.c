/*
 * op_class.c - latencies of kinds of operations, kept apart.
 */
#include "stats/op_class.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

enum {
  MOST_HISTS = 64 /* of a kind: with more workers, several add to one */
};

static uint64_t load(const _Atomic uint64_t *p)
{
  return atomic_load_explicit(p, memory_order_relaxed);
}

static struct op_recorder *recorder_at(const struct op_recorders *rs,
                                       unsigned worker, unsigned kind)
{
  return &rs->of[(size_t)worker * rs->kinds + kind];
}

int op_recorders_init(struct op_recorders *rs, unsigned workers, unsigned kinds,
                      struct err *err)
{
  memset(rs, 0, sizeof(*rs));
  rs->workers = workers;
  rs->kinds = kinds;
  rs->n_hists = workers < MOST_HISTS ? workers : MOST_HISTS;
  rs->of = mem_aligned((size_t)workers * kinds, sizeof(*rs->of), CACHE_LINE);
  rs->hists = calloc((size_t)rs->n_hists * kinds, sizeof(struct hist *));
  if (!rs->of || !rs->hists)
    goto no_memory;
  for (unsigned i = 0; i < rs->n_hists * kinds; i++) {
    rs->hists[i] = hist_new();
    if (!rs->hists[i])
      goto no_memory;
  }
  for (unsigned w = 0; w < workers; w++) {
    for (unsigned k = 0; k < kinds; k++) {
      struct op_recorder *r = recorder_at(rs, w, k);

      r->hist = rs->hists[(w % rs->n_hists) * kinds + k];
      r->hist_shared = workers > rs->n_hists;
      atomic_init(&r->min_ns, UINT64_MAX);
    }
  }
  return 0;

no_memory:
  op_recorders_done(rs);
  return err_set(err, -ENOMEM, "cannot allocate statistics of %u threads",
                 workers);
}

void op_recorders_done(struct op_recorders *rs)
{
  if (!rs)
    return;
  for (unsigned i = 0; rs->hists && i < rs->n_hists * rs->kinds; i++)
    hist_free(rs->hists[i]);
  free(rs->hists);
  free(rs->of);
  memset(rs, 0, sizeof(*rs));
}

void op_recorders_read(const struct op_recorders *rs, unsigned kind,
                       const char *name, struct hist_sum *hist,
                       struct op_class *ret)
{
  struct op_class c = { .name = name, .hist = hist, .min_ns = UINT64_MAX };

  hist_sum_clear(hist);
  for (unsigned i = 0; i < rs->n_hists; i++)
    hist_sum_add(hist, rs->hists[i * rs->kinds + kind]);
  c.count = hist->total;
  for (unsigned w = 0; w < rs->workers; w++) {
    const struct op_recorder *r = recorder_at(rs, w, kind);
    const uint64_t min_ns = load(&r->min_ns);
    const uint64_t max_ns = load(&r->max_ns);

    c.sum_ns += load(&r->sum_ns);
    c.bytes += load(&r->bytes);
    c.min_ns = min_ns < c.min_ns ? min_ns : c.min_ns;
    c.max_ns = max_ns > c.max_ns ? max_ns : c.max_ns;
  }
  if (c.min_ns == UINT64_MAX)
    c.min_ns = 0;
  *ret = c;
}
