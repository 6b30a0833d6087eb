/*
 * page_heat.c - latency over time as counts in a grid, from the histograms of
 * intervals.
 */
#include "tools/page_heat.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/strbuf.h"
#include "stats/hist_sum.h"
#include "tools/hdr_decode.h"
#include "tools/result.h"

enum {
  COLUMNS_MAX = 240,
  ROWS_MAX = 40,
  PER_OCTAVE = 8, /* fine rows in which events are counted first */
  FINE = HIST_TOP_BIT * PER_OCTAVE,
};

/* What it is drawn from. */
struct heat {
  size_t columns, rows;
  double x[COLUMNS_MAX + 1], y[ROWS_MAX + 1];
  double counts[COLUMNS_MAX * ROWS_MAX];
  double fine[COLUMNS_MAX * FINE];
  struct hist_sum hist;
};

static size_t fine_row(unsigned bucket)
{
  const double value = fmax(1, (double)hist_middle(bucket));
  const double row = PER_OCTAVE * log2(value);

  return row < FINE ? (size_t)row : FINE - 1;
}

/* Count the events of an interval; false: it has no histogram. */
static bool count_interval(struct heat *h, size_t column, const json_t *json)
{
  const char *text = result_text_at(json, "latency_ns.hdr_histogram");

  if (!text || hdr_decode_text(&h->hist, text) < 0)
    return false;
  for (unsigned i = hist_sum_next(&h->hist, 0); i < HIST_BUCKETS;
       i = hist_sum_next(&h->hist, i + 1))
    h->fine[column * FINE + fine_row(i)] += (double)hist_sum_at(&h->hist, i);
  return true;
}

/* False: there is nothing to draw, or the document has strange times. */
static bool count_all(struct heat *h, const struct result *r, size_t n)
{
  bool any = false;
  size_t each;

  if (n < 2)
    return false;
  each = (n + COLUMNS_MAX - 1) / COLUMNS_MAX;
  h->columns = (n + each - 1) / each;
  h->x[0] = fmax(0, r->intervals[0].end_s - r->intervals[0].period_s);
  for (size_t i = 0; i < n; i++) {
    any = count_interval(h, i / each, r->intervals[i].json) || any;
    h->x[i / each + 1] = r->intervals[i].end_s;
  }
  for (size_t i = 0; i < h->columns; i++) {
    if (!(h->x[i] < h->x[i + 1] && isfinite(h->x[i + 1])))
      return false;
  }
  return any;
}

static bool is_used(const struct heat *h, size_t row)
{
  for (size_t i = 0; i < h->columns; i++) {
    if (h->fine[i * FINE + row] > 0)
      return true;
  }
  return false;
}

/* Put several fine rows into one, so that there are not too many. */
static bool make_rows(struct heat *h)
{
  size_t first = 0, last = FINE, each;

  while (first < FINE && !is_used(h, first))
    first++;
  while (last > first && !is_used(h, last - 1))
    last--;
  if (first == last)
    return false;
  each = (last - first + ROWS_MAX - 1) / ROWS_MAX;
  h->rows = (last - first + each - 1) / each;
  for (size_t i = 0; i <= h->rows; i++)
    h->y[i] = exp2((double)(first + i * each) / PER_OCTAVE);
  for (size_t x = 0; x < h->columns; x++) {
    for (size_t y = first; y < last; y++)
      h->counts[x * h->rows + (y - first) / each] += h->fine[x * FINE + y];
  }
  return true;
}

static void append_limits(struct strbuf *out, const char *key, const double *of,
                          size_t n, int digits)
{
  strbuf_addf(out, "\"%s\":[", key);
  for (size_t i = 0; i < n; i++)
    strbuf_addf(out, "%s%.*g", i > 0 ? "," : "", digits, of[i]);
  strbuf_adds(out, "],");
}

void page_heat(const struct result *r, size_t n, struct strbuf *out)
{
  struct heat *h = calloc(1, sizeof(*h));

  if (!h) {
    out->failed = true;
    return;
  }
  if (count_all(h, r, n) && make_rows(h)) {
    strbuf_adds(out, ",\"heat\":{");
    append_limits(out, "x", h->x, h->columns + 1, 7);
    append_limits(out, "y", h->y, h->rows + 1, 5);
    strbuf_adds(out, "\"counts\":[");
    for (size_t i = 0; i < h->columns * h->rows; i++)
      strbuf_addf(out, "%s%.0f", i > 0 ? "," : "", h->counts[i]);
    strbuf_adds(out, "]}");
  }
  free(h);
}
