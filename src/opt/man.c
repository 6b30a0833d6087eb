/*
 * man.c - options as a part of the manual page.
 */
#include "opt/man.h"

#include <stdbool.h>
#include <string.h>

#include "base/strbuf.h"
#include "opt/help.h"
#include "opt/value.h"

void man_text(struct strbuf *out, const char *text)
{
  bool line_start = true;

  for (; *text; text++) {
    if (*text == '\\')
      strbuf_adds(out, "\\e");
    else if (*text == '-')
      strbuf_adds(out, "\\-");
    else if (line_start && (*text == '.' || *text == '\''))
      strbuf_addf(out, "\\&%c", *text);
    else
      strbuf_add(out, text, 1);
    line_start = *text == '\n';
  }
}

static void add_sentence(struct strbuf *out, const char *before,
                         const char *text)
{
  strbuf_adds(out, before);
  man_text(out, text);
  strbuf_adds(out, ".\n");
}

/* Adds what is allowed, unless any text or any list is. */
static void add_allowed(struct strbuf *out, const struct opt *row)
{
  struct strbuf allowed = { 0 };
  const bool anything = !row->expected &&
                        (row->type == OPT_TYPE_BOOL ||
                         row->type == OPT_TYPE_STRING ||
                         (row->type == OPT_TYPE_LIST && !row->words &&
                          !(row->flags & OPT_INT_ITEMS)));

  if (anything || row->alias_of || row->type == OPT_TYPE_FILE || row->min_now)
    return;
  opt_expected(row, &allowed);
  add_sentence(out, "Allowed: ", strbuf_str(&allowed));
  out->failed = out->failed || allowed.failed;
  strbuf_done(&allowed);
}

static void add_default(struct strbuf *out, const struct opt *row)
{
  if (!row->def || !*row->def)
    return;
  strbuf_adds(out, "Default: ");
  man_text(out, row->def);
  if (strcmp(row->def, ".") == 0) /* which the end of the sentence hides */
    strbuf_adds(out, " (the current folder)");
  if (row->def_1_1) {
    strbuf_adds(out, "; at compat level 1.1 ");
    man_text(out, row->def_1_1);
  }
  strbuf_adds(out, ".\n");
}

void man_options(struct strbuf *out, const struct opt *rows)
{
  for (const struct opt *row = rows; row->type != OPT_TYPE_END; row++) {
    if (row->flags & OPT_HIDDEN)
      continue;
    strbuf_adds(out, ".TP\n.B \\-\\-");
    man_text(out, row->name);
    man_text(out, help_format(row));
    strbuf_adds(out, "\n");
    man_text(out, row->help ? row->help : "");
    add_sentence(out, "", row->more ? row->more : "");
    if (row->man) {
      man_text(out, row->man);
      strbuf_adds(out, "\n");
    }
    add_allowed(out, row);
    add_default(out, row);
  }
}
