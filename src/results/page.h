/*
 * page.h - the frame of a run's page, live and afterwards: style and scripts,
 * without the network.
 */
#ifndef BENCH_RESULTS_PAGE_H
#define BENCH_RESULTS_PAGE_H

#include <stdbool.h>

struct strbuf;

/* Scripts are not needed for the text between.  A live page connects to its
 * own server. */
void page_begin(struct strbuf *out, bool live);
void page_end(struct strbuf *out, bool live);

/* Appends text, escaped for HTML. Control characters and marks that reorder
 * text become escapes such as \x1b, invalid bytes question marks. */
void page_add(struct strbuf *out, const char *text);

#endif
