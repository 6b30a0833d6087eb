/*
 * view_draw.h - what the files that draw charts share.
 */
#ifndef BENCH_TOOLS_VIEW_DRAW_H
#define BENCH_TOOLS_VIEW_DRAW_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/axis.h"
#include "tools/chart.h"

struct result;
struct result_interval;
struct strbuf;
struct view;

/*
 * Draw the chart, or `missing` in its place if there is nothing to draw; NULL:
 * nothing at all then.  Frees the lines, whose memory begins with their x.
 */
void view_draw(struct chart *c, const char *missing, struct strbuf *out);

/* A figure of intervals. */
struct trace {
  const char *name;
  const char *path;       /* in the interval; a percentile's is NULL */
  const char *percentile; /* its key */
  double scale;
  const char *member; /* [opt] the figure of this member of a mix */
};

/* A chart without lines, over the time of the runs, for view_draw(). */
struct chart view_over_time(const struct view *v, const char *title,
                            const char *y_label, enum axis_unit unit);

/* Add the line of a run's figure, for view_draw(). */
void view_add_trace(struct chart *c, const char *name, const struct view *v,
                    size_t run, const struct trace *t);

/* The same of any figure; one that is not finite is a gap. */
typedef double view_value(const void *ctx, const struct result_interval *i);
void view_add_values(struct chart *c, const char *name, const struct view *v,
                     size_t run, view_value *value, const void *ctx);

/* Is this an interval at the end that is so short that its figures scatter too
 * much? */
bool view_is_scrap(const struct result *r, size_t i);

#endif
