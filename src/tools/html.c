#include "tools/html.h"

#include <stdbool.h>
#include <string.h>

#include "base/strbuf.h"
#include "results/page.h"
#include "tools/page_data.h"
#include "tools/table.h"

void html_begin(struct strbuf *out, const char *title)
{
  page_begin(out, false);
  strbuf_adds(out, "<h1>");
  page_add(out, title);
  strbuf_adds(out, "</h1>\n");
}

void html_end(struct strbuf *out, const struct view *v)
{
  strbuf_adds(out, "<script type=\"application/json\" id=\"data\">");
  page_data(v, out);
  strbuf_adds(out, "</script>\n");
  page_end(out, false);
}

void html_section(struct strbuf *out, const char *kind, const char *title,
                  const char *part)
{
  strbuf_addf(out, "<section data-kind=\"%s\"", kind);
  if (part) {
    strbuf_adds(out, " data-part=\"");
    page_add(out, part);
    strbuf_adds(out, "\"");
  }
  strbuf_adds(out, part ? "><h3>" : "><h2>");
  page_add(out, title);
  strbuf_adds(out, part ? "</h3>\n" : "</h2>\n");
}

void html_section_end(struct strbuf *out, bool *is_open)
{
  strbuf_adds(out, *is_open ? "</section>\n" : "");
  *is_open = false;
}

void html_paragraph(struct strbuf *out, const char *text)
{
  strbuf_adds(out, "<p>");
  page_add(out, text);
  strbuf_adds(out, "</p>\n");
}

static void html_add_cell(struct strbuf *out, const struct table *t,
                          const char *cell, bool number)
{
  size_t digits = number && !t->exact ? strspn(cell, "0123456789") : 0;
  const char *micro = number && !t->exact ? strstr(cell, " us") : NULL;

  if (micro && !micro[3]) {
    strbuf_add(out, cell, (size_t)(micro - cell));
    strbuf_adds(out, " \u00b5s");
    return;
  }
  if (digits < 4) {
    page_add(out, cell);
    return;
  }
  for (; digits > 0; cell++, digits--)
    strbuf_addf(out, "%c%s", *cell, digits > 1 && digits % 3 == 1 ? "," : "");
  page_add(out, cell);
}

static size_t rows_of(const struct table *t)
{
  return t->columns > 0 ? t->n / t->columns : 0;
}

void html_table(struct strbuf *out, const struct table *t)
{
  out->failed = out->failed || t->failed;
  /* Keys scroll what has the focus. */
  strbuf_adds(out, "<div class=\"scroll\" tabindex=\"0\"><table>\n"
                   "<thead><tr>");
  for (size_t r = 0; r < rows_of(t); r++) {
    const char *name = r == 0 ? "th scope=\"col\"" : "td";

    strbuf_adds(out, r > 0 ? "<tr>" : "");
    for (size_t c = 0; c < t->columns; c++) {
      const bool number = table_right_aligned(t, c);

      strbuf_addf(out, "<%s%s>", name, number ? " class=\"n\"" : "");
      html_add_cell(out, t, t->cells[r * t->columns + c], number && r > 0);
      strbuf_addf(out, "</%.2s>", name);
    }
    strbuf_adds(out, r == 0 ? "</tr></thead><tbody>\n" : "</tr>\n");
  }
  strbuf_adds(out, "</tbody></table></div>\n");
}
