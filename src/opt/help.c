/*
 * help.c - the texts of --help, and options in the manual page.
 */
#include "opt/help.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "opt/optset.h"
#include "opt/value.h"

/* Which entries of a set. */
struct block {
  enum opt_section section;
  const char *owner;   /* [opt] */
  unsigned with, not ; /* flags of its rows */
  bool any_section;
};

/* "=N", "[=on|off]". */
static const char *help_format(const struct opt *row)
{
  static const char *const formats[] = {
    [OPT_TYPE_BOOL] = "[=on|off]",   [OPT_TYPE_INT] = "=N",
    [OPT_TYPE_SIZE] = "=SIZE",       [OPT_TYPE_DOUBLE] = "=N",
    [OPT_TYPE_STRING] = "=STRING",   [OPT_TYPE_WORD] = "=STRING",
    [OPT_TYPE_LIST] = "=[LIST,...]", [OPT_TYPE_FILE] = "=FILENAME",
    [OPT_TYPE_TIME] = "=N",
  };

  return row->show_as ? row->show_as : formats[row->type];
}

static bool help_is_in(const struct opt_entry *e, const struct block *b)
{
  const unsigned flags = e->row->flags;

  if ((e->section != b->section && !b->any_section) || (flags & OPT_HIDDEN) ||
      (flags & b->with) != b->with || (flags & b->not ) != 0)
    return false;
  return !b->owner || (e->owner && strcmp(e->owner, b->owner) == 0);
}

static size_t help_width_of(const struct opt *row)
{
  return strlen(row->name) + strlen(help_format(row));
}

static size_t help_block_width(const struct optset *set, const struct block *b)
{
  size_t width = 0;

  for (size_t i = 0; i < set->n; i++) {
    const struct opt *row = set->entries[i]->row;

    if (help_is_in(set->entries[i], b) && help_width_of(row) > width)
      width = help_width_of(row);
  }
  return width;
}

/* Scripts may use `_`; all documents use `-`. */
static void help_add_name(struct strbuf *out, const char *name, bool as_is)
{
  for (; *name; name++)
    strbuf_add(out, *name == '_' && !as_is ? "-" : name, 1);
}

static void help_add_option(struct strbuf *out, const struct optset *set,
                            const struct opt_entry *e, size_t width)
{
  const struct opt *row = e->row;
  const char *def = e->real ? e->real->def : e->def;

  strbuf_adds(out, "  --");
  help_add_name(out, row->name, set->as_sysbench);
  strbuf_addf(out, "%-*s%s%s", (int)(width - strlen(row->name)) + 1,
              help_format(row), row->help ? row->help : "",
              row->more && !set->as_sysbench ? row->more : "");
  if (def)
    strbuf_addf(out, " [%s]", def);
  strbuf_adds(out, "\n");
}

static void help_add_block_of(struct strbuf *out, const struct optset *set,
                              const struct block *b)
{
  const size_t width = help_block_width(set, b);

  for (size_t i = 0; i < set->n; i++) {
    if (help_is_in(set->entries[i], b))
      help_add_option(out, set, set->entries[i], width);
  }
  strbuf_adds(out, "\n");
}

static void help_add_block(struct strbuf *out, const struct optset *set,
                           enum opt_section section, const char *owner)
{
  const struct block b = { .section = section,
                           .owner = owner,
                           .not = set->as_sysbench ? 0 : OPT_DEPRECATED };

  help_add_block_of(out, set, &b);
}

static void help_add_items(struct strbuf *out, const struct help_item *items,
                           size_t n)
{
  for (size_t i = 0; i < n; i++)
    strbuf_addf(out, "  %s - %s\n", items[i].name, items[i].title);
  strbuf_adds(out, "\n");
}

