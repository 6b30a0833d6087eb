/*
 * view_distribution.c - the distribution of latencies: of events, and of fsync.
 */
#include <math.h>
#include <stdlib.h>

#include "stats/hist_sum.h"
#include "tools/chart.h"
#include "tools/result.h"
#include "tools/view.h"
#include "tools/view_charts.h"
#include "tools/view_draw.h"

enum {
  BINS = 80,         /* of histograms */
  POINTS = BINS + 2, /* of their outline, which begins and ends at 0 */
};

static size_t filled_buckets(const struct hist_sum *h)
{
  size_t n = 0;

  for (unsigned i = hist_sum_next(h, 0); i < HIST_BUCKETS;
       i = hist_sum_next(h, i + 1))
    n++;
  return n;
}

/* The line starts at 0 %, where the first events are: even one event makes a
 * line. */
static void add_spectrum(struct chart *c, const char *name,
                         const struct hist_sum *h)
{
  const size_t n = filled_buckets(h) + 1;
  struct chart_line *line = &c->lines[c->n_lines];
  double *xy = calloc(2 * n + 1, sizeof(*xy));
  uint64_t below = 0;

  if (!xy || c->n_lines == CHART_LINES_MAX) {
    free(xy);
    return;
  }
  *line = (struct chart_line){ .name = name, .x = xy, .y = xy + n };
  for (unsigned i = hist_sum_next(h, 0); i < HIST_BUCKETS;
       i = hist_sum_next(h, i + 1)) {
    const uint64_t count = hist_sum_at(h, i);

    if (line->n == 0)
      xy[n + line->n++] = (double)hist_middle(i);
    /* The position of the middle event of this bucket. */
    xy[line->n] = 100 * ((double)below + (double)count / 2) / (double)h->total;
    xy[n + line->n] = (double)hist_middle(i);
    below += count;
    line->n++;
  }
  c->n_lines++;
}

/* Extend the range to the smallest and largest value. */
static void widen(const struct hist_sum *h, double *low, double *high)
{
  for (unsigned i = hist_sum_next(h, 0); i < HIST_BUCKETS;
       i = hist_sum_next(h, i + 1)) {
    const double value = (double)hist_middle(i);

    *low = fmin(*low, fmax(value, 1));
    *high = fmax(*high, value);
  }
}

static void add_bins(struct chart *c, const char *name,
                     const struct hist_sum *h, double low, double high)
{
  struct chart_line *line = &c->lines[c->n_lines];
  double *x = calloc(2 * (size_t)POINTS, sizeof(*x)), *y;
  const double width = log(high / low) / BINS;

  if (!x || c->n_lines == CHART_LINES_MAX) {
    free(x);
    return;
  }
  y = x + POINTS;
  for (unsigned i = hist_sum_next(h, 0); i < HIST_BUCKETS;
       i = hist_sum_next(h, i + 1)) {
    const double value = fmax((double)hist_middle(i), 1);
    int bin;

    bin = width > 0 ? (int)(log(value / low) / width) : 0;
    bin = bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin;
    y[bin + 1] += 100 * (double)hist_sum_at(h, i) / (double)h->total;
  }
  x[0] = low;
  for (int i = 0; i <= BINS; i++)
    x[i + 1] = low * exp(width * i);
  *line = (struct chart_line){
    .name = name, .x = x, .y = y, .n = POINTS, .steps = true
  };
  c->n_lines++;
}

/* Draw the latencies that `histogram_of` finds in the runs; without `spectrum`
 * only the histogram. */
struct drawing {
  const char *class;      /* [opt] of this class of operations, not of events */
  const char *missing;    /* [opt] printed where there is nothing */
  struct chart *spectrum; /* [opt] */
  struct chart *histogram;
};

static struct hist_sum *histogram_of(const struct drawing *d,
                                     const struct result *r)
{
  struct hist_sum *h = d->class ? result_class_histogram(r, d->class)
                                : result_histogram(r);

  if (h && h->total == 0) {
    hist_sum_free(h);
    h = NULL;
  }
  return h;
}

static void draw_latencies(const struct view *v, const struct drawing *d,
                           struct strbuf *out)
{
  struct hist_sum *hists[VIEW_RUNS_MAX] = { NULL };
  double low = INFINITY, high = 0;

  for (size_t i = 0; i < v->n_runs && i < VIEW_RUNS_MAX; i++) {
    hists[i] = histogram_of(d, v->runs[i].run);
    if (hists[i])
      widen(hists[i], &low, &high);
  }
  if (high <= low) { /* there is only one value */
    high = low * 1.1;
    low /= 1.1;
  }
  for (size_t i = 0; i < v->n_runs && i < VIEW_RUNS_MAX; i++) {
    if (!hists[i])
      continue;
    if (d->spectrum)
      add_spectrum(d->spectrum, v->runs[i].label, hists[i]);
    add_bins(d->histogram, v->runs[i].label, hists[i], low, high);
  }
  if (d->spectrum)
    view_draw(d->spectrum, d->missing, out);
  view_draw(d->histogram, d->missing, out);
  for (size_t i = 0; i < VIEW_RUNS_MAX; i++)
    hist_sum_free(hists[i]);
}

static struct chart histogram_chart(const char *title, const char *label)
{
  return (struct chart){
    .title = title,
    .x = { .label = "latency", .kind = AXIS_LOG, .unit = AXIS_TIME },
    .y = { .label = label, .unit = AXIS_SHARE, .from_zero = true },
  };
}

void view_charts_distribution(const struct view *v, struct strbuf *out)
{
  struct chart spectrum = {
    .title = "Latency by percentile",
    .x = { .label = "share of events that took at most this long",
           .kind = AXIS_PERCENTILE,
           .unit = AXIS_SHARE },
    .y = { .label = "latency", .kind = AXIS_LOG, .unit = AXIS_TIME },
  };
  struct chart histogram = histogram_chart("Histogram of latencies",
                                           "events per bin");

  draw_latencies(v,
                 &(struct drawing){
                   .missing = "The results have no histogram: the run had no "
                              "events, or percentiles were switched off.",
                   .spectrum = &spectrum,
                   .histogram = &histogram },
                 out);
}

void view_charts_fsync(const struct view *v, struct strbuf *out)
{
  struct chart histogram = histogram_chart("Histogram of fsync latencies",
                                           "fsyncs per bin");

  draw_latencies(
    v, &(struct drawing){ .class = "fsync", .histogram = &histogram }, out);
}
