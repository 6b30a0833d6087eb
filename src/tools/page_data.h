/*
 * page_data.h - the data of a report's page: documents without the parts that
 * no chart needs, and intervals as columns of short numbers.
 */
#ifndef BENCH_TOOLS_PAGE_DATA_H
#define BENCH_TOOLS_PAGE_DATA_H

struct strbuf;
struct view;

/* Appends one line of JSON without "<". */
void page_data(const struct view *v, struct strbuf *out);

#endif
