#include "db/load/pace.h"

#include <string.h>

#include "base/log.h"

static uint64_t pace_get(const _Atomic uint64_t *n)
{
  return atomic_load_explicit(n, memory_order_relaxed);
}

void pace_init(struct pace *p, const char *verb, enum progress_unit unit,
               uint64_t total)
{
  memset(p, 0, sizeof(*p));
  p->verb = verb;
  p->unit = unit;
  p->total = total;
  progress_init(&p->progress, &progress_stderr, NULL, pace_look, p);
}

void pace_start(struct pace *p)
{
  if (log_get_level() >= LOG_NOTICE)
    progress_start(&p->progress);
}

void pace_stop(struct pace *p)
{
  progress_stop(&p->progress);
}

void pace_print_sum(struct pace *p)
{
  if (log_get_level() >= LOG_NOTICE && pace_get(&p->done) > 0)
    progress_print_sum(&p->progress);
}

void pace_look(void *pace, struct progress_point *ret, struct strbuf *detail)
{
  const struct pace *p = pace;
  const uint64_t there = pace_get(&p->there);
  const uint64_t done = there + pace_get(&p->done);

  *ret = (struct progress_point){
    .verb = p->verb,
    .unit = p->unit,
    .total = p->total,
    .done = done < p->total ? done : p->total,
    .there = there < p->total ? there : p->total,
    .bytes = pace_get(&p->bytes),
  };
  if (p->more)
    p->more(p->ctx, ret, detail);
}

void pace_add(struct pace *p, uint64_t n, uint64_t bytes)
{
  (void)atomic_fetch_add_explicit(&p->done, n, memory_order_relaxed);
  (void)atomic_fetch_add_explicit(&p->bytes, bytes, memory_order_relaxed);
}

void pace_take_back(struct pace *p, uint64_t n, uint64_t bytes)
{
  (void)atomic_fetch_sub_explicit(&p->done, n, memory_order_relaxed);
  (void)atomic_fetch_sub_explicit(&p->bytes, bytes, memory_order_relaxed);
}

void pace_found(struct pace *p, uint64_t n)
{
  (void)atomic_fetch_add_explicit(&p->there, n, memory_order_relaxed);
}
