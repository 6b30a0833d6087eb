#include "opt/help.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "opt/cmdline.h"
#include "opt/optset.h"
#include "opt/value.h"

/* ---- as sysbench prints it ---- */

struct block {
  enum opt_section section;
  const char *owner; /* [opt] */
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

  if (row->sysbench_as)
    return row->sysbench_as;
  return row->show_as && (row->flags & OPT_OWN) ? row->show_as
                                                : formats[row->type];
}

static bool help_is_in(const struct opt_entry *e, const struct block *b)
{
  if (e->section != b->section || (e->row->flags & OPT_HIDDEN) ||
      (e->real && e->made))
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

static void help_add_option(struct strbuf *out, const struct opt_entry *e,
                            size_t width)
{
  const struct opt *row = e->row;
  const char *def = e->real ? e->real->def : e->def;

  strbuf_addf(out, "  --%s%-*s%s", row->name,
              (int)(width - strlen(row->name)) + 1, help_format(row),
              row->help ? row->help : "");
  if (def)
    strbuf_addf(out, " [%s]", def);
  strbuf_adds(out, "\n");
}

static void help_add_block(struct strbuf *out, const struct optset *set,
                           enum opt_section section, const char *owner)
{
  const struct block b = { .section = section, .owner = owner };
  const size_t width = help_block_width(set, &b);

  for (size_t i = 0; i < set->n; i++) {
    if (help_is_in(set->entries[i], &b))
      help_add_option(out, set->entries[i], width);
  }
  strbuf_adds(out, "\n");
}

static void help_add_items(struct strbuf *out, const struct help_item *items,
                           size_t n)
{
  for (size_t i = 0; i < n; i++)
    strbuf_addf(out, "  %s - %s\n", items[i].name, items[i].title);
  strbuf_adds(out, "\n");
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
  help_add_described(out, "Tools, in place of a test", lists->tools,
                     lists->n_tools);
}

void help_sysbench(struct strbuf *out, const char *prog,
                   const struct optset *set, const struct help_lists *lists)
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
    strbuf_adds(out, "Tools, in place of a test:\n");
    help_add_items(out, lists->tools, lists->n_tools);
  }
  strbuf_addf(out, "Run '%s TESTNAME help' for the options of one test.\n\n",
              prog);
}

/* ---- as bench prints it ---- */

enum {
  HELP_WIDTH = 79,
  HELP_COLUMN = 30, /* of the text, at most */
  HELP_SHORT = 24   /* words in a type, at most */
};

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

/* "{a,b}" in a help line, and its end; NULL: none. */
static const char *help_braces(const char *help, const char **ret_end)
{
  const char *open = strchr(help, '{');
  const char *p = open ? open + 1 : NULL;

  while (p && *p && !strchr("{}", *p)) {
    if (*p == ' ' && p[-1] != ',')
      return NULL;
    p++;
  }
  if (!p || *p != '}')
    return NULL;
  *ret_end = p + 1;
  return open;
}

void help_add_choices(struct strbuf *out, const struct opt *row,
                      const char *between)
{
  const char *end, *p = NULL;

  if (row->words &&
      (row->type == OPT_TYPE_WORD || row->type == OPT_TYPE_LIST)) {
    for (size_t i = 0; row->words[i]; i++)
      strbuf_addf(out, "%s%s", i > 0 ? between : "", row->words[i]);
    return;
  }
  if (row->type == OPT_TYPE_STRING && row->help && !row->parse && !row->check)
    p = help_braces(row->help, &end);
  while (p && ++p < end - 1) {
    if (*p == ',')
      strbuf_adds(out, between);
    else if (*p != ' ')
      strbuf_add(out, p, 1);
  }
}

static void help_add_sets(struct strbuf *out, const char *sets)
{
  strbuf_adds(out, "--");
  for (; *sets; sets++) {
    strbuf_add(out, sets, 1);
    strbuf_adds(out, *sets == ' ' ? "--" : "");
  }
}

