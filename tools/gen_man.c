/*
 * gen_man.c - the options in the manual page, and an index of them.
 */
#include <stdlib.h>
#include <string.h>

#include "gen_docs.h"
#include "opt/help.h"
#include "tools/tool.h"

/* Lines of text end before column 80.  troff takes a line that begins with a
 * point or a quote for a request: no line is broken in front of these. */
static void fold(struct strbuf *out, const char *text)
{
  size_t column = 0;

  for (; *text; text++) {
    const size_t word = strcspn(text + 1, " \n");
    const bool may_break = *text == ' ' && text[1] != '.' && text[1] != '\'';

    if (may_break && column + 1 + word > 79) {
      strbuf_adds(out, "\n");
      column = 0;
      continue;
    }
    strbuf_add(out, text, 1);
    column = *text == '\n' ? 0 : column + 1;
  }
}

void docs_man(struct strbuf *out, const struct docs *d)
{
  struct strbuf text = { 0 };

  for (size_t i = 0; i < d->n; i++) {
    if (!d->table[i].rows || d->table[i].rows->type == OPT_TYPE_END)
      continue;
    strbuf_addf(&text, ".SS %s\n", d->table[i].title);
    help_man_options(&text, d->table[i].rows);
  }
  fold(out, strbuf_str(&text));
  out->failed = out->failed || text.failed;
  strbuf_done(&text);
}

static int by_name(const void *a, const void *b)
{
  const struct opt *const *x = a, *const *y = b;

  return strcmp((*x)->name, (*y)->name);
}

/* Each option once, with the section that describes it. */
void docs_index(struct strbuf *out, const struct docs *d)
{
  const struct opt *rows[MOST_OPTIONS];
  const struct table *tables[MOST_OPTIONS];
  const struct opt *sorted[MOST_OPTIONS];
  size_t n = 0;

  for (size_t i = 0; i < d->n; i++) {
    const struct opt *row = d->table[i].rows;

    for (; row && row->type != OPT_TYPE_END && n < MOST_OPTIONS; row++) {
      if (docs_is_offered(row)) {
        rows[n] = sorted[n] = row;
        tables[n++] = &d->table[i];
      }
    }
  }
  qsort(sorted, n, sizeof(sorted[0]), by_name);
  for (size_t i = 0; i < n; i++) {
    size_t k = 0;

    while (rows[k] != sorted[i])
      k++;
    strbuf_adds(out, "\\fB\\-\\-");
    help_man_text(out, sorted[i]->name);
    strbuf_adds(out, "\\fR \\(en ");
    help_man_text(out, tables[k]->title);
    strbuf_adds(out, "\n");
  }
}

void docs_tool(struct strbuf *out, const struct docs *d)
{
  struct strbuf text = { 0 };

  help_man_options(&text, d->tool->opts);
  if (d->tool->takes_any_option)
    strbuf_adds(&text, "Its options are those of a run:\n.BR bench (1)\n"
                       "describes them.\n");
  else if (text.len == 0)
    strbuf_adds(&text, "It has no options of its own.\n");
  fold(out, strbuf_str(&text));
  out->failed = out->failed || text.failed;
  strbuf_done(&text);
}

void docs_tool_list(struct strbuf *out)
{
  for (const struct tool *const *p = tool_list; *p; p++) {
    strbuf_adds(out, ".TP\n.B ");
    help_man_text(out, (*p)->name);
    strbuf_adds(out, "\n");
    help_man_text(out, (*p)->summary);
    strbuf_adds(out, ":\n.BR bench\\-");
    help_man_text(out, (*p)->name);
    strbuf_adds(out, " (1)\n");
  }
}
