/*
 * order.h - which tasks go on after their arrivals, and which ones wait for a
 * later turn (for src/loop only).
 *
 * Without a limit all of them go on in each turn, in the order of arrival.
 *
 * With a limit, the latest arrivals go on first.  When more answers come than
 * a loop can keep up with, this decides what the server does: one that gets
 * the next request of a session soon after the last one finds the data of that
 * session in its caches, and in the order of arrival it is always that of the
 * session that nobody has asked for longest.  A task that has been passed too
 * often goes on before all others.
 */
#ifndef BENCH_LOOP_ORDER_H
#define BENCH_LOOP_ORDER_H

#include <stdint.h>

struct task;
struct task_queue;

struct order {
  unsigned turn_max; /* tasks of a turn; 0: no limit */

  struct task *first, *last; /* in the order of arrival */
  struct task *held;         /* [opt] the last one that an earlier turn has
                              * left: those after it are new */
  uint64_t gone_on;          /* tasks that have gone on */
};

void order_init(struct order *o, unsigned turn_max);

/* Something has arrived for `t`, which is in no queue. */
void order_add(struct order *o, struct task *t);

/* Move those that go on in this turn to the end of `to`.  `n_tasks`: how many
 * tasks the loop has that go on after arrivals. */
void order_take(struct order *o, unsigned n_tasks, struct task_queue *to);

#endif
