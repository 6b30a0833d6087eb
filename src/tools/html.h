/*
 * html.h - parts of a self-contained HTML page, which needs neither files nor
 * the network.
 */
#ifndef BENCH_TOOLS_HTML_H
#define BENCH_TOOLS_HTML_H

#include <stddef.h>

struct strbuf;
struct table;

/* Append text, escaped for HTML.  Bytes that are not text become question
 * marks. */
void html_add(struct strbuf *out, const char *text);

void html_begin(struct strbuf *out, const char *title);
void html_end(struct strbuf *out);

void html_heading(struct strbuf *out, const char *text);
void html_subheading(struct strbuf *out, const char *text);
void html_paragraph(struct strbuf *out, const char *text);
/* The same of a part of a text. */
void html_paragraph_of(struct strbuf *out, const char *text, size_t len);
/* Numbers get separators of thousands. */
void html_table(struct strbuf *out, const struct table *t);
/* A long table of nothing but numbers, which the reader unfolds and sorts. */
void html_numbers(struct strbuf *out, const struct table *t, const char *title);

#endif
