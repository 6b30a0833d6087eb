/*
 * page.h - the page that shows a run while it goes on, and afterwards its
 * results: style and scripts, which need no network.
 */
#ifndef BENCH_RESULTS_PAGE_H
#define BENCH_RESULTS_PAGE_H

#include <stdbool.h>

struct strbuf;

/* What is between these two is shown without scripts, too.  A live page
 * connects to the server that it comes from. */
void page_begin(struct strbuf *out, bool live);
void page_end(struct strbuf *out, bool live);

/* Appends text, escaped for HTML. Control characters and marks that reorder
 * text become escapes such as \x1b, invalid bytes question marks. */
void page_add(struct strbuf *out, const char *text);

#endif
