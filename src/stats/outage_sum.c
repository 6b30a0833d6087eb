/*
 * outage_sum.c - see outage_sum.h.
 */
#include "stats/outage_sum.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"

/* The stall with times since the measured start. */
static struct stall from_base(const struct stall *s, uint64_t base_ns)
{
  struct stall to = *s;

  to.from_ns = s->from_ns - base_ns;
  to.to_ns = s->to_ns - base_ns;
  if (s->fault.at_ns > 0) /* 0 means that there was none */
    to.fault.at_ns = max_u64(s->fault.at_ns, base_ns + 1) - base_ns;
  return to;
}

/* The arrivals of a part of a stall: they are spread over it. */
static uint64_t share(const struct stall *s, uint64_t ns)
{
  const double all = (double)(s->to_ns - s->from_ns);

  return (uint64_t)((double)s->arrivals * (double)ns / all + 0.5);
}

/* The time that two stalls have in common; false: none, or a short one. */
static bool common(const struct stall *a, const struct stall *b,
                   uint64_t limit_ns, struct stall *ret)
{
  const struct stall *first = b->to_ns < a->to_ns ? b : a;
  const struct service_error *f = &a->fault;
  const uint64_t from = max_u64(a->from_ns, b->from_ns);
  const uint64_t to = first->to_ns;

  if (to <= from || to - from <= limit_ns)
    return false;
  if (f->at_ns == 0 || (b->fault.at_ns > 0 && b->fault.at_ns < f->at_ns))
    f = &b->fault;
  *ret = (struct stall){ .from_ns = from,
                         .to_ns = to,
                         .clients = a->clients + b->clients,
                         .ended_by = first->ended_by,
                         .arrivals = share(a, to - from) + share(b, to - from),
                         .fault = *f };
  return true;
}

/* What the stalls of the sum and those of `r` have in common. */
static int meet(struct outage_sum *s, const struct outage_report *r)
{
  const unsigned most = s->all.n_stalls + r->n_stalls;
  struct stall *of = calloc(most > 0 ? most : 1, sizeof(*of));
  unsigned n = 0, i = 0, k = 0;

  if (!of)
    return -ENOMEM;
  if (s->parts == 0) {
    for (; k < r->n_stalls; k++)
      of[n++] = from_base(&r->stalls[k], r->base_ns);
  }
  while (i < s->all.n_stalls && k < r->n_stalls) {
    const struct stall b = from_base(&r->stalls[k], r->base_ns);

    n += common(&s->stalls[i], &b, s->all.limit_ns, &of[n]);
    if (b.to_ns < s->stalls[i].to_ns)
      k++;
    else
      i++;
  }
  free(s->stalls);
  s->stalls = of;
  s->all.n_stalls = n;
  return 0;
}

static int append(uint64_t **to, size_t n, const uint64_t *from, size_t more)
{
  uint64_t *all = reallocarray(*to, n + more, sizeof(*all));

  if (!all)
    return -ENOMEM;
  memcpy(all + n, from, more * sizeof(*all));
  *to = all;
  return 0;
}

static int add_clients(struct outage_sum *s, const struct outage_report *r)
{
  if (r->n_longest == 0)
    return 0;
  if (append(&s->longest, s->n, r->longest_of, r->n_longest) < 0 ||
      append(&s->noticed, s->n, r->noticed_of, r->n_longest) < 0)
    return -ENOMEM;
  s->n += r->n_longest;
  return 0;
}

int outage_sum_add(struct outage_sum *s, const struct outage_report *r)
{
  struct outage_report *all = &s->all;

  all->limit_ns = max_u64(all->limit_ns, r->limit_ns);
  if (meet(s, r) < 0 || add_clients(s, r) < 0)
    return -ENOMEM;
  s->parts++;
  all->open_loop |= r->open_loop;
  all->at_least |= r->at_least || r->count > r->n_stalls;
  all->clients += r->clients;
  all->affected += r->affected;
  all->still_down += r->still_down;
  all->outages += r->outages;
  all->unserved_ns += r->unserved_ns;
  for (unsigned i = 0; i < FAULT_PHASES; i++)
    all->phases[i] += r->phases[i];
  return 0;
}

const struct outage_report *outage_sum_report(struct outage_sum *s)
{
  struct outage_report *all = &s->all;

  if (s->parts == 0)
    return NULL;
  all->stalls = s->stalls;
  all->count = all->n_stalls;
  all->stalled_ns = all->longest_ns = all->arrivals = 0;
  for (unsigned i = 0; i < all->n_stalls; i++) {
    const uint64_t ns = s->stalls[i].to_ns - s->stalls[i].from_ns;

    all->stalled_ns += ns;
    all->longest_ns = max_u64(all->longest_ns, ns);
    all->arrivals += s->stalls[i].arrivals;
  }
  all->unavailable = outage_spread_of(s->longest, (unsigned)s->n);
  all->noticed = outage_spread_of(s->noticed, (unsigned)s->n);
  all->n_longest = (unsigned)s->n;
  all->longest_of = s->longest;
  all->noticed_of = s->noticed;
  return all;
}

void outage_sum_clear(struct outage_sum *s)
{
  free(s->stalls);
  free(s->longest);
  free(s->noticed);
  *s = (struct outage_sum){ 0 };
}
