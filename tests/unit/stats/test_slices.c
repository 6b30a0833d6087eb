/*
 * test_slices.c - a run of any length has 32 to 64 slices, which lose nothing.
 */
#include <stdbool.h>

#include "stats/slices.h"
#include "tests/unit/tap.h"

/* Looks at a run every 10 ms, with an event of 3 ns and 2 queries each time. */
static void slices_run(struct slices *s, uint64_t ms)
{
  struct slice_moment now = { 5, 7, 0, 0 };

  slices_start(s, &now);
  for (uint64_t t = 10; t <= ms; t += 10) {
    now.at_ns += 10 * NS_PER_MS;
    now.events++;
    now.sum_ns += 3;
    now.queries += 2;
    slices_note(s, &now);
  }
}

/* Each slice is as long as the others, and has all of its events. */
static bool slices_are_even(const struct slices *s, uint64_t length_ns)
{
  for (unsigned i = 1; i < s->n; i++) {
    const struct slice_moment *a = &s->moment[i - 1], *b = a + 1;

    if (b->at_ns - a->at_ns != length_ns ||
        b->events - a->events != length_ns / (10 * NS_PER_MS) ||
        b->sum_ns - a->sum_ns != 3 * (b->events - a->events) ||
        b->queries - a->queries != 2 * (b->events - a->events))
      return false;
  }
  return s->moment[0].at_ns == 5 && s->moment[0].events == 7;
}

int main(void)
{
  struct slices s = { 0 };
  struct slice_moment late = { 5 + 350 * NS_PER_MS, 10, 0, 0 };

  slices_note(&s, &late);
  OK(s.n == 0 && slices_due(&s) == UINT64_MAX, "nothing before the start");
  slices_run(&s, 99);
  OK(s.n == 1, "no slice");
  slices_run(&s, 3000);
  OK(s.n == 31 && slices_are_even(&s, 100 * NS_PER_MS), "3 s: 30 slices");
  slices_run(&s, 6400);
  OK(s.n == 65 && slices_are_even(&s, 100 * NS_PER_MS), "6.4 s: 64 slices");
  slices_run(&s, 6600);
  OK(s.n == 34 && slices_are_even(&s, 200 * NS_PER_MS), "6.6 s: 33 slices");
  slices_run(&s, 3600000);
  OK(s.n >= 33 && s.n <= 65 && slices_are_even(&s, s.length_ns),
     "an hour: as many");
  slices_run(&s, 0);
  slices_note(&s, &late);
  OK(s.n == 2 && s.moment[1].at_ns == late.at_ns &&
       slices_due(&s) == late.at_ns + SLICES_NS,
     "a look that is late makes its slice longer");
  return TAP_EXIT();
}
