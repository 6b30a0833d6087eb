/*
 * compare_kernels.c - the kernels of the cpu test, one by one, and what they
 * amount to.
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

/* Of those from number `first` on. */
static struct boot_result mean_of(const struct comparisons *c, size_t first)
{
  const double n = (double)(c->n - first);
  struct boot_result mean = { .base = NAN, .other = NAN };
  double ratio = 0, low = 0, high = 0;

  for (size_t i = first; i < c->n; i++) {
    const struct boot_result *r = &c->of[i].r;

    ratio += log(r->ratio) / n;
    low += log(r->low) / n;
    high += log(r->high) / n;
    mean.smallest += r->smallest / n;
    mean.within += r->within / n;
    mean.df = i == first ? r->df : fmin(mean.df, r->df);
    mean.runs = r->runs;
  }
  mean.ratio = exp(ratio);
  mean.low = exp(low);
  mean.high = exp(high);
  mean.differs = mean.low > 1 || mean.high < 1;
  return mean;
}

static void add_mean(struct comparisons *c, size_t first)
{
  static const struct figure none = { COMPARE_THROUGHPUT, "", false, 0 };
  struct boot_result mean = { 0 };
  bool known = true;

  for (size_t i = first; i < c->n; i++)
    known = known && c->of[i].known && c->of[i].r.ratio > 0;
  if (known)
    mean = mean_of(c, first);
  compare_add(c, COMPARE_KERNELS_MEAN, &none);
  if (c->failed)
    return;
  c->of[c->n - 1].known = known;
  c->of[c->n - 1].r = mean;
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
  add_mean(c, first);
  return c->n - first;
}
