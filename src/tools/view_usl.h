/*
 * view_usl.h - the curve of the Universal Scalability Law in the chart of a
 * sweep.
 */
#ifndef BENCH_TOOLS_VIEW_USL_H
#define BENCH_TOOLS_VIEW_USL_H

struct chart;
struct usl;

enum {
  VIEW_USL_POINTS = 64, /* of each of the two lines */
};

/* The points of the lines; it has to live as long as the chart. */
struct view_usl {
  double x[2][VIEW_USL_POINTS], y[2][VIEW_USL_POINTS];
};

/* Add the curve as a line up to USL_TRUSTED times the data, and as a dashed
 * one beyond.  The chart already has the line of what was measured. */
void view_usl_add(struct view_usl *v, const struct usl *u, struct chart *chart);

#endif
