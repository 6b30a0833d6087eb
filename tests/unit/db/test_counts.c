/*
 * test_counts.c - what sessions have counted, while they come and go.
 */
#include "db/counts.h"
#include "tests/unit/tap.h"

static uint64_t sum(struct counts *c, enum db_count which)
{
  uint64_t of[DB_COUNTS];

  counts_sum(c, of);
  return of[which];
}

int main(void)
{
  struct counts c;
  struct counts_part a = { 0 }, b = { 0 }, d = { 0 };

  counts_init(&c);
  OK(sum(&c, COUNT_PAGES_READ) == 0, "no session, no pages");
  OK(!counts_are_wanted(&c), "nobody has asked");
  counts_add(&a, COUNT_LOCK_WAITS, 1);
  counts_join(&c, &a);
  counts_join(&c, &b);
  counts_join(&c, &d);
  OK(sum(&c, COUNT_LOCK_WAITS) == 1, "what was counted before it joined");
  counts_add(&a, COUNT_PAGES_READ, 5);
  counts_add(&b, COUNT_PAGES_READ, 70);
  counts_add(&d, COUNT_PAGES_READ, 900);
  counts_add(&d, COUNT_PAGES_WRITTEN, 3);
  OK(sum(&c, COUNT_PAGES_READ) == 975, "all that are there");
  counts_leave(&c, &b);
  OK(sum(&c, COUNT_PAGES_READ) == 975, "one in the middle has left");
  counts_leave(&c, &d);
  counts_leave(&c, &a);
  OK(sum(&c, COUNT_PAGES_READ) == 975 && sum(&c, COUNT_PAGES_WRITTEN) == 3 &&
       sum(&c, COUNT_LOCK_WAITS) == 1 && sum(&c, COUNT_SPILLS) == 0,
     "the last and the first as well");
  counts_join(&c, &b);
  counts_add(&b, COUNT_PAGES_READ, 25);
  OK(sum(&c, COUNT_PAGES_READ) == 1000, "one that comes back begins anew");
  counts_leave(&c, &b);
  counts_done(&c);
  return TAP_EXIT();
}
