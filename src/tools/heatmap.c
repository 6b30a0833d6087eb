/*
 * heatmap.c - a matrix as coloured squares, as SVG.
 */
#include "tools/heatmap.h"

#include <math.h>

#include "base/strbuf.h"
#include "tools/html.h"

/* Of the drawing, in its own units. */
enum {
  SIZE = 480, /* of all squares together, at most */
  SQUARE_MAX = 80,
  LEFT = 60,
  TOP = 44,
  GAP = 12,
  NUMBERS_FROM = 30, /* a square that is smaller has no number in it */
  NAMES_FROM = 12,   /* smaller: not every row has its name */
};

/* How strong the weakest and the strongest colour are. */
#define WEAKEST 0.08
#define STRONGEST 0.75

static bool find_range(const struct heatmap *h, double *low, double *high)
{
  *low = INFINITY;
  *high = -INFINITY;
  for (size_t i = 0; i < h->n * h->n; i++) {
    if (!isfinite(h->values[i]))
      continue;
    *low = fmin(*low, h->values[i]);
    *high = fmax(*high, h->values[i]);
  }
  return *low <= *high;
}

static double strength(double value, double low, double high)
{
  /* Values that are all about the same are not made to look different. */
  const double range = fmax(high - low, 0.05 * high);

  return WEAKEST +
         (STRONGEST - WEAKEST) * (range > 0 ? (value - low) / range : 0);
}

static void add_square(const struct heatmap *h, size_t row, size_t column,
                       int size, double opacity, struct strbuf *out)
{
  const double value = h->values[row * h->n + column];
  const int x = LEFT + (int)column * size, y = TOP + (int)row * size;

  strbuf_addf(out,
              "<rect class=\"heat\" x=\"%d\" y=\"%d\" width=\"%d\" "
              "height=\"%d\" fill-opacity=\"%.3f\"><title>",
              x, y, size - 1, size - 1, opacity);
  html_add(out, h->rows);
  strbuf_addf(out, " %d, ", h->names[row]);
  html_add(out, h->columns);
  strbuf_addf(out, " %d: %.4g ", h->names[column], value);
  html_add(out, h->unit);
  strbuf_adds(out, "</title></rect>\n");
  if (size >= NUMBERS_FROM)
    strbuf_addf(out,
                "<text class=\"strong\" x=\"%d\" y=\"%d\" "
                "text-anchor=\"middle\">%.*f</text>\n",
                x + size / 2, y + size / 2 + 4, value < 1000 ? 1 : 0, value);
}

static void add_names(const struct heatmap *h, int size, struct strbuf *out)
{
  const size_t every = size >= NAMES_FROM ? 1 : (size_t)(2 * NAMES_FROM / size);

  for (size_t i = 0; i < h->n; i += every) {
    const int at = (int)i * size + size / 2;

    strbuf_addf(out,
                "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%d</text>"
                "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%d</text>\n",
                LEFT - 6, TOP + at + 4, h->names[i], LEFT + at, TOP - 6,
                h->names[i]);
  }
  strbuf_addf(out, "<text x=\"%d\" y=\"14\">", LEFT);
  html_add(out, h->columns);
  strbuf_addf(out,
              "</text><text transform=\"translate(14 %d) rotate(-90)\" "
              "text-anchor=\"end\">",
              TOP);
  html_add(out, h->rows);
  strbuf_adds(out, "</text>\n");
}

bool heatmap_svg(const struct heatmap *h, struct strbuf *out)
{
  int size, all;
  double low, high;

  if (h->n == 0 || !find_range(h, &low, &high))
    return false;
  size = SIZE / (int)h->n;
  size = size > SQUARE_MAX ? SQUARE_MAX : size < 2 ? 2 : size;
  all = size * (int)h->n;
  strbuf_adds(out, "<figure><figcaption>");
  html_add(out, h->title);
  strbuf_addf(out, "</figcaption>\n<p class=\"legend\">%.4g to %.4g ", low,
              high);
  html_add(out, h->unit);
  strbuf_addf(out, "</p>\n<svg viewBox=\"0 0 %d %d\" role=\"img\">\n<title>",
              LEFT + (all > 640 ? all : 640), TOP + all + GAP);
  html_add(out, h->title);
  strbuf_adds(out, "</title>\n");
  add_names(h, size, out);
  for (size_t row = 0; row < h->n; row++) {
    for (size_t column = 0; column < h->n; column++) {
      const double value = h->values[row * h->n + column];

      if (isfinite(value))
        add_square(h, row, column, size, strength(value, low, high), out);
    }
  }
  strbuf_adds(out, "</svg></figure>\n");
  return true;
}
