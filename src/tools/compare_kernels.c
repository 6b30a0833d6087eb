/*
 * compare_kernels.c - the kernels of the cpu test, one by one, and what they,
 * or figures of another test's own, amount to.
 *
 * Their figures cannot be added up: a byte of one is not a step of another.
 * Ratios can be combined: the geometric mean does not depend on which side is
 * the base.  Its interval is that of kernels which are wrong by the same share
 * all at once, as they are if the machine was disturbed.
 */
#include <jansson.h>
#include <math.h>
#include <stdint.h>

#include "tools/compare_internal.h"
#include "tools/result.h"

/* Add one figure to the mean of `n`.  Of a time, less is better. */
static void mean_add(struct boot_result *mean, const struct comparison *one,
                     bool times, double n)
{
  const struct boot_result *r = &one->r;
  const bool turned = !times && !compare_is_rate(one->kind);

  mean->ratio += (turned ? -log(r->ratio) : log(r->ratio)) / n;
  mean->low += (turned ? -log(r->high) : log(r->low)) / n;
  mean->high += (turned ? -log(r->low) : log(r->high)) / n;
  mean->smallest += r->smallest / n;
  mean->within += r->within / n;
  mean->df = mean->df > 0 ? fmin(mean->df, r->df) : r->df;
  mean->runs = r->runs;
}

/* Of those from number `first` on; `times`: all of them are times. */
static struct boot_result mean_of(const struct comparisons *c, size_t first,
                                  bool times)
{
  struct boot_result mean = { .base = NAN, .other = NAN };

  for (size_t i = first; i < c->n; i++)
    mean_add(&mean, &c->of[i], times, (double)(c->n - first));
  mean.ratio = exp(mean.ratio);
  mean.low = exp(mean.low);
  mean.high = exp(mean.high);
  mean.differs = mean.low > 1 || mean.high < 1;
  return mean;
}

void compare_add_mean(struct comparisons *c, size_t first)
{
  struct figure none = { COMPARE_THROUGHPUT, "", false, 0 };
  struct boot_result mean = { 0 };
  size_t unknown = c->n; /* compare_add() moves them */
  bool times = true;

  for (size_t i = first; i < c->n; i++) {
    times = times && c->of[i].kind == COMPARE_ACCESS;
    if (unknown == c->n && (!c->of[i].known || !(c->of[i].r.ratio > 0)))
      unknown = i;
  }
  if (times)
    none.kind = COMPARE_ACCESS;
  if (unknown == c->n)
    mean = mean_of(c, first, times);
  compare_add(c, COMPARE_FIGURES_MEAN, &none);
  if (c->failed)
    return;
  c->of[c->n - 1].known = unknown == c->n - 1;
  c->of[c->n - 1].r = mean;
  if (!c->of[c->n - 1].known) {
    c->of[c->n - 1].reason = c->of[unknown].reason;
    c->of[c->n - 1].state = c->of[unknown].state;
  }
}

size_t compare_add_kernels(struct comparisons *c)
{
  const json_t *base = result_at(c->base->runs[0]->json, "totals.cpu_kernels");
  const json_t *other = result_at(c->other->runs[0]->json,
                                  "totals.cpu_kernels");
  const size_t first = c->n;
  const char *name;
  json_t *value;

  json_object_foreach((json_t *)(uintptr_t)base, name, value)
  {
    if (json_object_get(other, name))
      compare_add(c, name,
                  &(struct figure){ .kind = COMPARE_THROUGHPUT, .key = name });
  }
  if (c->n == first || c->failed)
    return 0;
  compare_add_mean(c, first);
  return c->n - first;
}
