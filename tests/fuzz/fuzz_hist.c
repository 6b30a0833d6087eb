/*
 * fuzz_hist.c - a histogram against the sorted values: percentiles are within
 * a bucket, sums and differences are inverse, and the text that result files
 * keep reads back as the same counts.
 *
 * Input: values of nine bytes: how far to shift to the right, and the number.
 */
#include <math.h>

#include "../unit/same_sum.h"
#include "base/strbuf.h"
#include "input.h"
#include "results/hdr_log.h"
#include "stats/hist_sum.h"
#include "tools/hdr_decode.h"

enum {
  VALUES_MAX = 512
};

static int by_value(const void *a, const void *b)
{
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

  return x < y ? -1 : x > y;
}

static void check_buckets(uint64_t ns)
{
  const unsigned i = hist_index(ns);
  const uint64_t kept = ns > HIST_MAX_NS ? HIST_MAX_NS : ns;
  const uint64_t middle = hist_middle(i);

  MUST(i < HIST_BUCKETS && hist_low(i) <= kept);
  MUST(i + 1 == HIST_BUCKETS || kept < hist_low(i + 1));
  MUST(hist_index(middle) == i);
  MUST(fabs((double)middle - (double)kept) <= 0.0005 * (double)kept + 1);
}

static void check_percentiles(const struct hist_sum *sum,
                              const uint64_t *sorted, size_t n)
{
  static const double pct[] = { 0, 0.1, 1, 25, 50, 95, 99, 99.9, 100 };

  MUST(sum->total == n);
  for (size_t i = 0; i < sizeof(pct) / sizeof(pct[0]); i++) {
    const double rank = floor((double)n * pct[i] / 100 + 0.5);
    const uint64_t got = hist_percentile(sum, pct[i]);

    if (n == 0)
      MUST(got == 0);
    else
      MUST(hist_index(got) ==
           hist_index(sorted[rank < 1 ? 0 : (size_t)rank - 1]));
  }
  MUST(isfinite(hist_mean(sum)) && isfinite(hist_stddev(sum)));
  MUST(n == 0 ||
       (hist_mean(sum) >=
          (double)hist_middle(hist_index(sorted[0])) * (1 - 1e-12) &&
        hist_mean(sum) <=
          (double)hist_middle(hist_index(sorted[n - 1])) * (1 + 1e-12)));
}

static void check_algebra(const struct hist_sum *half,
                          const struct hist_sum *all)
{
  struct hist_sum *rest = hist_sum_new();

  MUST(rest);
  hist_sum_sub(rest, all, half);
  MUST(rest->total == all->total - half->total);
  hist_sum_merge(rest, half);
  MUST(same_sum(rest, all));
  hist_sum_sub(rest, all, all);
  MUST(rest->total == 0);
  hist_sum_merge(rest, all);
  MUST(same_sum(rest, all));
  hist_sum_free(rest);
}

static void check_text(const struct hist_sum *sum)
{
  struct hist_sum *back = hist_sum_new();
  struct strbuf text = { 0 };

  MUST(back && hdr_encode_text(&text, sum) == 0);
  MUST(hdr_decode_text(back, strbuf_str(&text)) == 0);
  MUST(same_sum(back, sum));
  strbuf_done(&text);
  hist_sum_free(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct input in = { data, size };
  struct hist_sum *half = hist_sum_new(), *all = hist_sum_new();
  struct hist *h = hist_new();
  uint64_t value[VALUES_MAX];
  size_t n = 0;

  MUST(half && all && h);
  for (; in.left > 0 && n < VALUES_MAX; n++) {
    const unsigned shift = input_byte(&in) % 64;

    value[n] = input_number(&in, 8) >> shift;
    check_buckets(value[n]);
    if (n % 2)
      hist_record(h, value[n]);
    else
      hist_record_shared(h, value[n]);
    if (n == VALUES_MAX / 4)
      hist_sum_add(half, h);
  }
  hist_sum_add(all, h);
  qsort(value, n, sizeof(value[0]), by_value);
  check_percentiles(all, value, n);
  check_algebra(half, all);
  check_text(all);
  hist_free(h);
  hist_sum_free(all);
  hist_sum_free(half);
  return 0;
}
