/*
 * html.c - parts of a self-contained HTML page.
 */
#include "tools/html.h"

#include <stdbool.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/utf8.h"
#include "tools/page_text.h"
#include "tools/table.h"
#include "tools/units.h"

/* The length of the character at `text`, if it is valid and allowed in a page;
 * else 0. */
static unsigned character(const char *text)
{
  if ((unsigned char)*text < 0x20 && *text != '\n' && *text != '\t')
    return 0;
  return utf8_length(text);
}

static const char *escape(char c)
{
  switch (c) {
  case '&':
    return "&amp;";
  case '<':
    return "&lt;";
  case '>':
    return "&gt;";
  case '"':
    return "&quot;";
  case '\'':
    return "&#39;";
  default:
    return NULL;
  }
}

void html_add(struct strbuf *out, const char *text)
{
  while (*text) {
    const unsigned n = character(text);
    const char *escaped = escape(*text);

    if (escaped)
      strbuf_adds(out, escaped);
    else if (n == 0)
      strbuf_adds(out, "?");
    else
      strbuf_add(out, text, n);
    text += n > 0 ? n : 1;
  }
}

void html_begin(struct strbuf *out, const char *title)
{
  strbuf_adds(out, "<!DOCTYPE html>\n<html lang=\"en\"><head>"
                   "<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
                   "content=\"width=device-width,initial-scale=1\">\n"
                   "<meta http-equiv=\"Content-Security-Policy\" content=\""
                   "default-src 'none';style-src 'unsafe-inline';script-src "
                   "'unsafe-inline';img-src data:\">\n"
                   "<link rel=\"icon\" href=\"data:,\">\n<title>");
  html_add(out, title);
  strbuf_addf(out, "</title>\n<style>\n%s</style></head><body><main>\n<h1>",
              page_style);
  html_add(out, title);
  strbuf_adds(out, "</h1>\n");
}

void html_end(struct strbuf *out)
{
  strbuf_addf(out, "</main><script>\n%s</script></body></html>\n", page_script);
}

static void element(struct strbuf *out, const char *name, const char *text)
{
  strbuf_addf(out, "<%s>", name);
  html_add(out, text);
  strbuf_addf(out, "</%s>\n", name);
}

void html_heading(struct strbuf *out, const char *text)
{
  element(out, "h2", text);
}

void html_subheading(struct strbuf *out, const char *text)
{
  strbuf_adds(out, "<h3>");
  html_add(out, text);
  strbuf_adds(out, "</h3>\n");
}

void html_paragraph(struct strbuf *out, const char *text)
{
  element(out, "p", text);
}

void html_paragraph_of(struct strbuf *out, const char *text, size_t len)
{
  struct strbuf one = { 0 };

  strbuf_add(&one, text, len);
  html_paragraph(out, strbuf_str(&one));
  out->failed = out->failed || one.failed;
  strbuf_done(&one);
}

/* Exact numbers of people's own are left as they are. */
static void add_cell(struct strbuf *out, const struct table *t,
                     const char *cell, bool number)
{
  size_t digits = number && !t->exact ? strspn(cell, "0123456789") : 0;

  if (digits < 4) {
    html_add(out, cell);
    return;
  }
  for (; digits > 0; cell++, digits--)
    strbuf_addf(out, "%c%s", *cell, digits > 1 && digits % 3 == 1 ? "," : "");
  html_add(out, cell);
}

/* A reader without a pointer can scroll what has the focus. */
static void begin_table(struct strbuf *out, const char *class)
{
  strbuf_addf(
    out, "<div class=\"scroll\" tabindex=\"0\"><table%s>\n<thead><tr>", class);
}

static void end_table(struct strbuf *out)
{
  strbuf_adds(out, "</tbody></table></div>\n");
}

static size_t rows_of(const struct table *t)
{
  return t->columns > 0 ? t->n / t->columns : 0;
}

void html_table(struct strbuf *out, const struct table *t)
{
  out->failed = out->failed || t->failed;
  begin_table(out, "");
  for (size_t r = 0; r < rows_of(t); r++) {
    const char *name = r == 0 ? "th scope=\"col\"" : "td";

    strbuf_adds(out, r > 0 ? "<tr>" : "");
    for (size_t c = 0; c < t->columns; c++) {
      const bool number = table_right_aligned(t, c);

      strbuf_addf(out, "<%s%s>", name, number ? " class=\"n\"" : "");
      add_cell(out, t, t->cells[r * t->columns + c], number && r > 0);
      strbuf_addf(out, "</%.2s>", name);
    }
    strbuf_adds(out, r == 0 ? "</tr></thead><tbody>\n" : "</tr>\n");
  }
  end_table(out);
}

/* Tags that need not be there would be half of such a table. */
void html_numbers(struct strbuf *out, const struct table *t, const char *title)
{
  char rows[UNIT_SIZE];

  out->failed = out->failed || t->failed;
  strbuf_adds(out, "<details><summary>");
  html_add(out, title);
  strbuf_addf(out, " (%s)</summary>\n",
              unit_grouped(rows, (double)rows_of(t) - 1));
  begin_table(out, " class=\"sort\"");
  for (size_t r = 0; r < rows_of(t); r++) {
    strbuf_adds(out, r > 0 ? "<tr>" : "");
    for (size_t c = 0; c < t->columns; c++) {
      strbuf_adds(out, r == 0 ? "<th scope=\"col\">" : "<td>");
      html_add(out, t->cells[r * t->columns + c]);
      strbuf_adds(out, r == 0 ? "</th>" : "");
    }
    strbuf_adds(out, r == 0 ? "</tr></thead><tbody>\n" : "\n");
  }
  end_table(out);
  strbuf_adds(out, "</details>\n");
}
