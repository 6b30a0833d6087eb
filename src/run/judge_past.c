/*
 * judge_past.c - which arrivals are overdue.
 */
#include "run/judge_past.h"

#include "run/arrivals.h"

uint64_t judge_past_note(struct judge_past *p, struct run *run, uint64_t now_ns)
{
  const uint64_t waiting = arrivals_waiting(run, now_ns);
  const uint64_t all = arrivals_count(run);

  p->of[p->n++ % JUDGE_PAST] = (struct judge_arrivals){ now_ns, all };
  return all > waiting ? all - waiting : 0;
}

uint64_t judge_past_overdue(const struct judge_past *p, uint64_t now_ns,
                            uint64_t taken, double limit_ns)
{
  for (uint64_t i = p->n; i > 0 && i + JUDGE_PAST > p->n; i--) {
    const struct judge_arrivals *a = &p->of[(i - 1) % JUDGE_PAST];

    if ((double)(now_ns - a->at_ns) > limit_ns)
      return a->n > taken ? a->n - taken : 0;
  }
  return 0;
}
