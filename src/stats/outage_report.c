#include "stats/outage_report.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/minmax.h"

bool outage_report_serious(const struct outage_report *r)
{
  return r && (r->outages > 0 || r->longest_ns >= NS_PER_S);
}

struct outage_spread outage_spread_of(uint64_t *of, unsigned n)
{
  if (n == 0)
    return (struct outage_spread){ 0 };
  qsort(of, n, sizeof(*of), order_u64);
  return (struct outage_spread){ .median_ns = of[n / 2],
                                 .p95_ns = of[n - 1 - n / 20],
                                 .max_ns = of[n - 1] };
}

/* A stall that outlasts its process. */
#define FOREVER UINT64_MAX

static struct stall outage_from_base(const struct stall *s, uint64_t base_ns)
{
  struct stall to = *s;

  to.from_ns = s->from_ns - base_ns;
  to.to_ns = s->to_ns - base_ns;
  if (s->fault.at_ns > 0) /* 0: no fault */
    to.fault.at_ns = max_u64(s->fault.at_ns, base_ns + 1) - base_ns;
  return to;
}

/* Since the measured start. Ends with an endless stall: a process that has
 * ended serves nobody. */
static int outage_list_of(const struct outage_report *r,
                          struct outage_list *ret)
{
  const uint64_t end_ns = max_u64(r->end_ns, r->base_ns) - r->base_ns;
  struct stall *of = calloc(r->n_stalls + 1, sizeof(*of));
  unsigned n = 0;

  *ret = (struct outage_list){ .of = of, .end_ns = end_ns };
  if (!of)
    return -ENOMEM;
  while (n < r->n_stalls) {
    of[n] = outage_from_base(&r->stalls[n], r->base_ns);
    if (of[n].to_ns >= end_ns)
      break;
    n++;
  }
  if (n == r->n_stalls)
    of[n] = (struct stall){ .from_ns = end_ns, .ended_by = -1 };
  of[n].to_ns = FOREVER;
  ret->n = n + 1;
  return 0;
}

/* The arrivals of a part of a stall, evenly spread. */
static uint64_t outage_share(const struct stall *s, uint64_t end_ns,
                             const struct stall *part)
{
  const uint64_t last = min_u64(s->to_ns, end_ns);
  const uint64_t until = min_u64(part->to_ns, last);

  if (until <= part->from_ns)
    return 0;
  return (uint64_t)((double)s->arrivals * (double)(until - part->from_ns) /
                      (double)(last - s->from_ns) +
                    0.5);
}

/* False: no common stall, or a short one. */
static bool outage_common(const struct outage_list *all_a, unsigned i,
                          const struct outage_list *all_b, unsigned k,
                          uint64_t limit_ns, struct stall *ret)
{
  const struct stall *a = &all_a->of[i], *b = &all_b->of[k];
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
                         .fault = *f };
  ret->arrivals = outage_share(a, all_a->end_ns, ret) +
                  outage_share(b, all_b->end_ns, ret);
  return true;
}

static int outage_meet(const struct outage_list *a, const struct outage_list *b,
                       uint64_t limit_ns, struct outage_list *ret)
{
  unsigned i = 0, k = 0;

  *ret = (struct outage_list){ .of = calloc(a->n + b->n, sizeof(*ret->of)),
                               .end_ns = max_u64(a->end_ns, b->end_ns) };
  if (!ret->of)
    return -ENOMEM;
  while (i < a->n && k < b->n) {
    ret->n += outage_common(a, i, b, k, limit_ns, &ret->of[ret->n]);
    if (b->of[k].to_ns < a->of[i].to_ns)
      k++;
    else
      i++;
  }
  return 0;
}

static int outage_add_stalls(struct outage_sum *s,
                             const struct outage_report *r)
{
  struct outage_list more, all;
  struct stall *closed;
  int rc = outage_list_of(r, &more);

  if (rc == 0 && s->parts > 0) {
    rc = outage_meet(&s->list, &more, s->all.limit_ns, &all);
    free(more.of);
    more = all;
  }
  closed = rc == 0 ? calloc(more.n, sizeof(*closed)) : NULL;
  if (!closed) {
    free(more.of);
    return -ENOMEM;
  }
  free(s->list.of);
  free(s->stalls);
  s->list = more;
  s->stalls = closed;
  return 0;
}

static void outage_close_stalls(struct outage_sum *s)
{
  const uint64_t end_ns = s->list.end_ns;
  unsigned n = 0;

  for (unsigned i = 0; i < s->list.n; i++) {
    struct stall one = s->list.of[i];

    if (one.to_ns == FOREVER) {
      if (one.from_ns >= end_ns ||
          (s->parts > 1 && end_ns - one.from_ns <= s->all.limit_ns))
        continue;
      one.to_ns = end_ns;
    }
    s->stalls[n++] = one;
  }
  s->all.stalls = s->stalls;
  s->all.n_stalls = n;
}

static int outage_append(uint64_t **to, size_t n, const uint64_t *from,
                         size_t more)
{
  uint64_t *all = reallocarray(*to, n + more, sizeof(*all));

  if (!all)
    return -ENOMEM;
  memcpy(all + n, from, more * sizeof(*all));
  *to = all;
  return 0;
}

static int outage_add_clients(struct outage_sum *s,
                              const struct outage_report *r)
{
  if (r->n_longest == 0)
    return 0;
  if (outage_append(&s->longest, s->n, r->longest_of, r->n_longest) < 0 ||
      outage_append(&s->noticed, s->n, r->noticed_of, r->n_longest) < 0)
    return -ENOMEM;
  s->n += r->n_longest;
  return 0;
}

int outage_sum_add(struct outage_sum *s, const struct outage_report *r)
{
  struct outage_report *all = &s->all;

  all->limit_ns = max_u64(all->limit_ns, r->limit_ns);
  if (outage_add_stalls(s, r) < 0 || outage_add_clients(s, r) < 0)
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
  outage_close_stalls(s);
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
  free(s->list.of);
  free(s->stalls);
  free(s->longest);
  free(s->noticed);
  *s = (struct outage_sum){ 0 };
}