/* In lines of at most 79 characters. */
static void help_add_names(struct strbuf *out, const char *title,
                           const struct help_item *items, size_t n)
{
  size_t column = 0;

  strbuf_addf(out, "%s:", title);
  for (size_t i = 0; i < n; i++) {
    const size_t len = strlen(items[i].name) + 1;

    if (i == 0 || column + len > 79) {
      strbuf_adds(out, "\n ");
      column = 1;
    }
    strbuf_addf(out, " %s", items[i].name);
    column += len;
  }
  strbuf_adds(out, "\n\n");
}

static void help_add_usage(struct strbuf *out, const char *prog)
{
  strbuf_addf(out, "Usage:\n  %s [options]... [testname] [command]\n\n", prog);
}

void help_usage(struct strbuf *out, const char *prog)
{
  help_add_usage(out, prog);
  strbuf_addf(out, "See '%s --help' for all options and tests.\n", prog);
}

void help_drivers(struct strbuf *out, const struct help_lists *lists)
{
  strbuf_adds(out, "Compiled-in database drivers:\n");
  help_add_items(out, lists->drivers, lists->n_drivers);
}

void help_screen(struct strbuf *out, const char *prog, const struct optset *set,
                 const struct help_lists *lists)
{
  const struct block common = { .with = OPT_COMMON, .any_section = true };

  strbuf_addf(out,
              "Usage:\n  %s TEST [options]... COMMAND\n\n"
              "Commands of most tests: prepare run cleanup help\n\n",
              prog);
  help_add_names(out, "Tests", lists->tests, lists->n_tests);
  help_add_names(out, "Scripts for databases", lists->scripts,
                 lists->n_scripts);
  help_add_names(out, "Tools for results, in the place of a test", lists->tools,
                 lists->n_tools);
  strbuf_adds(out, "Options used most:\n");
  help_add_block_of(out, set, &common);
  strbuf_addf(out,
              "%s list: what each test does; %s TEST --help: its options; "
              "%s --help=all: all others\n",
              prog, prog, prog);
}

static void help_add_described(struct strbuf *out, const char *title,
                               const struct help_item *items, size_t n)
{
  size_t width = 0;

  for (size_t i = 0; i < n; i++)
    width = strlen(items[i].name) > width ? strlen(items[i].name) : width;
  strbuf_addf(out, "%s:\n", title);
  for (size_t i = 0; i < n; i++)
    strbuf_addf(out, "  %-*s  %s\n", (int)width, items[i].name, items[i].title);
}

void help_names(struct strbuf *out, const struct help_lists *lists)
{
  help_add_described(out, "Tests", lists->tests, lists->n_tests);
  strbuf_adds(out, "\n");
  help_add_described(out, "Scripts for databases", lists->scripts,
                     lists->n_scripts);
  strbuf_adds(out, "\n");
  help_add_described(out, "Tools for results, in the place of a test",
                     lists->tools, lists->n_tools);
}

/* Not printed by sysbench. */
static void help_add_own_end(struct strbuf *out, const struct optset *set,
                             const struct help_lists *lists)
{
  const struct block old = { .with = OPT_DEPRECATED, .any_section = true };

  if (lists->n_scripts > 0) {
    strbuf_adds(out, "Bundled scripts for databases:\n");
    help_add_items(out, lists->scripts, lists->n_scripts);
  }
  strbuf_adds(out, "Old names of options:\n");
  help_add_block_of(out, set, &old);
}

