/*
 * html.h - parts of an HTML page that needs neither files nor the network.
 */
#ifndef BENCH_TOOLS_HTML_H
#define BENCH_TOOLS_HTML_H

#include <stdbool.h>

struct strbuf;
struct table;
struct view;

/* A page begins with its title and ends with its script. */
void html_begin(struct strbuf *out, const char *title);
void html_end(struct strbuf *out, const struct view *v);

/* `kind`, for the page's script, needs no escapes; `part` [opt] is the part
 * of bench machine. */
void html_section(struct strbuf *out, const char *kind, const char *title,
                  const char *part);
void html_section_end(struct strbuf *out, bool *is_open);

void html_paragraph(struct strbuf *out, const char *text);
/* Adds separators of thousands. */
void html_table(struct strbuf *out, const struct table *t);

#endif
