/*
 * view_bands.h - what is shaded on the charts over time.
 */
#ifndef BENCH_TOOLS_VIEW_BANDS_H
#define BENCH_TOOLS_VIEW_BANDS_H

struct chart;
struct view;

/* Add the times without service, and the marks, of the document to a chart; of
 * several documents: nothing.  The chart keeps their memory until
 * view_bands_drop(). */
void view_bands_add(struct chart *c, const struct view *v);
void view_bands_drop(struct chart *c);

#endif
