/*
 * chart.h - charts of lines as SVG, coloured by the page that they are in.
 */
#ifndef BENCH_TOOLS_CHART_H
#define BENCH_TOOLS_CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/axis.h"

struct strbuf;

enum {
  CHART_LINES_MAX = 8, /* as many as there are colours */
};

enum chart_stroke {
  CHART_STROKE_OWN, /* that of the line's colour */
  CHART_STROKE_SOLID,
  CHART_STROKE_DASHED,
};

/* Values that are not finite are gaps.  All borrowed. */
struct chart_line {
  const char *name;
  const double *x, *y;
  size_t n;
  const double *low, *high; /* [opt] ranges of y */
  bool dots;                /* mark the points */
  bool steps;               /* y stays the same up to the next x */
  enum chart_stroke stroke;
  /* The page's list of times that has the x of this line, counted from 1; 0:
   * none, and the page's script leaves the line alone. */
  size_t times;
};

/* Counts in a grid, as coloured squares. */
struct chart_grid {
  const double *x, *y;  /* [columns + 1], [rows + 1]: ascending limits */
  const double *counts; /* [columns * rows], column by column */
  size_t columns, rows; /* no columns: there is no grid */
};

/* A stretch of x that is shaded, or a moment if both ends are equal. */
struct chart_band {
  double from, to;
  const char *text;
};

/* The point at which a line is highest, or a point on the way there. */
struct chart_mark {
  double x, y;
  const char *text;
};

struct chart {
  const char *title;
  struct axis x, y;
  struct chart_line lines[CHART_LINES_MAX];
  size_t n_lines;
  struct chart_mark marks[4];
  size_t n_marks;
  bool named; /* a single line has its name beside it, too */
  bool low;   /* half as high as others */
  struct chart_grid grid;
  const struct chart_band *bands; /* [n_bands] */
  size_t n_bands;

  double inset; /* set by chart_svg(): keeps dots away from the axis */
};

/* False: there is nothing to draw, and nothing was written. */
bool chart_svg(struct chart *c, struct strbuf *out);

#endif
