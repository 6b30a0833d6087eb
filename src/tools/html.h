/*
 * html.h - pieces of a page that is complete in itself: no file and no network
 * is needed to show it.
 */
#ifndef BENCH_TOOLS_HTML_H
#define BENCH_TOOLS_HTML_H

struct strbuf;
struct table;

/* Text, with everything escaped that HTML would take for itself.  Bytes that
 * are no text become question marks. */
void html_add(struct strbuf *out, const char *text);

void html_begin(struct strbuf *out, const char *title);
void html_end(struct strbuf *out);

void html_heading(struct strbuf *out, const char *text);
void html_paragraph(struct strbuf *out, const char *text);
void html_table(struct strbuf *out, const struct table *t);

#endif
