/*
 * test_timers.c - the heap of moments, beside a plain list.
 */
#include "loop/timers.h"

#include <stdint.h>

#include "tests/unit/tap.h"

enum {
  N = 500,
  STEPS = 20000
};

static uint64_t seed = 1;

static uint64_t number(uint64_t below)
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (seed >> 33) % below;
}

int main(void)
{
  static struct timer t[N];
  struct timers heap = { 0 };
  bool in_order = true, same = true;
  uint64_t last = 0;
  size_t there = 0;

  MUST(timers_reserve(&heap, N));
  OK(!timers_next(&heap), "at first there is none");
  for (int step = 0; step < STEPS; step++) {
    struct timer *one = &t[number(N)];
    uint64_t least = UINT64_MAX;

    if (one->place == 0) {
      one->at_ns = number(1000);
      timers_add(&heap, one);
      there++;
    } else {
      timers_remove(&heap, one);
      there--;
    }
    for (size_t i = 0; i < N; i++)
      if (t[i].place != 0 && t[i].at_ns < least)
        least = t[i].at_ns;
    same &= heap.n == there &&
            (there == 0 || timers_next(&heap)->at_ns == least);
  }
  OK(same, "the next one is the first of all, whatever is added and removed");
  timers_remove(&heap, &(struct timer){ 0 });
  OK(heap.n == there, "one that is not there can be removed");
  while (timers_next(&heap)) {
    struct timer *next = timers_next(&heap);

    in_order &= next->at_ns >= last;
    last = next->at_ns;
    timers_remove(&heap, next);
    there--;
  }
  OK(in_order && there == 0, "they come in order");
  timers_done(&heap);
  return TAP_EXIT();
}
