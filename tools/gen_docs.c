/*
 * gen_docs.c - writes what follows from the option rows: the OPTIONS part of
 * the manual page, and the words that shells complete.
 *
 * usage: gen_docs man|bash|zsh|fish TEMPLATE [SCRIPT]...
 *        gen_docs tool TEMPLATE TOOL
 *
 * A line @OPTIONS@ of the template is replaced by the generated text, @INDEX@
 * by an index of the options, @TOOL_LIST@ by the tools with their summaries,
 * @TOOL@, @SUMMARY@ and @USAGE@ by what one tool says of itself, and @VERSION@,
 * @TESTS@, @ALL_TOOLS@, @TOOLS@ (which take files), @OWN_TOOLS@ (which take no
 * options of tests), @DATA_TESTS@ (which have prepare and cleanup) and
 * @SCRIPTS@ by what they say.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "db/driver.h"
#include "drivers/driver_list.h"
#include "gen_docs.h"
#include "opt/help.h"
#include "program/options.h"
#include "run/test.h"
#include "tests/test_list.h"
#include "tools/tool.h"

static void add_table(struct docs *d, const char *test, const struct opt *rows,
                      const char *format, const char *name)
{
  if (d->n == MOST_TABLES) {
    (void)fputs("gen_docs: too many tables\n", stderr);
    exit(1);
  }
  (void)snprintf(d->title[d->n], sizeof(d->title[0]), format, name);
  d->table[d->n] = (struct table){ d->title[d->n], test, rows };
  d->n++;
}

static void add_word(struct strbuf *b, const char *word)
{
  strbuf_addf(b, "%s%s", b->len > 0 ? " " : "", word);
}

/* Copies the rows of a group. */
static void add_rows(struct docs *d, const struct opt *rows, const char *group)
{
  const char *at = "";

  for (; rows->type != OPT_TYPE_END; rows++) {
    at = rows->group ? rows->group : at;
    if (strcmp(at, group) != 0)
      continue;
    if (d->n_rows + 1 == MOST_OPTIONS) {
      (void)fputs("gen_docs: too many options\n", stderr);
      exit(1);
    }
    d->rows[d->n_rows++] = *rows;
  }
}

/* The options of the program and of drivers, by groups as in the help. */
static void add_program(struct docs *d)
{
  for (const char *const *group = program_groups; *group; group++) {
    const struct opt *first = d->rows + d->n_rows;

    for (size_t i = 0; i < PROGRAM_TABLES; i++)
      add_rows(d, program_tables[i].rows, *group);
    for (const struct driver *const *p = driver_list; *p; p++)
      add_rows(d, (*p)->opts, *group);
    d->rows[d->n_rows++] = (struct opt)OPT_END;
    add_table(d, NULL, first, "%s", *group);
  }
}

static void collect(struct docs *d, char **scripts)
{
  add_program(d);
  for (const struct tool *const *p = tool_list; *p; p++) {
    add_table(d, (*p)->name, (*p)->opts, "The %s tool", (*p)->name);
    add_word(&d->all_tools, (*p)->name);
    strbuf_addf(&d->pages, "%s.BR bench\\-", p == tool_list ? "" : ",\n");
    help_man_text(&d->pages, (*p)->name);
    strbuf_adds(&d->pages, " (1)");
    if (tool_takes_files(*p))
      add_word(&d->tools, (*p)->name);
    if (!(*p)->takes_any_option && !(*p)->uses_database)
      add_word(&d->own_tools, (*p)->name);
  }
  for (size_t i = 0; i < test_list_len; i++) {
    if (test_list[i]->hidden)
      continue;
    add_table(d, test_list[i]->name, test_list[i]->opts, "The %s test",
              test_list[i]->name);
    add_word(&d->tests, test_list[i]->name);
    if (test_list[i]->ops->prepare)
      add_word(&d->data_tests, test_list[i]->name);
  }
  for (; *scripts; scripts++) {
    const char *slash = strrchr(*scripts, '/');
    char *name = strdup(slash ? slash + 1 : *scripts), *dot;

    dot = name ? strrchr(name, '.') : NULL;
    if (dot)
      *dot = '\0';
    if (name && strcmp(name, "oltp_common") != 0)
      add_word(&d->scripts, name);
    free(name);
  }
}

