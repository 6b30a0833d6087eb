/*
 * test_merge.c - figures of several runs are added up exactly.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "results/json_parts.h"
#include "stats/hist_sum.h"
#include "stats/rand/rng.h"
#include "stats/report.h"
#include "tests/unit/same_sum.h"
#include "tests/unit/tap.h"
#include "tools/hdr_decode.h"
#include "tools/merge_values.h"
#include "tools/result.h"

enum {
  PARTS = 7,
  SAMPLES = 20000,
};

static const double wanted[] = { 12.5 };
static const struct report_setup setup = { .percentiles = wanted,
                                           .n_percentiles = 1 };

static void sample(struct latency *l, struct hist_sum *h, uint64_t ns)
{
  hist_sum_put(h, hist_index(ns), 1);
  if (l->count == 0 || ns < l->min_ns)
    l->min_ns = ns;
  if (ns > l->max_ns)
    l->max_ns = ns;
  l->count++;
  l->sum_ns += ns;
  l->hist = h;
}

/* A period of a run: counts, a class of its own, and a shared one. */
static json_t *period(const struct latency *l, unsigned number)
{
  const json_int_t n = (json_int_t)l->count;

  return json_pack("{s:i, s:f, s:i, s:f, s:{s:i, s:f}, s:{}, s:o, "
                   "s:[{s:s, s:i, s:f, s:o}, {s:s, s:i, s:f, s:o}]}",
                   "events", (int)n, "events_per_s", 12345.0, "errors", 2,
                   "errors_per_s", 1.0, "queries", "total", 3, "total_per_s",
                   1.5, "system", "latency_ns", json_latency(l, &setup),
                   "classes", "name", "shared", "count", (int)n, "count_per_s",
                   7.0, "latency_ns", json_latency(l, &setup), "name",
                   number % 2 ? "odd" : "even", "count", 1, "count_per_s", 7.0,
                   "latency_ns", json_latency(l, &setup));
}

static bool is_number(const json_t *j, const char *path, double expected)
{
  const double got = result_number_at(j, path);

  if (fabs(got - expected) <= 1e-12 * fabs(expected))
    return true;
  printf("# %s: %.17g, expected %.17g\n", path, got, expected);
  return false;
}

static bool same_latency(const json_t *got, const struct latency *l)
{
  json_t *expected = json_latency(l, &setup);
  struct hist_sum *h = hist_sum_new();
  const char *text = result_text_at(got, "hdr_histogram");
  const bool same = text && hdr_decode_text(h, text) == 0 &&
                    same_sum(h, l->hist) && json_equal(got, expected);

  hist_sum_free(h);
  json_decref(expected);
  return same;
}

static void test_exact(void)
{
  struct latency all = { 0 }, part[PARTS] = { { 0 } };
  struct hist_sum *sum = hist_sum_new(), *of[PARTS];
  struct merge_parts parts = { .n = 0 };
  struct err err = { "" };
  struct rng rng;
  json_t *made[PARTS], *whole;

  rng_seed(&rng, 5, RNG_INTERNAL, 0);
  for (int i = 0; i < PARTS; i++) {
    of[i] = hist_sum_new();
    part[i].hist = of[i];
  }
  for (int i = 0; i < SAMPLES; i++) {
    const uint64_t ns = rng_next(&rng) >> (24 + rng_below(&rng, 40));
    /* The last part stays empty. */
    const uint64_t to = rng_below(&rng, PARTS - 1);

    sample(&all, sum, ns);
    sample(&part[to], of[to], ns);
  }
  for (unsigned i = 0; i < PARTS; i++) {
    made[i] = period(&part[i], i);
    merge_parts_add(&parts, made[i], "");
  }
  whole = merge_values(&parts, 4.0, 0, &err);
  OK(whole != NULL, "periods are merged");
  OK(same_latency(json_object_get(whole, "latency_ns"), &all),
     "the histogram, percentiles, minimum, mean and maximum are those of one "
     "histogram of all samples");
  OK(same_latency(result_at(whole, "classes.0.latency_ns"), &all),
     "so are those of a class");
  OK(json_array_size(json_object_get(whole, "classes")) == 3 &&
       is_number(whole, "classes.1.count", 4) &&
       is_number(whole, "classes.2.count", 3),
     "a class is in the whole as often as in the parts");
  OK(is_number(whole, "events", SAMPLES) &&
       is_number(whole, "events_per_s", SAMPLES / 4.0) &&
       is_number(whole, "classes.0.count_per_s", SAMPLES / 4.0) &&
       is_number(whole, "errors", 2 * PARTS) &&
       is_number(whole, "errors_per_s", 2 * PARTS / 4.0) &&
       is_number(whole, "queries.total_per_s", 3 * PARTS / 4.0),
     "counts are added, rates are over the time of the whole");
  OK(!json_object_get(whole, "system"), "machines are left out");
  json_decref(whole);
  for (int i = 0; i < PARTS; i++) {
    json_decref(made[i]);
    hist_sum_free(of[i]);
  }
  hist_sum_free(sum);
}

/* Merge a period with one whose latencies are `text`. */
static json_t *merge_with(const char *text, struct err *err)
{
  struct hist_sum *h = hist_sum_new();
  struct latency l = { 0 };
  struct merge_parts parts = { .n = 0 };
  json_t *good, *bad = json_loads(text, 0, NULL), *whole;

  sample(&l, h, 1000);
  good = period(&l, 0);
  merge_parts_add(&parts, good, "");
  merge_parts_add(&parts, bad, "");
  whole = merge_values(&parts, 1.0, 0, err);
  json_decref(good);
  json_decref(bad);
  hist_sum_free(h);
  return whole;
}

static void test_lacking(void)
{
  struct err err = { "" };
  json_t *whole = merge_with(
    "{\"latency_ns\": {\"count\": 3, \"min\": 1, \"mean\": 2, \"max\": 3, "
    "\"percentiles\": {\"50\": 2}}}",
    &err);

  OK(!whole && strstr(err.text, "histogram"), "no histogram: refused");
  err.text[0] = '\0';
  whole = merge_with(
    "{\"latency_ns\": {\"count\": 3, \"min\": 1, \"mean\": 2, \"max\": 3, "
    "\"percentiles\": {\"50\": 2}, \"hdr_histogram\": \"HISTFAAAA\"}}",
    &err);
  OK(!whole && strstr(err.text, "histogram"), "a damaged one: refused");
  err.text[0] = '\0';
  whole = merge_with("{\"classes\": [{\"name\": \"shared\", \"latency_ns\": "
                     "{\"count\": 3, \"percentiles\": {}}}]}",
                     &err);
  OK(whole && !json_object_get(whole, "classes") && !err.text[0] &&
       json_object_get(whole, "latency_ns"),
     "classes without histograms are left out, and nothing else");
  json_decref(whole);
}

static void test_moments(void)
{
  struct merge_moments m = { 0 };

  /* 1, 3 and 5, 5, 11 */
  merge_moments_add(&m, 2, 2, 1);
  merge_moments_add(&m, 0, 100, 100);
  merge_moments_add(&m, 3, 7, sqrt(8));
  OK(fabs(m.mean - 5) < 1e-12 &&
       fabs(merge_moments_stddev(&m) - sqrt(56.0 / 5)) < 1e-12,
     "mean and deviation of two groups");
}

int main(void)
{
  test_exact();
  test_lacking();
  test_moments();
  return TAP_EXIT();
}
