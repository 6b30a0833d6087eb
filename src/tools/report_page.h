/*
 * report_page.h - the report of results: an HTML page with charts, or the same
 * figures as Markdown or text.
 */
#ifndef BENCH_TOOLS_REPORT_PAGE_H
#define BENCH_TOOLS_REPORT_PAGE_H

#include <jansson.h>
#include <stddef.h>

struct err;
struct strbuf;
struct view;

enum report_format {
  REPORT_HTML,
  REPORT_MARKDOWN,
  REPORT_TEXT,
};

/* Fills an empty buffer; -ENOMEM: it is still empty. */
int report_write(const struct view *v, enum report_format format,
                 struct strbuf *ret, struct err *err);

/* Of bench database, as text. */
void report_sentences(const json_t *json, struct strbuf *out);

/* The page of one document in memory; -EINVAL: not a document. */
int report_page(const char *text, size_t len, struct strbuf *ret,
                struct err *err);

#endif
