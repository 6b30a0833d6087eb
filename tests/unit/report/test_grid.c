/*
 * test_grid.c - logarithmic grids and their rows.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "report/grid.h"
#include "report/text.h"
#include "stats/report.h"
#include "tests/unit/tap.h"

/* Whether the next calloc() finds no memory. */
static bool no_memory;

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);

void *__wrap_calloc(size_t n, size_t size)
{
  return no_memory ? NULL : __real_calloc(n, size);
}

static void test_memory(void)
{
  const struct report r = { .kind = REPORT_FINAL };
  struct strbuf b = { 0 };
  struct err err = { "" };
  struct grid g;

  no_memory = true;
  OK(grid_init(&g, 2, 1, 2, &err) == -ENOMEM && err.text[0] != '\0',
     "no memory for a grid");
  OK(text_histogram(&b, &r) == -ENOMEM && b.len == 0,
     "no memory for a histogram: no part of it");
  no_memory = false;
  grid_done(&g);
  strbuf_done(&b);
}

static void test_shape(void)
{
  static const struct {
    size_t size;
    double min, max;
    int rc;
  } shape[] = {
    { 2, 1, 2, 0 },
    { 1024, 0.001, 100000, 0 },
    { 0, 1, 2, -EINVAL },
    { 1, 1, 2, -EINVAL },
    { 2, 0, 2, -EINVAL },
    { 2, -1, 2, -EINVAL },
    { 2, 2, 2, -EINVAL },
    { 2, 3, 2, -EINVAL },
    { 2, 1, INFINITY, -EINVAL },
    { 2, NAN, 2, -EINVAL },
    { 2, 1, NAN, -EINVAL },
  };

  for (size_t i = 0; i < ARRAY_SIZE(shape); i++) {
    struct err err = { "" };
    struct grid g;

    OK(grid_init(&g, shape[i].size, shape[i].min, shape[i].max, &err) ==
         shape[i].rc,
       "shape of a grid");
    OK((err.text[0] != '\0') == (shape[i].rc < 0), "error and text");
    grid_done(&g);
  }
  grid_done(NULL);
}

/* 0.001 ms, 100000 ms and the factor between neighbours are given. */
static void test_latency_grid(void)
{
  const double factor = 1.018169;
  struct err err;
  struct grid g;
  bool nearest = true, inverse = true, steps = true;

  (void)grid_init_latency(&g, &err);
  OK(g.size == 1024, "buckets");
  OK(fabs(grid_value(&g, 0) - 0.001) < 1e-12 &&
       fabs(grid_value(&g, 1023) - 100000) < 1e-4,
     "first and last value");
  for (size_t i = 0; i < g.size; i++) {
    const double v = grid_value(&g, i);

    inverse &= grid_index(&g, v) == i;
    nearest &= grid_index(&g, v * sqrt(factor) * 0.9999) == i &&
               (i == g.size - 1 ||
                grid_index(&g, v * sqrt(factor) * 1.0001) == i + 1);
    if (i > 0)
      steps &= fabs(v / grid_value(&g, i - 1) - factor) < 1e-6;
  }
  OK(steps, "neighbours differ by a factor of 1.018169");
  OK(inverse, "a value belongs to its own bucket");
  OK(nearest, "others to the nearest, by logarithm");
  OK(grid_index(&g, 0) == 0 && grid_index(&g, -5) == 0 &&
       grid_index(&g, 0.0009) == 0 && grid_index(&g, -INFINITY) == 0,
     "what is below goes to the first");
  OK(grid_index(&g, 100000) == 1023 && grid_index(&g, 1e30) == 1023 &&
       grid_index(&g, INFINITY) == 1023,
     "what is beyond goes to the last");
  OK(!grid_update(&g, NAN), "not a number is refused");
  grid_done(&g);
}

/* Rows of a run of sysbench 1.0.20: value in ms as printed, and count. */
static const struct {
  double ms;
  uint64_t count;
} sample[] = {
  { 0.196, 80 }, { 0.199, 2026 }, { 0.203, 1934 }, { 0.206, 200 },
  { 0.210, 9 },  { 0.214, 62 },   { 0.218, 138 },  { 0.222, 71 },
  { 0.226, 33 }, { 0.230, 15 },   { 0.234, 8 },    { 0.238, 5 },
  { 0.243, 4 },  { 0.247, 5 },    { 0.252, 2 },    { 0.256, 3 },
  { 0.261, 3 },  { 0.266, 2 },    { 0.270, 1 },    { 0.275, 2 },
  { 0.280, 1 },  { 0.296, 1 },    { 0.301, 1 },    { 0.330, 1 },
  { 0.367, 1 },  { 0.388, 1 },    { 0.395, 1 },    { 2.347, 1 },
  { 2.913, 1 },  { 3.425, 1 },    { 4.252, 12 },   { 4.569, 1 },
};

