/*
 * test_order.c - which tasks go on after their arrivals, and when.
 */
#include "loop/order.h"

#include <string.h>

#include "loop/inside.h"
#include "tests/unit/tap.h"

enum {
  TASKS = 26,
};

/* Tasks have letters as their names. */
static struct task tasks[TASKS];

static void arrive(struct order *o, const char *names)
{
  for (; *names; names++)
    order_add(o, &tasks[*names - 'a']);
}

/* The names of the tasks that go on in a turn. */
static const char *turn(struct order *o, unsigned n_tasks)
{
  static char names[TASKS + 1];
  struct task_queue q;
  size_t n = 0;

  task_queue_clear(&q);
  order_take(o, n_tasks, &q);
  for (const struct task *t = q.first; t; t = t->next)
    names[n++] = (char)('a' + (t - tasks));
  names[n] = '\0';
  return names;
}

static void test_arrival(void)
{
  struct order o;

  order_init(&o, 0);
  OK_STR(turn(&o, 0), "", "nothing has arrived: nobody goes on");
  arrive(&o, "cab");
  OK_STR(turn(&o, 3), "cab", "without a limit all go on, in their order");
  arrive(&o, "d");
  OK_STR(turn(&o, 3), "d", "and in the next turn those that came then");
}

static void test_latest(void)
{
  struct order o;

  order_init(&o, 2);
  arrive(&o, "abcd");
  OK_STR(turn(&o, 6), "ab", "no more than the limit go on in a turn");
  arrive(&o, "e");
  OK_STR(turn(&o, 6), "ed", "new ones first, then the latest of the others");
  arrive(&o, "fgh");
  OK_STR(turn(&o, 6), "fg", "new ones keep their order");
  OK_STR(turn(&o, 6), "hc", "those that wait go on backwards");
  OK_STR(turn(&o, 6), "", "and then nobody waits");
  arrive(&o, "ab");
  OK_STR(turn(&o, 6), "ab", "so all are new again");
}

/* `a` waits, and two others take every turn. */
static void test_overdue(void)
{
  struct order o;
  unsigned passed = 0;

  order_init(&o, 2);
  arrive(&o, "bca");
  while (strcmp(turn(&o, 3), "bc") == 0) {
    passed += 2;
    MUST(passed < 1000);
    arrive(&o, "bc");
  }
  OK(passed == 32 * 3, "a task is passed 32 times by each one, and no more");
  OK_STR(turn(&o, 3), "c", "then it goes on, and only one of the others");
}

/* Whoever goes on gets its next answer at once, as from the best server. */
static void test_shares(void)
{
  unsigned turns[TASKS] = { 0 }, all = 0, least = ~0u;
  struct order o;

  order_init(&o, 4);
  arrive(&o, "abcdefghijklmnopqrstuvwxyz");
  for (int i = 0; i < 10000; i++) {
    char names[TASKS + 1];

    memcpy(names, turn(&o, TASKS), sizeof(names));
    for (const char *p = names; *p; p++, all++)
      turns[*p - 'a']++;
    arrive(&o, names);
  }
  OK(all == 40000, "each turn takes as many as it may");
  for (unsigned i = 0; i < TASKS; i++)
    least = turns[i] < least ? turns[i] : least;
  OK(least >= all / TASKS / 34, "nobody starves");
}

int main(void)
{
  test_arrival();
  test_latest();
  test_overdue();
  test_shares();
  return TAP_EXIT();
}
