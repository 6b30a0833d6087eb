#include "stats/event_ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

/* The thread sanitizer, which alone calls this, cannot see ck_ring's barriers
 * in assembler. */
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
  return "race:_ck_ring_enqueue_sp\nrace:event_ring_take\n";
}

/* Records, powers of two. */
enum {
  ALL_RECORDS = 1 << 21,
  MAX_RECORDS = 1 << 16,
  MIN_RECORDS = 1 << 8,
};

int event_rings_init(struct event_rings *rs, unsigned n, struct err *err)
{
  size_t size = MAX_RECORDS;

  memset(rs, 0, sizeof(*rs));
  while (size > MIN_RECORDS && size * n > ALL_RECORDS)
    size /= 2;
  rs->of = mem_aligned(n, sizeof(*rs->of), CACHE_LINE);
  rs->memory = calloc(size * n, sizeof(*rs->memory));
  if (!rs->of || !rs->memory) {
    event_rings_done(rs);
    return err_set(err, -ENOMEM, "cannot allocate the event log of %u threads",
                   n);
  }
  rs->n = n;
  for (unsigned i = 0; i < n; i++) {
    ck_ring_init(&rs->of[i].ring, (unsigned)size);
    rs->of[i].buffer = &rs->memory[i * size];
  }
  return 0;
}

void event_rings_done(struct event_rings *rs)
{
  if (!rs)
    return;
  free(rs->of);
  free(rs->memory);
  memset(rs, 0, sizeof(*rs));
}

/* With ck_ring's barriers for a single record. */
size_t event_ring_take(struct event_ring *r, struct event_record *ret,
                       size_t max)
{
  struct ck_ring *ring = &r->ring;
  const unsigned from = ring->c_head;
  const unsigned to = ck_pr_load_uint(&ring->p_tail);
  size_t n = to - from, before_end;

  if (n > max)
    n = max;
  if (n == 0)
    return 0;
  ck_pr_fence_load();
  before_end = ring->size - (from & ring->mask);
  if (before_end > n)
    before_end = n;
  memcpy(ret, &r->buffer[from & ring->mask], before_end * sizeof(*ret));
  memcpy(ret + before_end, r->buffer, (n - before_end) * sizeof(*ret));
  ck_pr_fence_store();
  ck_pr_store_uint(&ring->c_head, from + (unsigned)n);
  return n;
}

uint64_t event_rings_dropped(const struct event_rings *rs)
{
  uint64_t sum = 0;

  for (unsigned i = 0; i < rs->n; i++)
    sum += atomic_load_explicit(&rs->of[i].dropped, memory_order_relaxed);
  return sum;
}
