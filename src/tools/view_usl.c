/*
 * view_usl.c - draws the Universal Scalability Law.
 */
#include "tools/view_usl.h"

#include <math.h>
#include <stdbool.h>

#include "tools/chart.h"
#include "tools/usl.h"

/* How far the curve goes, in times of the data: on to the peak, if that is not
 * too far away. */
#define AS_FAR 2.0
#define FARTHEST 4.0

/* The points are as close to each other on an axis of either kind. */
static void add_line(struct view_usl *v, const struct usl *u,
                     struct chart *chart, bool beyond, double from, double to)
{
  double *x = v->x[beyond], *y = v->y[beyond];

  for (int i = 0; i < VIEW_USL_POINTS; i++) {
    const double at = (double)i / (VIEW_USL_POINTS - 1);

    x[i] = chart->x.kind == AXIS_LOG ? from * pow(to / from, at)
                                     : from + at * (to - from);
    y[i] = usl_throughput(u, x[i]);
  }
  chart->lines[chart->n_lines++] = (struct chart_line){
    .name = beyond ? "the same, far beyond the data" : "scalability law",
    .x = x,
    .y = y,
    .n = VIEW_USL_POINTS,
    .stroke = beyond ? CHART_STROKE_DASHED : CHART_STROKE_SOLID,
  };
}

void view_usl_add(struct view_usl *v, const struct usl *u, struct chart *chart)
{
  const double trusted = USL_TRUSTED * u->largest;
  double end = AS_FAR * u->largest;

  if (u->has_peak && 1.2 * u->peak_at.value > end)
    end = fmin(1.2 * u->peak_at.value, FARTHEST * u->largest);
  chart->lines[0].name = "measured";
  add_line(v, u, chart, false, u->smallest, trusted);
  add_line(v, u, chart, true, trusted, end);
}
