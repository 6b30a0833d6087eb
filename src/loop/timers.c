#include "loop/timers.h"

#include <stdlib.h>

bool timers_reserve(struct timers *ts, size_t n)
{
  const size_t room = ts->room ? 2 * ts->room : 64;
  struct timer **heap;

  if (n < ts->room)
    return true;
  n = n < room ? room : n + 1;
  heap = reallocarray(ts->heap, n, sizeof(*heap));
  if (!heap)
    return false;
  ts->heap = heap;
  ts->room = n;
  return true;
}

void timers_done(struct timers *ts)
{
  free(ts->heap);
  *ts = (struct timers){ 0 };
}

static void timers_put(struct timers *ts, size_t place, struct timer *t)
{
  ts->heap[place] = t;
  t->place = place;
}

static void timers_rise(struct timers *ts, size_t place, struct timer *t)
{
  for (; place > 1 && ts->heap[place / 2]->at_ns > t->at_ns; place /= 2)
    timers_put(ts, place, ts->heap[place / 2]);
  timers_put(ts, place, t);
}

static void timers_sink(struct timers *ts, size_t place, struct timer *t)
{
  size_t child;

  while ((child = 2 * place) <= ts->n) {
    if (child < ts->n && ts->heap[child + 1]->at_ns < ts->heap[child]->at_ns)
      child++;
    if (ts->heap[child]->at_ns >= t->at_ns)
      break;
    timers_put(ts, place, ts->heap[child]);
    place = child;
  }
  timers_put(ts, place, t);
}

void timers_add(struct timers *ts, struct timer *t)
{
  ts->n++;
  timers_rise(ts, ts->n, t);
}

void timers_remove(struct timers *ts, struct timer *t)
{
  const size_t place = t->place;
  struct timer *last;

  if (place == 0)
    return;
  t->place = 0;
  last = ts->heap[ts->n--];
  if (last == t)
    return;
  if (place > 1 && ts->heap[place / 2]->at_ns > last->at_ns)
    timers_rise(ts, place, last);
  else
    timers_sink(ts, place, last);
}
