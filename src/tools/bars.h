/*
 * bars.h - groups of horizontal bars as SVG: one group per thing that was
 * measured, with one bar per result.
 */
#ifndef BENCH_TOOLS_BARS_H
#define BENCH_TOOLS_BARS_H

#include <stdbool.h>
#include <stddef.h>

struct strbuf;

enum {
  BARS_TEXT_SIZE = 64,
};

struct bar {
  double value;              /* not finite: there is none, and `text` says so */
  char text[BARS_TEXT_SIZE]; /* beside it */
};

/* All borrowed. */
struct bars {
  const char *title;
  const char *note;          /* what the lengths are */
  const char *const *groups; /* [n_groups] */
  size_t n_groups;
  const char *const *series; /* [n_series], at most CHART_LINES_MAX */
  size_t n_series;
  const struct bar *of; /* [n_groups * n_series], group by group */
  bool logarithmic;     /* values above 0 over powers of ten */
};

/* False: there is nothing to draw, and nothing was written. */
bool bars_svg(const struct bars *b, struct strbuf *out);

#endif
