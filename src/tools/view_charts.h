/*
 * view_charts.h - the charts of a report.
 */
#ifndef BENCH_TOOLS_VIEW_CHARTS_H
#define BENCH_TOOLS_VIEW_CHARTS_H

struct strbuf;
struct view;

/* Each function adds one or more charts, or a sentence that says why there are
 * none. */
void view_charts_over_time(const struct view *v, struct strbuf *out);
/* The latencies of each run as a heat map; part of the charts over time. */
void view_charts_heat(const struct view *v, struct strbuf *out);
void view_charts_distribution(const struct view *v, struct strbuf *out);
/* The members of mixes; nothing where there are none. */
void view_charts_members(const struct view *v, struct strbuf *out);
void view_charts_system(const struct view *v, struct strbuf *out);
/* What the sessions of a single run waited for; nothing where it is not known.
 */
void view_charts_waits(const struct view *v, struct strbuf *out);
/* A row for each figure of the server and of the machine that has no chart. */
void view_charts_rows(const struct view *v, struct strbuf *out);
void view_charts_sweep(const struct view *v, struct strbuf *out);
void view_charts_find(const struct view *v, struct strbuf *out);
/* Nothing where there are no such figures. */
void view_charts_memory(const struct view *v, struct strbuf *out);
void view_charts_kernels(const struct view *v, struct strbuf *out);
void view_charts_fsync(const struct view *v, struct strbuf *out);

#endif
