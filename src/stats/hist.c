#include "stats/hist.h"

#include <assert.h>

#include "base/machine/cgroup.h"
#include "base/mem.h"

static_assert((HIST_BUCKETS - 1) / HIST_HALF < 64, "groups fit into one word");

enum {
  PER_CPU = 4,
  MIN_HISTS = 8,
  MAX_HISTS = 64,
};

unsigned hist_count(unsigned workers)
{
  unsigned n = PER_CPU * cgroup_cpus_allowed();

  if (n < MIN_HISTS)
    n = MIN_HISTS;
  if (n > MAX_HISTS)
    n = MAX_HISTS;
  return workers < n ? workers : n;
}

struct hist *hist_new(void)
{
  return mem_pages(sizeof(struct hist));
}

void hist_free(struct hist *h)
{
  mem_pages_free(h, sizeof(*h));
}

void hist_add_slow(struct hist *h, unsigned index, uint32_t count)
{
  if (count == 0) {
    (void)atomic_fetch_or_explicit(&h->groups, UINT64_C(1) << index / HIST_HALF,
                                   memory_order_relaxed);
    return;
  }
  (void)atomic_fetch_add_explicit(&h->more[index], 1, memory_order_relaxed);
  (void)atomic_fetch_sub_explicit(&h->count[index], 1, memory_order_relaxed);
}

uint64_t hist_low(unsigned index)
{
  const unsigned shift = index < 2 * HIST_HALF ? 0 : index / HIST_HALF - 1;

  return (uint64_t)(index - shift * HIST_HALF) << shift;
}

uint64_t hist_middle(unsigned index)
{
  const unsigned shift = index < 2 * HIST_HALF ? 0 : index / HIST_HALF - 1;

  return hist_low(index) + ((UINT64_C(1) << shift) >> 1);
}
