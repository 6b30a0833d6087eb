/*
 * chart_layers.c - what lies under the lines of a chart: the squares of a heat
 * map, and shaded stretches.
 */
#include <math.h>

#include "base/strbuf.h"
#include "tools/chart_place.h"
#include "tools/html.h"

enum {
  LEVELS = 8 /* of colour: class h0 to h7 */
};

/* The strength of a count's colour: by its logarithm, because the slowest
 * events, which readers look for, are few. */
static int level_of(double count, double largest)
{
  return count > 0 && largest > 1
           ? (int)fmin(LEVELS - 1, LEVELS * log(count) / log(largest))
           : LEVELS - 1;
}

static double largest_of(const struct chart_grid *g)
{
  double largest = 0;

  for (size_t i = 0; i < g->columns * g->rows; i++)
    largest = fmax(largest, g->counts[i]);
  return largest;
}

/* All squares of a colour are one path; those above each other are one
 * square. */
static void draw_level(const struct chart *c, int level, double largest,
                       struct strbuf *out)
{
  const struct chart_grid *g = &c->grid;

  strbuf_addf(out, "<path class=\"heat h%d\" d=\"", level);
  for (size_t x = 0; x < g->columns; x++) {
    const double *column = &g->counts[x * g->rows];
    const double left = chart_x(c, g->x[x]), right = chart_x(c, g->x[x + 1]);

    for (size_t y = 0; y < g->rows; y++) {
      size_t end = y;

      while (end < g->rows && column[end] > 0 &&
             level_of(column[end], largest) == level)
        end++;
      if (end == y)
        continue;
      strbuf_addf(out, "M%.1f %.1fH%.1fV%.1fH%.1fz", left, chart_y(c, g->y[y]),
                  right, chart_y(c, g->y[end]), left);
      y = end;
    }
  }
  strbuf_adds(out, "\"/>\n");
}

void chart_draw_grid(const struct chart *c, struct strbuf *out)
{
  const double largest = largest_of(&c->grid);

  if (c->grid.columns == 0)
    return;
  strbuf_adds(out, "<g class=\"cells\">\n");
  for (int level = 0; level < LEVELS; level++)
    draw_level(c, level, largest, out);
  strbuf_adds(out, "</g>\n");
}

void chart_draw_bands(const struct chart *c, struct strbuf *out)
{
  const int bottom = chart_height(c) - CHART_BOTTOM;

  for (size_t i = 0; i < c->n_bands; i++) {
    const struct chart_band *b = &c->bands[i];
    const double from = fmax(b->from, c->x.low), to = fmin(b->to, c->x.high);
    double left, width;

    if (!(from <= to))
      continue;
    left = chart_x(c, from);
    width = chart_x(c, to) - left;
    /* A moment is a line, which must not vanish. */
    strbuf_addf(out,
                "<rect class=\"%s\" data-from=\"%.9g\" data-to=\"%.9g\" "
                "x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"><title>",
                b->from < b->to ? "band" : "moment", b->from, b->to, left,
                CHART_TOP, fmax(width, 1.5), bottom - CHART_TOP);
    html_add(out, b->text);
    strbuf_adds(out, "</title></rect>\n");
  }
}