static const struct kind {
  const char *name;
  void (*write)(struct strbuf *out, const struct docs *d);
} kinds[] = {
  { "man", docs_man },   { "bash", docs_bash }, { "zsh", docs_zsh },
  { "fish", docs_fish }, { "tool", docs_tool },
};

/* False: there is no tool of this name. */
static bool choose_tool(struct docs *d, const char *name)
{
  for (const struct tool *const *p = tool_list; name && *p; p++) {
    if (strcmp((*p)->name, name) == 0)
      d->tool = *p;
  }
  if (d->tool)
    help_man_text(&d->usage, d->tool->usage);
  return d->tool != NULL;
}

/* A line of the template, with the words between @ replaced. */
static void add_line(struct strbuf *out, const char *line, const struct docs *d)
{
  const struct {
    const char *word, *text;
  } words[] = {
    { "@VERSION@", PACKAGE_VERSION },
    { "@TESTS@", strbuf_str(&d->tests) },
    { "@TOOLS@", strbuf_str(&d->tools) },
    { "@ALL_TOOLS@", strbuf_str(&d->all_tools) },
    { "@OWN_TOOLS@", strbuf_str(&d->own_tools) },
    { "@DATA_TESTS@", strbuf_str(&d->data_tests) },
    { "@SCRIPTS@", strbuf_str(&d->scripts) },
    { "@TOOL@", d->tool ? d->tool->name : "" },
    { "@SUMMARY@", d->tool ? d->tool->summary : "" },
    { "@USAGE@", strbuf_str(&d->usage) },
    { "@TOOL_PAGES@", strbuf_str(&d->pages) },
  };

  for (; *line; line++) {
    size_t i = 0;

    while (i < ARRAY_SIZE(words) &&
           strncmp(line, words[i].word, strlen(words[i].word)) != 0)
      i++;
    if (i == ARRAY_SIZE(words)) {
      strbuf_add(out, line, 1);
    } else {
      strbuf_adds(out, words[i].text);
      line += strlen(words[i].word) - 1;
    }
  }
}

/* What is generated may have words to replace as well. */
static void write_options(struct strbuf *out, const struct kind *kind,
                          const struct docs *d)
{
  struct strbuf text = { 0 };

  kind->write(&text, d);
  add_line(out, strbuf_str(&text), d);
  out->failed = out->failed || text.failed;
  strbuf_done(&text);
}

static int fill_in(struct strbuf *out, const char *path,
                   const struct kind *kind, const struct docs *d)
{
  FILE *f = fopen(path, "re");
  char line[1024];

  if (!f) {
    perror(path);
    return 1;
  }
  while (fgets(line, sizeof(line), f)) {
    if (strcmp(line, "@OPTIONS@\n") == 0)
      write_options(out, kind, d);
    else if (strcmp(line, "@INDEX@\n") == 0)
      docs_index(out, d);
    else if (strcmp(line, "@TOOL_LIST@\n") == 0)
      docs_tool_list(out);
    else
      add_line(out, line, d);
  }
  (void)fclose(f);
  return 0;
}

int main(int argc, char **argv)
{
  static struct docs docs;
  const struct kind *kind = NULL;
  struct strbuf out = { 0 };
  int status;

  for (size_t i = 0; argc > 2 && i < ARRAY_SIZE(kinds); i++) {
    if (strcmp(argv[1], kinds[i].name) == 0)
      kind = &kinds[i];
  }
  if (!kind) {
    (void)fputs("usage: gen_docs man|bash|zsh|fish TEMPLATE "
                "[SCRIPT]...\n",
                stderr);
    return 1;
  }
  if (kind->write == docs_tool && !choose_tool(&docs, argv[3])) {
    (void)fputs("gen_docs: there is no such tool\n", stderr);
    return 1;
  }
  collect(&docs, argv + 3);
  status = fill_in(&out, argv[2], kind, &docs);
  if (out.failed || fwrite(strbuf_str(&out), 1, out.len, stdout) != out.len ||
      fflush(stdout) != 0)
    status = 1;
  strbuf_done(&out);
  strbuf_done(&docs.tests);
  strbuf_done(&docs.tools);
  strbuf_done(&docs.all_tools);
  strbuf_done(&docs.own_tools);
  strbuf_done(&docs.data_tests);
  strbuf_done(&docs.scripts);
  strbuf_done(&docs.usage);
  strbuf_done(&docs.pages);
  return status;
}