void help_add_text(struct strbuf *out, const struct opt *row)
{
  const char *help = row->help ? row->help : "";
  const char *end = NULL, *open = help_braces(help, &end);

  if (open)
    strbuf_addf(out, "%.*s%s", (int)(open - help) - (open > help), help, end);
  else
    strbuf_adds(out, help);
  strbuf_adds(out, row->more ? row->more : "");
  if (row->sets && row->type == OPT_TYPE_BOOL) {
    strbuf_adds(out, ": ");
    help_add_sets(out, row->sets[0]);
  }
}

/* True: the type shows every allowed word. */
static bool help_add_type(struct strbuf *out, const struct opt *row)
{
  static const char *const types[] = {
    [OPT_TYPE_BOOL] = "[=on|off]", [OPT_TYPE_INT] = "=COUNT",
    [OPT_TYPE_SIZE] = "=SIZE",     [OPT_TYPE_DOUBLE] = "=NUMBER",
    [OPT_TYPE_STRING] = "=TEXT",   [OPT_TYPE_WORD] = "=WORD",
    [OPT_TYPE_LIST] = "=ITEM,...", [OPT_TYPE_FILE] = "=FILE",
    [OPT_TYPE_TIME] = "=TIME",
  };
  struct strbuf words = { 0 };
  bool all = row->type == OPT_TYPE_BOOL || row->show_as != NULL;

  help_add_choices(&words, row, "|");
  if (row->show_as)
    strbuf_adds(out, row->show_as);
  else if (row->flags & OPT_PERCENT)
    strbuf_adds(out, "=P%");
  else if (row->unit_ns > 0)
    strbuf_adds(out, "=TIME");
  else if (words.len > 0 && row->type == OPT_TYPE_LIST)
    strbuf_adds(out, "=WORD,...");
  else if (words.len > 0 && words.len <= HELP_SHORT)
    all = true, strbuf_addf(out, "=%s", strbuf_str(&words));
  else
    strbuf_adds(out, words.len > 0 ? "=WORD" : types[row->type]);
  out->failed = out->failed || words.failed;
  strbuf_done(&words);
  return all;
}

static void help_add_name(struct strbuf *out, const char *name)
{
  for (; *name; name++)
    strbuf_add(out, *name == '_' ? "-" : name, 1);
}

/* "  --NAME=TYPE". */
static bool help_add_head(struct strbuf *out, const struct opt *row)
{
  strbuf_adds(out, "  --");
  help_add_name(out, row->name);
  return help_add_type(out, row);
}

/* `at`: the current column. */
static void help_wrap(struct strbuf *out, const char *text, size_t column,
                      size_t at)
{
  while (*text) {
    const size_t len = strcspn(text, " ");

    if (at > column && at + 1 + len > HELP_WIDTH) {
      strbuf_adds(out, "\n");
      at = 0;
    }
    if (at > column) {
      strbuf_adds(out, " ");
      at++;
    } else {
      strbuf_addf(out, "%*s", (int)(column - at), "");
      at = column;
    }
    strbuf_add(out, text, len);
    at += len;
    text += len + strspn(text + len, " ");
  }
  strbuf_adds(out, "\n");
}

void help_add_wrapped(struct strbuf *out, const char *title, const char *text)
{
  const size_t len = strlen(title);

  strbuf_adds(out, title);
  help_wrap(out, text, len > 0 ? len + 1 : 0, len);
}

static void help_add_row(struct strbuf *out, const struct opt *row,
                         const char *def, size_t column)
{
  struct strbuf text = { 0 };
  const size_t begin = out->len;
  const bool all = help_add_head(out, row);
  size_t at = out->len - begin;

  if (at + 2 > column) {
    strbuf_adds(out, "\n");
    at = 0;
  }
  help_add_text(&text, row);
  if (!all) {
    const size_t len = text.len;

    strbuf_adds(&text, " {");
    help_add_choices(&text, row, ", ");
    strbuf_adds(&text, "}");
    if (text.len == len + 3)
      text.text[text.len = len] = '\0';
  }
  if (def && *def)
    strbuf_addf(&text, " [%s]", def);
  help_wrap(out, strbuf_str(&text), column, at);
  out->failed = out->failed || text.failed;
  strbuf_done(&text);
}

