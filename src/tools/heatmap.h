/*
 * heatmap.h - a matrix as coloured squares, as SVG.
 */
#ifndef BENCH_TOOLS_HEATMAP_H
#define BENCH_TOOLS_HEATMAP_H

#include <stdbool.h>
#include <stddef.h>

struct strbuf;

struct heatmap {
  const char *title;
  const char *rows, *columns; /* what they are */
  const char *unit;           /* of the values */
  size_t n;                   /* rows, and columns */
  const double *values;       /* [n * n], row by row; not finite: no square */
  const int *names;           /* [n]: numbers of rows and columns */
};

/* The higher a value, the stronger its colour.  False: there is nothing to
 * draw, and nothing was written. */
bool heatmap_svg(const struct heatmap *h, struct strbuf *out);

#endif