void help_all(struct strbuf *out, const char *prog, const struct optset *set,
              const struct help_lists *lists)
{
  help_add_usage(out, prog);
  strbuf_adds(out, "Commands understood by most tests: prepare run cleanup "
                   "help\n\nGeneral options:\n");
  help_add_block(out, set, OPT_SECTION_GENERAL, NULL);
  strbuf_adds(out, "Pseudo-Random Numbers Generator options:\n");
  help_add_block(out, set, OPT_SECTION_RANDOM, NULL);
  strbuf_adds(out, "Log options:\n");
  help_add_block(out, set, OPT_SECTION_LOG_LEVEL, NULL);
  help_add_block(out, set, OPT_SECTION_LOG, NULL);
  strbuf_adds(out, "General database options:\n\n");
  help_add_block(out, set, OPT_SECTION_DATABASE, NULL);
  strbuf_adds(out, "\n");

  help_drivers(out, lists);
  for (size_t i = 0; i < lists->n_drivers; i++) {
    strbuf_addf(out, "%s options:\n", lists->drivers[i].name);
    help_add_block(out, set, OPT_SECTION_DRIVER, lists->drivers[i].name);
  }
  strbuf_adds(out, "Compiled-in tests:\n");
  help_add_items(out, lists->tests, lists->n_tests);
  if (lists->n_tools > 0) {
    strbuf_adds(out, "Tools for results, in the place of a test:\n");
    help_add_items(out, lists->tools, lists->n_tools);
  }
  if (!set->as_sysbench)
    help_add_own_end(out, set, lists);
  strbuf_addf(out, "Run '%s TESTNAME help' for the options of one test.\n\n",
              prog);
}

static int help_by_name(const void *a, const void *b)
{
  const struct opt_entry *const *x = a, *const *y = b;

  return strcmp((*x)->row->name, (*y)->row->name);
}

void help_test(struct strbuf *out, const char *name, const struct optset *set)
{
  const struct block b = { .section = OPT_SECTION_TEST };
  const size_t width = help_block_width(set, &b);
  struct opt_entry **found = calloc(set->n + 1, sizeof(struct opt_entry *));
  bool sorted = true;
  size_t n = 0;

  if (!found) {
    out->failed = true;
    return;
  }
  for (size_t i = 0; i < set->n; i++) {
    if (!help_is_in(set->entries[i], &b))
      continue;
    sorted = sorted && set->entries[i]->made;
    found[n++] = set->entries[i];
  }
  if (sorted && n > 0)
    qsort(found, n, sizeof(struct opt_entry *), help_by_name);

  strbuf_addf(out, "%s options:\n", name);
  for (size_t i = 0; i < n; i++)
    help_add_option(out, set, found[i], width);
  strbuf_adds(out, "\n");
  free(found);
}

/* ---- the manual page ---- */

void help_man_text(struct strbuf *out, const char *text)
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

static void man_add_sentence(struct strbuf *out, const char *before,
                             const char *text)
{
  strbuf_adds(out, before);
  help_man_text(out, text);
  strbuf_adds(out, ".\n");
}

/* Unless any text or any list is allowed. */
static void man_add_allowed(struct strbuf *out, const struct opt *row)
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
  man_add_sentence(out, "Allowed: ", strbuf_str(&allowed));
  out->failed = out->failed || allowed.failed;
  strbuf_done(&allowed);
}

static void man_add_default(struct strbuf *out, const struct opt *row)
{
  if (!row->def || !*row->def)
    return;
  strbuf_adds(out, "Default: ");
  help_man_text(out, row->def);
  if (strcmp(row->def, ".") == 0) /* hidden by the end of the sentence */
    strbuf_adds(out, " (the current folder)");
  if (row->def_1_1) {
    strbuf_adds(out, "; at compat level 1.1 ");
    help_man_text(out, row->def_1_1);
  }
  strbuf_adds(out, ".\n");
}

void help_man_options(struct strbuf *out, const struct opt *rows)
{
  for (const struct opt *row = rows; row->type != OPT_TYPE_END; row++) {
    if (row->flags & OPT_HIDDEN)
      continue;
    strbuf_adds(out, ".TP\n.B \\-\\-");
    help_man_text(out, row->name);
    help_man_text(out, help_format(row));
    strbuf_adds(out, "\n");
    help_man_text(out, row->help ? row->help : "");
    man_add_sentence(out, "", row->more ? row->more : "");
    if (row->man) {
      help_man_text(out, row->man);
      strbuf_adds(out, "\n");
    }
    man_add_allowed(out, row);
    man_add_default(out, row);
  }
}
