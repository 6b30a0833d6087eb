#include "stats/value_hist.h"

#include <math.h>
#include <string.h>

/* Bucket (e - LOW_EXP) * 512 + sub begins at 2^e * (1 + sub / 512): upper bits
 * of an IEEE double. */
static size_t value_hist_bucket_of(double value)
{
  uint64_t bits;
  int64_t index;

  if (!(value > 0))
    return 0;
  memcpy(&bits, &value, sizeof(bits));
  index = (int64_t)(bits >> (52 - VALUE_SUB_BITS)) -
          ((int64_t)(1023 + VALUE_LOW_EXP) << VALUE_SUB_BITS);
  if (index < 0)
    return 0;
  return index < VALUE_BUCKETS ? (size_t)index : VALUE_BUCKETS - 1;
}

/* part 0 is the lower end, 1 the upper one. */
static double value_hist_within(size_t index, double part)
{
  const double sub = (double)(index & ((1u << VALUE_SUB_BITS) - 1)) + part;

  return ldexp(1.0 + sub / (1 << VALUE_SUB_BITS),
               (int)(index >> VALUE_SUB_BITS) + VALUE_LOW_EXP);
}

double value_middle(size_t index)
{
  return index > 0 ? value_hist_within(index, 0.5) : 0;
}

static void value_hist_store(_Atomic double *to, double value)
{
  atomic_store_explicit(to, value, memory_order_relaxed);
}

static double value_hist_load(const _Atomic double *from)
{
  return atomic_load_explicit(from, memory_order_relaxed);
}

static uint32_t load_index(const _Atomic uint32_t *from)
{
  return atomic_load_explicit(from, memory_order_relaxed);
}

void value_hist_record(struct value_hist *h, double value)
{
  const uint64_t n = atomic_load_explicit(&h->n, memory_order_relaxed);
  const uint32_t index = (uint32_t)value_hist_bucket_of(value);
  _Atomic uint64_t *bucket = &h->count[index];

  if (isnan(value))
    return;
  if (n == 0 || index < load_index(&h->first))
    atomic_store_explicit(&h->first, index, memory_order_relaxed);
  if (n == 0 || index > load_index(&h->last))
    atomic_store_explicit(&h->last, index, memory_order_relaxed);
  atomic_store_explicit(bucket,
                        atomic_load_explicit(bucket, memory_order_relaxed) + 1,
                        memory_order_relaxed);
  if (n == 0 || value < value_hist_load(&h->min))
    value_hist_store(&h->min, value);
  if (n == 0 || value > value_hist_load(&h->max))
    value_hist_store(&h->max, value);
  value_hist_store(&h->sum, value_hist_load(&h->sum) + value);
  atomic_store_explicit(&h->n, n + 1, memory_order_release);
}

void value_sum_join(struct value_sum *to, uint64_t n, double sum, double min,
                    double max)
{
  if (n == 0)
    return;
  if (to->n == 0 || min < to->min)
    to->min = min;
  if (to->n == 0 || max > to->max)
    to->max = max;
  to->n += n;
  to->sum += sum;
}

void value_sum_add(struct value_sum *sum, const struct value_hist *h)
{
  const uint64_t n = atomic_load_explicit(&h->n, memory_order_acquire);

  if (n == 0)
    return;
  value_sum_join(sum, n, value_hist_load(&h->sum), value_hist_load(&h->min),
                 value_hist_load(&h->max));
  for (size_t i = load_index(&h->first), last = load_index(&h->last); i <= last;
       i++)
    sum->count[i] += atomic_load_explicit(&h->count[i], memory_order_relaxed);
}

/* The ends of the buckets in use, within those of `now`. */
static void value_hist_set_limits(struct value_sum *out,
                                  const struct value_sum *now)
{
  size_t first = 0, last = VALUE_BUCKETS - 1;

  out->min = now->min;
  out->max = now->max;
  while (first < last && out->count[first] == 0)
    first++;
  while (last > first && out->count[last] == 0)
    last--;
  if (out->count[last] == 0)
    return;
  /* Values outside the range have no ends. */
  if (first > 0)
    out->min = fmax(now->min, value_hist_within(first, 0));
  if (last < VALUE_BUCKETS - 1)
    out->max = fmin(now->max,
                    last > 0 ? value_hist_within(last, 1) : fmax(out->min, 0));
}

void value_sum_sub(struct value_sum *out, const struct value_sum *now,
                   const struct value_sum *before)
{
  out->n = now->n - before->n;
  if (out->n == 0) {
    memset(out, 0, sizeof(*out));
    return;
  }
  if (before->n == 0) {
    memcpy(out, now, sizeof(*out));
    return;
  }
  out->sum = now->sum - before->sum;
  for (size_t i = 0; i < VALUE_BUCKETS; i++)
    out->count[i] = now->count[i] - before->count[i];
  value_hist_set_limits(out, now);
}

double value_mean(const struct value_sum *sum)
{
  return sum->n > 0 ? sum->sum / (double)sum->n : 0;
}

double value_percentile(const struct value_sum *sum, double pct)
{
  const double rank = fmax(1, floor((double)sum->n * pct / 100 + 0.5));
  uint64_t seen = 0;

  if (sum->n == 0)
    return 0;
  for (size_t i = 0; i < VALUE_BUCKETS; i++) {
    seen += sum->count[i];
    if ((double)seen >= rank)
      return fmin(fmax(value_middle(i), sum->min), sum->max);
  }
  return sum->max;
}
