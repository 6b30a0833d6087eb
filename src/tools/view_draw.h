/*
 * view_draw.h - what the files that draw charts share.
 */
#ifndef BENCH_TOOLS_VIEW_DRAW_H
#define BENCH_TOOLS_VIEW_DRAW_H

struct chart;
struct strbuf;

/*
 * Draw the chart, or `missing` in its place if there is nothing to draw; NULL:
 * nothing at all then.  Frees the lines, whose memory begins with their x.
 */
void view_draw(struct chart *c, const char *missing, struct strbuf *out);

#endif
