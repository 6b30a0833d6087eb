/*
 * chart_place.h - where things are on a chart: what the files that draw one
 * share.
 */
#ifndef BENCH_TOOLS_CHART_PLACE_H
#define BENCH_TOOLS_CHART_PLACE_H

#include "tools/chart.h"

struct strbuf;

/* Sizes of the drawing, in its own units. */
enum {
  CHART_WIDTH = 720,
  CHART_HEIGHT = 280,
  CHART_LOW = 150,
  CHART_LEFT = 84,
  CHART_RIGHT = 20,
  CHART_TOP = 16,
  CHART_BOTTOM = 48,
};

int chart_height(const struct chart *c);
double chart_x(const struct chart *c, double value);
double chart_y(const struct chart *c, double value);

/* ---- chart_layers.c: what lies under the lines ---- */

void chart_draw_grid(const struct chart *c, struct strbuf *out);
void chart_draw_bands(const struct chart *c, struct strbuf *out);

/* ---- chart_data.c ---- */

/* Is this a chart over the time of runs, whose cursor and zoom the page's
 * script provides? */
bool chart_is_timed(const struct chart *c);

/* Its values, for that script. */
void chart_add_data(const struct chart *c, struct strbuf *out);

#endif
