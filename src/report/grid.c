#include "report/grid.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "stats/hist_sum.h"

#define LATENCY_BUCKETS 1024
#define LATENCY_MIN_MS 0.001
#define LATENCY_MAX_MS 100000.0

enum {
  BAR = 40
};

int grid_place(struct grid *g, uint64_t *count, size_t size, double min,
               double max, struct err *err)
{
  memset(g, 0, sizeof(*g));
  if (size < 2)
    return err_set(err, -EINVAL, "a histogram needs at least 2 buckets");
  if (!(min > 0.0 && min < max && isfinite(max)))
    return err_set(err, -EINVAL,
                   "the range of a histogram needs 0 < min < max");
  g->count = count;
  g->size = size;
  g->min = min;
  g->max = max;
  g->log_min = log(min);
  g->buckets_per_e = (double)(size - 1) / (log(max) - g->log_min);
  return 0;
}

int grid_init(struct grid *g, size_t size, double min, double max,
              struct err *err)
{
  int rc = grid_place(g, NULL, size, min, max, err);

  if (rc < 0)
    return rc;
  g->count = calloc(size, sizeof(*g->count));
  return g->count ? 0
                  : err_set(err, -ENOMEM,
                            "cannot allocate a histogram of %zu buckets", size);
}

void grid_done(struct grid *g)
{
  if (!g)
    return;
  free(g->count);
  memset(g, 0, sizeof(*g));
}

int grid_init_latency(struct grid *g, struct err *err)
{
  return grid_init(g, LATENCY_BUCKETS, LATENCY_MIN_MS, LATENCY_MAX_MS, err);
}

double grid_value(const struct grid *g, size_t index)
{
  return exp(g->log_min + (double)index / g->buckets_per_e);
}

size_t grid_index(const struct grid *g, double value)
{
  double i;

  if (value <= g->min)
    return 0;
  if (value >= g->max)
    return g->size - 1;
  i = floor((log(value) - g->log_min) * g->buckets_per_e + 0.5);
  if (i < 0.0)
    return 0;
  return i < (double)(g->size - 1) ? (size_t)i : g->size - 1;
}

bool grid_update(struct grid *g, double value)
{
  if (isnan(value))
    return false;
  g->count[grid_index(g, value)]++;
  return true;
}

void grid_add_hist(struct grid *g, const struct hist_sum *sum)
{
  for (unsigned i = hist_sum_next(sum, 0); i < HIST_BUCKETS;
       i = hist_sum_next(sum, i + 1)) {
    const double ms = (double)hist_middle(i) / (double)NS_PER_MS;

    g->count[grid_index(g, ms)] += hist_sum_at(sum, i);
  }
}

void grid_print(struct strbuf *b, const struct grid *g)
{
  static const char bar[BAR + 1] = "****************************************";
  uint64_t largest = 0;

  for (size_t i = 0; i < g->size; i++) {
    if (g->count[i] > largest)
      largest = g->count[i];
  }
  if (largest == 0)
    return;
  strbuf_adds(b,
              "       value  ------------- distribution ------------- count\n");
  for (size_t i = 0; i < g->size; i++) {
    const double share = (double)g->count[i] / (double)largest;

    if (g->count[i] > 0)
      strbuf_addf(b, "%12.3f |%-40.*s %" PRIu64 "\n", grid_value(g, i),
                  (int)floor(BAR * share + 0.5), bar, g->count[i]);
  }
}