static const char sample_text[] =
  "Latency histogram (values are in milliseconds)\n"
  "       value  ------------- distribution ------------- count\n"
  "       0.196 |**                                       80\n"
  "       0.199 |**************************************** 2026\n"
  "       0.203 |**************************************   1934\n"
  "       0.206 |****                                     200\n"
  "       0.210 |                                         9\n"
  "       0.214 |*                                        62\n"
  "       0.218 |***                                      138\n"
  "       0.222 |*                                        71\n"
  "       0.226 |*                                        33\n"
  "       0.230 |                                         15\n"
  "       0.234 |                                         8\n"
  "       0.238 |                                         5\n"
  "       0.243 |                                         4\n"
  "       0.247 |                                         5\n"
  "       0.252 |                                         2\n"
  "       0.256 |                                         3\n"
  "       0.261 |                                         3\n"
  "       0.266 |                                         2\n"
  "       0.270 |                                         1\n"
  "       0.275 |                                         2\n"
  "       0.280 |                                         1\n"
  "       0.296 |                                         1\n"
  "       0.301 |                                         1\n"
  "       0.330 |                                         1\n"
  "       0.367 |                                         1\n"
  "       0.388 |                                         1\n"
  "       0.395 |                                         1\n"
  "       2.347 |                                         1\n"
  "       2.913 |                                         1\n"
  "       3.425 |                                         1\n"
  "       4.252 |                                         12\n"
  "       4.569 |                                         1\n"
  " \n";

static void test_histogram(void)
{
  struct hist_sum *hist = hist_sum_new();
  struct report r = { .hist = hist };
  struct strbuf b = { 0 };

  OK(text_histogram(&b, &r) == 0, "a histogram of nothing");
  OK_STR(strbuf_str(&b), "Latency histogram (values are in milliseconds)\n \n",
         "has no rows and no titles");
  strbuf_clear(&b);
  for (size_t i = 0; i < ARRAY_SIZE(sample); i++) {
    const uint64_t ns = (uint64_t)(sample[i].ms * 1e6 + 0.5);

    hist_sum_put(hist, hist_index(ns), sample[i].count);
  }
  OK(text_histogram(&b, &r) == 0, "a histogram of a run");
  OK_STR(strbuf_str(&b), sample_text, "is that of sysbench");
  strbuf_clear(&b);

  hist_sum_clear(hist);
  hist_sum_put(hist, hist_index(0), 1);
  hist_sum_put(hist, hist_index(999), 1);
  hist_sum_put(hist, hist_index(UINT64_MAX), 1);
  (void)text_histogram(&b, &r);
  OK_STR(strbuf_str(&b),
         "Latency histogram (values are in milliseconds)\n"
         "       value  ------------- distribution ------------- count\n"
         "       0.001 |**************************************** 2\n"
         "  100000.000 |********************                     1\n"
         " \n",
         "what is outside of the grid is in its first and last row");
  strbuf_done(&b);
  hist_sum_free(hist);
}

/* A grid of a script: 1, 10, 100 and 1000. */
static void test_script_grid(void)
{
  static const double values[] = { 1, 3, 3.2, 10, 31, 32, 99, 5000, -1, 0 };
  struct strbuf b = { 0 };
  struct err err;
  struct grid g;

  (void)grid_init(&g, 4, 1, 1000, &err);
  grid_print(&b, &g);
  OK_STR(strbuf_str(&b), "", "an empty grid prints nothing");
  for (size_t i = 0; i < ARRAY_SIZE(values); i++)
    (void)grid_update(&g, values[i]);
  grid_print(&b, &g);
  OK_STR(strbuf_str(&b),
         "       value  ------------- distribution ------------- count\n"
         "       1.000 |**************************************** 4\n"
         "      10.000 |******************************           3\n"
         "     100.000 |********************                     2\n"
         "    1000.000 |**********                               1\n",
         "rows of a script's grid");
  strbuf_done(&b);
  grid_done(&g);
}

int main(void)
{
  test_shape();
  test_memory();
  test_latency_grid();
  test_histogram();
  test_script_grid();
  return TAP_EXIT();
}
