/*
 * html.h - parts of a self-contained HTML page, which needs neither files nor
 * the network.
 */
#ifndef BENCH_TOOLS_HTML_H
#define BENCH_TOOLS_HTML_H

#include <stdbool.h>

struct strbuf;
struct table;
struct view;

/* The page of a report begins with its title, and ends with what its script
 * draws. */
void html_begin(struct strbuf *out, const char *title);
void html_end(struct strbuf *out, const struct view *v);

/* `kind` is a name for the script, which needs no escapes; `part` [opt] is the
 * part of the machine's test that the section is of. */
void html_section(struct strbuf *out, const char *kind, const char *title,
                  const char *part);
void html_section_end(struct strbuf *out, bool *is_open);

void html_paragraph(struct strbuf *out, const char *text);
/* Numbers get separators of thousands. */
void html_table(struct strbuf *out, const struct table *t);

#endif
