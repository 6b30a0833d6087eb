/*
 * page_heat.h - latency over time as counts in a grid.
 */
#ifndef BENCH_TOOLS_PAGE_HEAT_H
#define BENCH_TOOLS_PAGE_HEAT_H

#include <stddef.h>

struct result;
struct strbuf;

/* Appends ,"heat":{"x":[...],"y":[...],"counts":[...]}, the limits of columns
 * and rows, and counts column by column, of the first `n` intervals; nothing if
 * they have no histograms. */
void page_heat(const struct result *r, size_t n, struct strbuf *out);

#endif
