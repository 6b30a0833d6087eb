/*
 * gen_shells.c - the options and their values, for completion by shells.
 */
#include <string.h>

#include "base/compiler.h"
#include "db/driver.h"
#include "drivers/driver_list.h"
#include "gen_docs.h"
#include "opt/help.h"
#include "tools/tool.h"

bool docs_is_offered(const struct opt *row)
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

/* Their values name files or options. */
static bool is_of_steps(const struct table *t)
{
  return strcmp(t->title, "Sweeps and searches") == 0 ||
         strcmp(t->title, "Result files") == 0;
}

static void add_choices(struct strbuf *out, const struct opt *row)
{
  if (row->type == OPT_TYPE_BOOL && !row->words) {
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
  return docs_is_offered(row) && row->type != OPT_TYPE_FILE &&
         !(row->flags & (OPT_PATH | OPT_SECRET)) &&
         strcmp(row->name, "help") != 0 && strcmp(row->name, "version") != 0;
}

static void add_swept(struct strbuf *out, const struct docs *d)
{
  for (size_t i = 0; i < d->n; i++) {
    const struct table *t = &d->table[i];

    if (is_tool(t) || is_of_steps(t))
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
      if (docs_is_offered(row))
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

void docs_bash(struct strbuf *out, const struct docs *d)
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
      if (!docs_is_offered(row) || !has_words(row))
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
    if (docs_is_offered(row))
      zsh_row(out, row);
  }
}

/* A tool has its own options alone. */
void docs_zsh(struct strbuf *out, const struct docs *d)
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

void docs_fish(struct strbuf *out, const struct docs *d)
{
  strbuf_adds(out, "function __bench_swept\n    printf '%s:\\n'");
  add_swept(out, d);
  strbuf_adds(out, "\nend\n");
  for (size_t i = 0; i < d->n; i++) {
    const struct opt *row = d->table[i].rows;

    for (; row && row->type != OPT_TYPE_END; row++) {
      if (docs_is_offered(row))
        fish_row(out, &d->table[i], row);
    }
  }
}
