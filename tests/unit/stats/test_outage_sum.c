/*
 * test_outage_sum.c - the outages of several processes, some of which end
 * before the others.
 */
#include "base/clock.h"
#include "stats/outage_report.h"
#include "tests/unit/tap.h"

static bool is_stall(const struct stall *s, uint64_t from_s, uint64_t to_s,
                     unsigned clients, int64_t ended_by)
{
  return s->from_ns == from_s * NS_PER_S && s->to_ns == to_s * NS_PER_S &&
         s->clients == clients && s->ended_by == ended_by;
}

static const struct outage_report *
sum(struct outage_sum *s, const struct outage_report *const *of, size_t n)
{
  outage_sum_clear(s);
  for (size_t i = 0; i < n; i++) {
    if (outage_sum_add(s, of[i]) < 0)
      return NULL;
  }
  return outage_sum_report(s);
}

/* A process whose share of the events is done at 50 s has not one that waits
 * from 55 to 85 s.  The last one ends at 90 s. */
static void test_done(void)
{
  static const struct stall away = { .from_ns = 55 * NS_PER_S,
                                     .to_ns = 85 * NS_PER_S,
                                     .clients = 2,
                                     .ended_by = 1,
                                     .arrivals = 300 };
  static const struct stall both_away[] = {
    { .from_ns = 45 * NS_PER_S,
      .to_ns = 50 * NS_PER_S,
      .clients = 1,
      .ended_by = -1,
      .arrivals = 50 },
  };
  const struct outage_report done = { .end_ns = 50 * NS_PER_S,
                                      .limit_ns = 100 * NS_PER_MS,
                                      .clients = 1 };
  struct outage_report gave_up = done;
  const struct outage_report waits = { .end_ns = 90 * NS_PER_S,
                                       .limit_ns = 100 * NS_PER_MS,
                                       .n_stalls = 1,
                                       .stalls = &away,
                                       .count = 1,
                                       .clients = 2 };
  struct outage_report longer = waits;
  struct stall before = away;
  const struct outage_report *const two[] = { &done, &waits };
  const struct outage_report *const back[] = { &waits, &done, &done };
  const struct outage_report *const over[] = { &gave_up, &longer };
  const struct outage_report *const calm[] = { &done, &done };
  struct outage_sum s = { 0 };
  const struct outage_report *r;

  r = sum(&s, two, 2);
  OK(r && r->n_stalls == 1 && is_stall(&r->stalls[0], 55, 85, 2, 1) &&
       r->arrivals == 300,
     "a process that has ended serves nobody");
  r = sum(&s, back, 3);
  OK(r && r->n_stalls == 1 && is_stall(&r->stalls[0], 55, 85, 2, 1),
     "in any order");
  before.from_ns = 44 * NS_PER_S;
  longer.stalls = &before;
  gave_up.n_stalls = 1;
  gave_up.stalls = both_away;
  r = sum(&s, over, 2);
  OK(r && r->n_stalls == 1 && is_stall(&r->stalls[0], 45, 85, 3, 1) &&
       r->arrivals == 50 + 293,
     "a stall that lasts until its end goes on");
  r = sum(&s, calm, 2);
  OK(r && r->n_stalls == 0, "after the end of the run there is none");
  outage_sum_clear(&s);
}

int main(void)
{
  test_done();
  return TAP_EXIT();
}
