/*
 * order.c - a list in the order of arrival, of which a turn takes a part.
 */
#include "loop/order.h"

#include <stdbool.h>
#include <stddef.h>

#include "loop/inside.h"

enum {
  PASSED_MAX = 32, /* so many times by each other task */
};

void order_init(struct order *o, unsigned turn_max)
{
  *o = (struct order){ .turn_max = turn_max };
}

void order_add(struct order *o, struct task *t)
{
  t->ready_at = o->gone_on;
  t->next = NULL;
  t->before = o->last;
  if (o->last)
    o->last->next = t;
  else
    o->first = t;
  o->last = t;
}

static void remove_task(struct order *o, struct task *t)
{
  if (o->held == t)
    o->held = t->before;
  if (t->before)
    t->before->next = t->next;
  else
    o->first = t->next;
  if (t->next)
    t->next->before = t->before;
  else
    o->last = t->before;
}

static bool is_overdue(const struct order *o, const struct task *t,
                       unsigned n_tasks)
{
  return o->gone_on - t->ready_at > (uint64_t)PASSED_MAX * n_tasks;
}

/* New ones go on in their order, after them those that wait, backwards. */
static struct task *latest(const struct order *o)
{
  struct task *new = o->held ? o->held->next : o->first;

  return new ? new : o->last;
}

void order_take(struct order *o, unsigned n_tasks, struct task_queue *to)
{
  const bool limited = o->turn_max > 0;

  for (unsigned n = 0; o->first && !(limited && n == o->turn_max); n++) {
    struct task *t = o->first;

    if (limited && !is_overdue(o, t, n_tasks))
      t = latest(o);
    remove_task(o, t);
    task_queue_add(to, t);
    o->gone_on++;
  }
  o->held = o->last;
}
