/*
 * test_brownout.c - seconds with less than half of the usual throughput.
 */
#include "base/clock.h"
#include "run/brownout.h"
#include "tests/unit/tap.h"

/* So many events in the next second, and so many arrivals that wait. */
static void second(struct brownouts *b, uint64_t events, bool rated,
                   uint64_t waiting)
{
  brownouts_note(b, b->at_ns + NS_PER_S, b->events + events, b->stalled_ns,
                 rated, waiting);
}

static void seconds(struct brownouts *b, unsigned n, uint64_t events)
{
  for (unsigned i = 0; i < n; i++)
    second(b, events, false, 0);
}

int main(void)
{
  struct brownouts b = { 0 }, few = { 0 }, rated = { 0 }, young = { 0 },
                   outage = { 0 };
  struct outage_report r = { 0 };

  seconds(&b, 13, 1000);
  second(&b, 501, false, 0);
  OK(b.count == 0, "half of it is none");
  second(&b, 499, false, 0);
  second(&b, 300, false, 0);
  seconds(&b, 2, 1000);
  second(&b, 0, false, 0);
  brownouts_report(&b, &r);
  OK(r.brownout_count == 2 && r.n_brownouts == 2, "two brown-outs");
  OK(r.brownouts[0].to_ns - r.brownouts[0].from_ns == 2 * NS_PER_S,
     "two seconds in a row are one");
  OK(r.brownouts[0].lowest_per_s == 300 && r.brownouts[0].usual_per_s == 1000,
     "its worst second, and the median before it");
  OK(r.brownout_ns == 3 * NS_PER_S, "their sum");

  seconds(&young, 9, 1000);
  second(&young, 1, false, 0);
  OK(young.count == 0, "nothing is usual in the first seconds");

  seconds(&few, 20, 19);
  second(&few, 0, false, 0);
  OK(few.count == 0, "with few events, chance alone would do it");

  seconds(&rated, 20, 1000);
  second(&rated, 100, true, 10);
  OK(rated.count == 0, "a quiet second of a profile is none");
  second(&rated, 100, true, 900);
  OK(rated.count == 1, "one in which events wait is");

  /* Twelve seconds of 4,000 and an outage of thirty, with two slow ones at its
   * edges. */
  seconds(&outage, 12, 4000);
  for (unsigned i = 0; i < 30; i++)
    brownouts_note(&outage, outage.at_ns + NS_PER_S,
                   outage.events + (i == 0 || i == 29 ? 486 : 0),
                   outage.stalled_ns + NS_PER_S / 2, false, 0);
  seconds(&outage, 3, 4000);
  second(&outage, 1000, false, 0);
  brownouts_report(&outage, &r);
  OK(r.n_brownouts == 2 && r.brownouts[1].usual_per_s == 4000,
     "seconds of an outage are not usual");
  OK(r.brownouts[1].lowest_per_s == 1000, "and the next brown-out is found");
  return TAP_EXIT();
}
