/*
 * hist.c - a histogram of nanoseconds: log-linear integer buckets.
 */
#include "stats/hist.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cgroup.h"

static_assert(offsetof(struct hist_sum, count) == HIST_HEAD * sizeof(uint64_t),
              "groups are pages");
static_assert((HIST_BUCKETS - 1 + HIST_HEAD) / HIST_PAGE - HIST_FIRST_PAGES +
                  1 <
                64,
              "groups fit into one word");

enum {
  PER_CPU = 4,
  LEAST = 8,
  MOST = 64,
};

unsigned hist_count(unsigned workers)
{
  unsigned n = PER_CPU * cgroup_cpus_allowed();

  if (n < LEAST)
    n = LEAST;
  if (n > MOST)
    n = MOST;
  return workers < n ? workers : n;
}

/* From the kernel, so that untouched pages stay untouched. */
static void *map_pages(size_t bytes)
{
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  return p == MAP_FAILED ? NULL : p;
}

struct hist *hist_new(void)
{
  return map_pages(sizeof(struct hist));
}

void hist_free(struct hist *h)
{
  if (h)
    (void)munmap(h, sizeof(*h));
}

struct hist_sum *hist_sum_new(void)
{
  return map_pages(sizeof(struct hist_sum));
}

void hist_sum_free(struct hist_sum *s)
{
  if (s)
    (void)munmap(s, sizeof(*s));
}

void hist_after_rare(struct hist *h, unsigned index, uint32_t count)
{
  if (count == 0) {
    (void)atomic_fetch_or_explicit(&h->groups, hist_group(index),
                                   memory_order_relaxed);
    return;
  }
  (void)atomic_fetch_add_explicit(&h->more[index], 1, memory_order_relaxed);
  (void)atomic_fetch_sub_explicit(&h->count[index], 1, memory_order_relaxed);
}

static uint64_t recorded(const struct hist *h, unsigned index)
{
  const uint32_t n = atomic_load_explicit(&h->count[index],
                                          memory_order_relaxed);

  if (LIKELY(n < HIST_FULL))
    return n;
  return HIST_FULL +
         atomic_load_explicit(&h->more[index], memory_order_relaxed);
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

/* Buckets from `first` to before `end`. */
struct range {
  unsigned first, end;
};

/* Those of the lowest of `groups`, which must not be empty. */
static inline struct range lowest(uint64_t groups)
{
  const unsigned n = (unsigned)__builtin_ctzll(groups);
  struct range r = { 0, (n + HIST_FIRST_PAGES) * HIST_PAGE - HIST_HEAD };

  if (n > 0)
    r.first = r.end - HIST_PAGE;
  if (r.end > HIST_BUCKETS)
    r.end = HIST_BUCKETS;
  return r;
}

static size_t bytes_of(struct range r)
{
  return (r.end - r.first) * sizeof(uint64_t);
}

void hist_sum_add(struct hist_sum *sum, const struct hist *h)
{
  uint64_t groups = atomic_load_explicit(&h->groups, memory_order_relaxed);

  for (; groups; groups &= groups - 1) {
    const struct range r = lowest(groups);

    for (unsigned i = r.first; i < r.end; i++) {
      const uint64_t n = recorded(h, i);

      if (n > 0)
        hist_sum_put(sum, i, n);
    }
  }
}

static void clear_groups(struct hist_sum *sum, uint64_t groups)
{
  sum->groups &= ~groups;
  for (; groups; groups &= groups - 1) {
    const struct range r = lowest(groups);

    memset(&sum->count[r.first], 0, bytes_of(r));
  }
}

void hist_sum_clear(struct hist_sum *sum)
{
  clear_groups(sum, sum->groups);
  sum->total = 0;
}

void hist_sum_copy(struct hist_sum *to, const struct hist_sum *from)
{
  clear_groups(to, to->groups & ~from->groups);
  for (uint64_t groups = from->groups; groups; groups &= groups - 1) {
    const struct range r = lowest(groups);

    memcpy(&to->count[r.first], &from->count[r.first], bytes_of(r));
  }
  to->groups = from->groups;
  to->total = from->total;
}

void hist_sum_merge(struct hist_sum *to, const struct hist_sum *from)
{
  for (uint64_t groups = from->groups; groups; groups &= groups - 1) {
    const struct range r = lowest(groups);

    for (unsigned i = r.first; i < r.end; i++)
      to->count[i] += from->count[i];
  }
  to->groups |= from->groups;
  to->total += from->total;
}

/* The groups in which `a` and `b` are not the same. */
static uint64_t different(const struct hist_sum *a, const struct hist_sum *b)
{
  uint64_t ret = 0;

  for (uint64_t groups = a->groups | b->groups; groups; groups &= groups - 1) {
    const struct range r = lowest(groups);

    if (memcmp(&a->count[r.first], &b->count[r.first], bytes_of(r)) != 0)
      ret |= groups & -groups;
  }
  return ret;
}

void hist_sum_sub(struct hist_sum *out, const struct hist_sum *now,
                  const struct hist_sum *before)
{
  const uint64_t changed = different(now, before);

  clear_groups(out, out->groups & ~changed);
  for (uint64_t groups = changed; groups; groups &= groups - 1) {
    const struct range r = lowest(groups);

    for (unsigned i = r.first; i < r.end; i++)
      out->count[i] = now->count[i] - before->count[i];
  }
  out->groups = changed;
  out->total = now->total - before->total;
}

uint64_t hist_percentile(const struct hist_sum *sum, double pct)
{
  double rank = floor((double)sum->total * pct / 100.0 + 0.5);
  uint64_t need = rank < 1.0 ? 1 : (uint64_t)rank;
  uint64_t seen = 0;
  unsigned last = 0;

  if (need > sum->total)
    need = sum->total;
  for (uint64_t groups = sum->groups; groups; groups &= groups - 1) {
    const struct range r = lowest(groups);

    for (unsigned i = r.first; i < r.end; i++) {
      if (sum->count[i] == 0)
        continue;
      last = i;
      seen += sum->count[i];
      if (seen >= need)
        return hist_middle(last);
    }
  }
  return hist_middle(last);
}

/* The sum over all values of their distance from `from`, or of its square. */
static double moment(const struct hist_sum *sum, double from, bool squared)
{
  double total = 0.0;

  for (uint64_t groups = sum->groups; groups; groups &= groups - 1) {
    const struct range r = lowest(groups);

    for (unsigned i = r.first; i < r.end; i++) {
      const double off = (double)hist_middle(i) - from;

      if (sum->count[i] > 0)
        total += (double)sum->count[i] * (squared ? off * off : off);
    }
  }
  return total;
}

double hist_mean(const struct hist_sum *sum)
{
  return sum->total == 0 ? 0.0 : moment(sum, 0.0, false) / (double)sum->total;
}

double hist_stddev(const struct hist_sum *sum)
{
  if (sum->total == 0)
    return 0.0;
  return sqrt(moment(sum, hist_mean(sum), true) / (double)sum->total);
}
