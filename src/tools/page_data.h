/*
 * page_data.h - what the page of a report draws, as JSON: documents without
 * what no chart needs, and intervals as columns of short numbers.
 */
#ifndef BENCH_TOOLS_PAGE_DATA_H
#define BENCH_TOOLS_PAGE_DATA_H

struct strbuf;
struct view;

/* Appends one line, in which no "<" occurs. */
void page_data(const struct view *v, struct strbuf *out);

#endif
