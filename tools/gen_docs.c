/*
 * gen_docs.c - writes what follows from the option rows: the OPTIONS part of
 * the manual page, and the words that shells complete.
 *
 * usage: gen_docs man|bash|zsh|fish TEMPLATE [SCRIPT]...
 *
 * A line @OPTIONS@ of the template is replaced by the generated text, @INDEX@
 * by an index of the options, and @VERSION@, @TESTS@, @TOOLS@, @OWN_TOOLS@
 * (which take no options of tests), @DATA_TESTS@ (which have prepare and
 * cleanup) and @SCRIPTS@ by what they say.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "db/driver.h"
#include "drivers/driver_list.h"
#include "opt/core_opts.h"
#include "opt/help.h"
#include "opt/man.h"
#include "results/options.h"
#include "run/test.h"
#include "tests/test_list.h"
#include "tools/sweep_opts.h"
#include "tools/tool.h"

/* Where rows come from: NULL for the program itself, else a test's name. */
struct table {
  const char *title;
  const char *test;
  const struct opt *rows;
};

enum {
  MOST_TABLES = 64,
  MOST_OPTIONS = 512
};

struct docs {
  struct table table[MOST_TABLES];
  size_t n;
  char title[MOST_TABLES][64];
  /* Names, a blank between them. */
  struct strbuf tests, tools, own_tools, data_tests, scripts;
};

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