static size_t help_column(size_t column, const struct opt *row)
{
  struct strbuf head = { 0 };
  size_t width;

  (void)help_add_head(&head, row);
  width = head.len + 2 < HELP_COLUMN ? head.len + 2 : HELP_COLUMN;
  strbuf_done(&head);
  return width > column ? width : column;
}

static bool help_is_in_ring(const struct opt *row, enum cmdline_help ring)
{
  if (row->flags & (OPT_HIDDEN | OPT_DEPRECATED) || row->alias_of)
    return false;
  if (ring == CMDLINE_HELP_COMMON)
    return (row->flags & OPT_COMMON) != 0;
  return ring == CMDLINE_HELP_JSON ||
         ((row->flags & OPT_EXPERT) != 0) == (ring == CMDLINE_HELP_EXPERT);
}

static bool help_is_in_group(const struct opt_entry *e, const char *group,
                             enum cmdline_help ring)
{
  return e->group && strcmp(e->group, group) == 0 &&
         help_is_in_ring(e->row, ring);
}

static void help_add_group(struct strbuf *out, const char *group,
                           const struct optset *set, enum cmdline_help ring)
{
  size_t column = 0;

  for (size_t i = 0; i < set->n; i++) {
    if (help_is_in_group(set->entries[i], group, ring))
      column = help_column(column, set->entries[i]->row);
  }
  if (column == 0)
    return;
  strbuf_addf(out, "%s:\n", group);
  for (size_t i = 0; i < set->n; i++) {
    if (help_is_in_group(set->entries[i], group, ring))
      help_add_row(out, set->entries[i]->row, set->entries[i]->def, column);
  }
  strbuf_adds(out, "\n");
}

static void help_add_rows(struct strbuf *out, const char *name,
                          const struct opt *rows, enum cmdline_help ring)
{
  size_t column = 0;

  for (const struct opt *row = rows; row->type != OPT_TYPE_END; row++) {
    if (help_is_in_ring(row, ring))
      column = help_column(column, row);
  }
  if (column == 0)
    return;
  strbuf_addf(out, "The %s test:\n", name);
  for (const struct opt *row = rows; row->type != OPT_TYPE_END; row++) {
    if (help_is_in_ring(row, ring))
      help_add_row(out, row, row->def, column);
  }
  strbuf_adds(out, "\n");
}

static void help_add_old_name(struct strbuf *out, const struct opt *row)
{
  if (!row->alias_of || row->flags & OPT_HIDDEN)
    return;
  strbuf_adds(out, "  --");
  help_add_name(out, row->name);
  strbuf_adds(out, ": --");
  help_add_name(out, row->alias_of);
  strbuf_adds(out, "\n");
}

static void help_add_old_names(struct strbuf *out, const struct optset *set,
                               const struct help_lists *lists)
{
  strbuf_adds(out, "Old names:\n");
  for (size_t i = 0; i < set->n; i++)
    help_add_old_name(out, set->entries[i]->row);
  for (size_t i = 0; i < lists->n_tests; i++) {
    for (const struct opt *row = lists->tests[i].opts;
         row->type != OPT_TYPE_END; row++) {
      if (row->aliases)
        strbuf_addf(out, "  --%s: --%s\n", row->aliases, row->name);
    }
  }
  strbuf_adds(out, "\n");
}

void help_ring(struct strbuf *out, const char *prog, const struct optset *set,
               const struct help_lists *lists, enum cmdline_help ring)
{
  if (ring == CMDLINE_HELP_COMMON) {
    strbuf_addf(out,
                "Usage:\n  %s TEST [options]... COMMAND\n\n"
                "Commands of most tests: prepare run cleanup help\n\n",
                prog);
    help_add_names(out, "Tests", lists->tests, lists->n_tests);
    help_add_names(out, "Scripts for databases", lists->scripts,
                   lists->n_scripts);
    help_add_names(out, "Tools, in place of a test", lists->tools,
                   lists->n_tools);
  }
  for (const char *const *group = lists->groups; *group; group++)
    help_add_group(out, *group, set, ring);
  for (size_t i = 0; i < lists->n_tests && ring == CMDLINE_HELP_EXPERT; i++)
    help_add_rows(out, lists->tests[i].name, lists->tests[i].opts, ring);
  if (ring == CMDLINE_HELP_EXPERT)
    help_add_old_names(out, set, lists);
  strbuf_addf(out,
              "%s TEST help: commands and options of one test; %s list: all "
              "tests\n%s --help=%s: %s options\n",
              prog, prog, prog, ring == CMDLINE_HELP_ALL ? "expert" : "all",
              ring == CMDLINE_HELP_COMMON ? "more" : "other");
}

