/*
 * pool_parts.c - the memory of pools, and their figures.
 */
#include "db/pool_parts.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/minmax.h"

struct pool *pools_new(unsigned n, unsigned sessions)
{
  struct pool *pools = mem_aligned(n, sizeof(*pools), CACHE_LINE);

  for (unsigned i = 0; pools && i < n; i++) {
    struct pool *p = &pools[i];

    *p = (struct pool){ .size = sessions / n + (i < sessions % n) };
    p->free_end = &p->free;
    p->waits_end = &p->waits;
    p->of = mem_new(p->size, sizeof(*p->of));
    if (!p->of) {
      pools_free(pools, i);
      return NULL;
    }
  }
  return pools;
}

void pools_free(struct pool *pools, unsigned n)
{
  for (unsigned i = 0; pools && i < n; i++) {
    free(pools[i].nobody);
    free(pools[i].of);
  }
  free(pools);
}

static uint64_t get(const _Atomic uint64_t *n)
{
  return atomic_load_explicit(n, memory_order_relaxed);
}

struct pool_sum pools_sum(const struct pool *pools, unsigned n)
{
  struct pool_sum sum = { 0 };

  for (unsigned i = 0; i < n; i++) {
    const struct pool_figures *f = &pools[i].figures;

    sum.leases += get(&f->leases);
    sum.waits += get(&f->waits);
    sum.wait_ns += get(&f->wait_ns);
    sum.rolled_back += get(&f->rolled_back);
    sum.longest_ns = max_u64(sum.longest_ns, get(&f->longest_ns));
  }
  return sum;
}