static void collect(struct docs *d, char **scripts)
{
  add_table(d, NULL, core_general_opts, "%s", "General options");
  add_table(d, NULL, results_opts, "%s", "Result files");
  add_table(d, NULL, sweep_opts, "%s", "Sweeps");
  add_table(d, NULL, core_rand_opts, "%s", "Random numbers");
  add_table(d, NULL, core_log_level_opts, "%s", "Messages");
  add_table(d, NULL, core_log_opts, "%s", "Latency statistics");
  add_table(d, NULL, core_db_opts, "%s", "Databases");
  for (const struct driver *const *p = driver_list; *p; p++)
    add_table(d, NULL, (*p)->opts, "The %s driver", (*p)->name);
  for (const struct tool *const *p = tool_list; *p; p++) {
    add_table(d, (*p)->name, (*p)->opts, "The %s tool", (*p)->name);
    add_word(&d->tests, (*p)->name);
    add_word(&d->tools, (*p)->name);
    if (!(*p)->takes_any_option)
      add_word(&d->own_tools, (*p)->name);
  }
  for (size_t i = 0; i < test_list_len; i++) {
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

static void man_all(struct strbuf *out, const struct docs *d)
{
  struct strbuf text = { 0 };

  for (size_t i = 0; i < d->n; i++) {
    if (!d->table[i].rows || d->table[i].rows->type == OPT_TYPE_END)
      continue;
    strbuf_addf(&text, ".SS %s\n", d->table[i].title);
    man_options(&text, d->table[i].rows);
  }
  fold(out, strbuf_str(&text));
  out->failed = out->failed || text.failed;
  strbuf_done(&text);
}

/* Deprecated names work, but nobody needs to be led to them. */
static bool is_offered(const struct opt *row)
{
  return !(row->flags & (OPT_HIDDEN | OPT_DEPRECATED));
}

static bool names_driver(const struct opt *row)
{
  return strcmp(row->name, "db-driver") == 0;
}

static bool names_file(const struct opt *row)
{
  return row->type == OPT_TYPE_FILE || (row->flags & OPT_PATH);
}

static bool has_words(const struct opt *row)
{
  return row->type == OPT_TYPE_BOOL || row->words || names_driver(row);
}

static void add_choices(struct strbuf *out, const struct opt *row)
{
  if (row->type == OPT_TYPE_BOOL) {
    strbuf_adds(out, "on off");
    return;
  }
  if (names_driver(row)) {
    for (const struct driver *const *d = driver_list; *d; d++)
      strbuf_addf(out, "%s%s", d == driver_list ? "" : " ", (*d)->name);
    return;
  }
  for (const char *const *w = row->words; *w; w++)
    strbuf_addf(out, "%s%s", w == row->words ? "" : " ", *w);
}

static bool is_tool(const struct table *t)
{
  for (const struct tool *const *p = tool_list; t->test && *p; p++) {
    if (strcmp((*p)->name, t->test) == 0 && !(*p)->takes_any_option)
      return true;
  }
  return false;
}

static bool has_rows(const struct table *t)
{
  return t->rows && t->rows->type != OPT_TYPE_END;
}

/* A sweep names an option of the program, or of the test. */
static bool is_swept(const struct opt *row)
{
  return is_offered(row) && row->type != OPT_TYPE_FILE &&
         !(row->flags & (OPT_PATH | OPT_SECRET)) &&
         strcmp(row->name, "help") != 0 && strcmp(row->name, "version") != 0;
}

static void add_swept(struct strbuf *out, const struct docs *d)
{
  for (size_t i = 0; i < d->n; i++) {
    const struct table *t = &d->table[i];

    if (is_tool(t) || t->rows == sweep_opts || t->rows == results_opts)
      continue;
    for (const struct opt *row = t->rows; row && row->type != OPT_TYPE_END;
         row++) {
      if (is_swept(row))
        strbuf_addf(out, " %s", row->name);
    }
  }
}

/* An option that needs a value is completed up to its `=`. */
static void bash_names(struct strbuf *out, const struct docs *d,
                       const char *test)
{
  for (size_t i = 0; i < d->n; i++) {
    const struct table *t = &d->table[i];

    if (!t->rows ||
        (t->test != test && (!t->test || !test || strcmp(t->test, test) != 0)))
      continue;
    for (const struct opt *row = t->rows; row->type != OPT_TYPE_END; row++) {
      if (is_offered(row))
        strbuf_addf(out, " --%s%s", row->name,
                    row->type == OPT_TYPE_BOOL ? "" : "=");
    }
  }
}

/* A question: does the value of an option name a file? */
static void bash_files(struct strbuf *out, const struct docs *d)
{
  size_t n = 0;

  strbuf_adds(out, "\n# Does an option name a file?\n"
                   "_bench_names_file() {\n  case $1 in\n    ");
  for (size_t i = 0; i < d->n; i++) {
    const struct opt *row = d->table[i].rows;

    for (; row && row->type != OPT_TYPE_END; row++) {
      if (names_file(row))
        strbuf_addf(out, "%s--%s", n++ > 0 ? " | " : "", row->name);
    }
  }
  strbuf_adds(out, ") return 0 ;;\n    *) return 1 ;;\n  esac\n}\n");
}

static void bash_all(struct strbuf *out, const struct docs *d)
{
  strbuf_adds(out, "# The options of a test, or of the program itself.\n"
                   "_bench_options() {\n  case $1 in\n    '') echo \"");
  bash_names(out, d, NULL);
  strbuf_adds(out, "\" ;;\n");
  for (size_t i = 0; i < d->n; i++) {
    if (!d->table[i].test)
      continue;
    strbuf_addf(out, "    %s) echo \"", d->table[i].test);
    bash_names(out, d, d->table[i].test);
    strbuf_adds(out, "\" ;;\n");
  }
  strbuf_adds(out,
              "  esac\n}\n\n# The words that an option of a test, or of the "
              "program itself, allows.\n"
              "_bench_values() {\n  case $1$2 in\n");
  for (size_t i = 0; i < d->n; i++) {
    const struct opt *row = d->table[i].rows;

    for (; row && row->type != OPT_TYPE_END; row++) {
      if (!is_offered(row) || !has_words(row))
        continue;
      strbuf_addf(out, "    %s--%s) echo \"",
                  d->table[i].test ? d->table[i].test : "*", row->name);
      add_choices(out, row);
      strbuf_adds(out, "\" ;;\n");
    }
  }
  strbuf_adds(out, "  esac\n}\n");
  bash_files(out, d);
  strbuf_adds(out, "\n# Options that can be swept.\n_bench_swept='");
  add_swept(out, d);
  strbuf_adds(out, "'\n");
}

/* Inside single quotes, where _arguments takes some characters for itself. */
static void zsh_text(struct strbuf *out, const char *text)
{
  for (; *text; text++) {
    if (*text == '\'')
      strbuf_adds(out, "'\\''");
    else if (strchr("[]:\\", *text))
      strbuf_addf(out, "\\%c", *text);
    else
      strbuf_add(out, text, 1);
  }
}

static void zsh_row(struct strbuf *out, const struct opt *row)
{
  const bool flag = row->type == OPT_TYPE_BOOL || row->bare;

  strbuf_addf(out, "    '--%s=-[", row->name);
  zsh_text(out, row->help ? row->help : "");
  strbuf_adds(out, flag ? "]::" : "]:");
  strbuf_addf(out, "%s:", row->name);
  if (has_words(row)) {
    strbuf_adds(out, "(");
    add_choices(out, row);
    strbuf_adds(out, ")");
  } else if (strcmp(row->name, "sweep") == 0) {
    strbuf_adds(out, "_bench_swept");
  } else {
    strbuf_adds(out, names_file(row) ? "_files" : " ");
  }
  strbuf_adds(out, "'\n");
}

static void zsh_rows(struct strbuf *out, const struct opt *row)
{
  for (; row && row->type != OPT_TYPE_END; row++) {
    if (is_offered(row))
      zsh_row(out, row);
  }
}

/* A tool has its own options alone. */
static void zsh_all(struct strbuf *out, const struct docs *d)
{
  strbuf_adds(out, "  swept=(");
  add_swept(out, d);
  strbuf_adds(out, ")\n  options=(\n");
  for (size_t i = 0; i < d->n; i++) {
    if (!d->table[i].test)
      zsh_rows(out, d->table[i].rows);
  }
  strbuf_adds(out, "  )\n");
  for (size_t i = 0; i < d->n; i++) {
    const struct table *t = &d->table[i];

    if (!t->test || !has_rows(t))
      continue;
    strbuf_addf(out, "  [[ $test == %s ]] && options%s=(\n", t->test,
                is_tool(t) ? "" : "+");
    zsh_rows(out, t->rows);
    strbuf_adds(out, "  )\n");
  }
}

/* Inside single quotes. */
static void fish_text(struct strbuf *out, const char *text)
{
  for (; *text; text++) {
    if (*text == '\'' || *text == '\\')
      strbuf_adds(out, "\\");
    strbuf_add(out, text, 1);
  }
}

static void fish_row(struct strbuf *out, const struct table *t,
                     const struct opt *row)
{
  const bool flag = row->type == OPT_TYPE_BOOL || row->bare;

  strbuf_adds(out, "complete -c bench -n '");
  if (t->test)
    strbuf_addf(out, "__bench_is %s", t->test);
  else
    strbuf_adds(out, "not __bench_is @OWN_TOOLS@");
  strbuf_addf(out, "' -l %s", row->name);
  if (names_file(row))
    strbuf_adds(out, " -r -F");
  else if (strcmp(row->name, "sweep") == 0)
    strbuf_adds(out, " -x -a '(__bench_swept)'");
  else if (has_words(row)) {
    strbuf_adds(out, flag ? " -f -a '" : " -x -a '");
    add_choices(out, row);
    strbuf_adds(out, "'");
  } else {
    strbuf_adds(out, flag ? " -f" : " -x");
  }
  strbuf_adds(out, " -d '");
  fish_text(out, row->help ? row->help : "");
  strbuf_adds(out, "'\n");
}

static void fish_all(struct strbuf *out, const struct docs *d)
{
  strbuf_adds(out, "function __bench_swept\n    printf '%s:\\n'");
  add_swept(out, d);
  strbuf_adds(out, "\nend\n");
  for (size_t i = 0; i < d->n; i++) {
    const struct opt *row = d->table[i].rows;

    for (; row && row->type != OPT_TYPE_END; row++) {
      if (is_offered(row))
        fish_row(out, &d->table[i], row);
    }
  }
}

static int by_name(const void *a, const void *b)
{
  const struct opt *const *x = a, *const *y = b;

  return strcmp((*x)->name, (*y)->name);
}

/* Each option once, with the section that describes it. */
static void man_index(struct strbuf *out, const struct docs *d)
{
  const struct opt *rows[MOST_OPTIONS];
  const struct table *tables[MOST_OPTIONS];
  const struct opt *sorted[MOST_OPTIONS];
  size_t n = 0;

  for (size_t i = 0; i < d->n; i++) {
    const struct opt *row = d->table[i].rows;

    for (; row && row->type != OPT_TYPE_END && n < MOST_OPTIONS; row++) {
      if (is_offered(row)) {
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
    man_text(out, sorted[i]->name);
    strbuf_adds(out, "\\fR \\(en ");
    man_text(out, tables[k]->title);
    strbuf_adds(out, "\n");
  }
}

static const struct kind {
  const char *name;
  void (*write)(struct strbuf *out, const struct docs *d);
} kinds[] = {
  { "man", man_all },
  { "bash", bash_all },
  { "zsh", zsh_all },
  { "fish", fish_all },
};

/* A line of the template, with the words between @ replaced. */
static void add_line(struct strbuf *out, const char *line, const struct docs *d)
{
  const struct {
    const char *word, *text;
  } words[] = {
    { "@VERSION@", PACKAGE_VERSION },
    { "@TESTS@", strbuf_str(&d->tests) },
    { "@TOOLS@", strbuf_str(&d->tools) },
    { "@OWN_TOOLS@", strbuf_str(&d->own_tools) },
    { "@DATA_TESTS@", strbuf_str(&d->data_tests) },
    { "@SCRIPTS@", strbuf_str(&d->scripts) },
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
      man_index(out, d);
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
  collect(&docs, argv + 3);
  status = fill_in(&out, argv[2], kind, &docs);
  if (out.failed || fwrite(strbuf_str(&out), 1, out.len, stdout) != out.len ||
      fflush(stdout) != 0)
    status = 1;
  strbuf_done(&out);
  strbuf_done(&docs.tests);
  strbuf_done(&docs.tools);
  strbuf_done(&docs.own_tools);
  strbuf_done(&docs.data_tests);
  strbuf_done(&docs.scripts);
  return status;
}