static int help_by_name(const void *a, const void *b)
{
  const struct opt_entry *const *x = a, *const *y = b;

  return strcmp((*x)->row->name, (*y)->row->name);
}

void help_test(struct strbuf *out, const char *name, const struct optset *set)
{
  const struct block b = { .section = OPT_SECTION_TEST };
  size_t width = set->as_sysbench ? help_block_width(set, &b) : 0;
  struct opt_entry **found = calloc(set->n + 1, sizeof(struct opt_entry *));
  struct strbuf old = { 0 };
  bool sorted = true;
  size_t n = 0;

  if (!found) {
    out->failed = true;
    return;
  }
  for (size_t i = 0; i < set->n; i++) {
    if (!set->as_sysbench && set->entries[i]->section == b.section &&
        set->entries[i]->real) {
      help_add_old_name(&old, set->entries[i]->row);
      continue;
    }
    if (!help_is_in(set->entries[i], &b))
      continue;
    sorted = sorted && set->entries[i]->made;
    found[n++] = set->entries[i];
    if (!set->as_sysbench)
      width = help_column(width, set->entries[i]->row);
  }
  if (sorted && n > 0)
    qsort(found, n, sizeof(struct opt_entry *), help_by_name);

  if (n > 0 || set->as_sysbench)
    strbuf_addf(out, "%s options:\n", name);
  for (size_t i = 0; i < n; i++) {
    if (set->as_sysbench)
      help_add_option(out, found[i], width);
    else
      help_add_row(out, found[i]->row, found[i]->def, width);
  }
  strbuf_adds(out, "\n");
  if (old.len > 0)
    strbuf_addf(out, "Old names:\n%s\n", strbuf_str(&old));
  out->failed = out->failed || old.failed;
  strbuf_done(&old);
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

/* Nothing if any text or any list is allowed. */
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
  if (strcmp(row->def, ".") == 0) /* the end of the sentence would hide it */
    strbuf_adds(out, " (the current folder)");
  if (row->def_1_1) {
    strbuf_adds(out, "; at compat level 1.1 ");
    help_man_text(out, row->def_1_1);
  }
  strbuf_adds(out, ".\n");
}

static void man_add_sets(struct strbuf *out, const struct opt *row)
{
  struct strbuf text = { 0 };

  if (!row->sets || row->type != OPT_TYPE_WORD)
    return;
  for (size_t i = 0; row->words[i]; i++) {
    strbuf_addf(&text, "%s%s is ", i > 0 ? "; " : "", row->words[i]);
    help_add_sets(&text, row->sets[i]);
  }
  man_add_sentence(out, "", strbuf_str(&text));
  out->failed = out->failed || text.failed;
  strbuf_done(&text);
}

static void man_add_option(struct strbuf *out, const struct opt *row)
{
  struct strbuf head = { 0 }, text = { 0 };

  if (row->flags & OPT_HIDDEN)
    return;
  (void)help_add_head(&head, row);
  help_add_text(&text, row);
  strbuf_adds(out, ".TP\n.B ");
  help_man_text(out, strbuf_str(&head) + strspn(strbuf_str(&head), " "));
  strbuf_adds(out, "\n");
  man_add_sentence(out, "", strbuf_str(&text));
  out->failed = out->failed || head.failed || text.failed;
  strbuf_done(&head);
  strbuf_done(&text);
  if (row->man) {
    help_man_text(out, row->man);
    strbuf_adds(out, "\n");
  }
  man_add_sets(out, row);
  man_add_allowed(out, row);
  man_add_default(out, row);
  if (row->aliases)
    man_add_sentence(out, "Old names: ", row->aliases);
}

void help_man_options(struct strbuf *out, const struct opt *rows)
{
  for (const struct opt *row = rows; row->type != OPT_TYPE_END; row++)
    man_add_option(out, row);
}
