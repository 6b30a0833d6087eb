/*
 * test_outages.c - which stalls of a run are kept.
 */
#include "base/clock.h"
#include "base/err.h"
#include "stats/service.h"
#include "tests/unit/tap.h"

static void keep(struct outages *o, uint64_t from_ms, uint64_t length_ms)
{
  outages_keep(o, &(struct stall){ .from_ns = from_ms * NS_PER_MS,
                                   .to_ns = (from_ms + length_ms) * NS_PER_MS,
                                   .clients = 1 });
}

int main(void)
{
  struct outages o;
  struct err err;
  bool ascending = true;
  uint64_t sum_ns = 0, long_ones = 0;

  if (outages_init(&o, NS_PER_MS, &err) < 0)
    return 1;
  /* Short ones, the first of which is the shortest. */
  for (uint64_t i = 0; i < STALLS_MAX; i++)
    keep(&o, 10 * i, i == 0 ? 2 : 3);
  OK(o.n == STALLS_MAX, "there is room for so many");
  keep(&o, 20000, 30000);
  keep(&o, 60000, 1);
  keep(&o, 70000, 5);
  OK(o.n == STALLS_MAX && atomic_load(&o.count) == STALLS_MAX + 3,
     "further ones are counted");
  OK(atomic_load(&o.sum_ns) ==
       (2 + 3 * (STALLS_MAX - 1) + 30000 + 1 + 5) * NS_PER_MS,
     "and their lengths are added up");
  outages_sort(&o);
  for (unsigned i = 0; i < o.n; i++) {
    const uint64_t ns = o.of[i].to_ns - o.of[i].from_ns;

    ascending &= i == 0 || o.of[i].from_ns > o.of[i - 1].from_ns;
    long_ones += ns > 3 * NS_PER_MS;
    sum_ns += ns;
  }
  OK(ascending, "they are in the order of time");
  OK(long_ones == 2 && o.of[o.n - 2].from_ns == 20000 * NS_PER_MS &&
       o.of[o.n - 1].from_ns == 70000 * NS_PER_MS,
     "a long one that comes late is kept");
  OK(sum_ns == (3 * (STALLS_MAX - 2) + 30000 + 5) * NS_PER_MS,
     "in place of the shortest");
  outages_done(&o);
  return TAP_EXIT();
}
