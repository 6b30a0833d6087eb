#include "tools/table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "tools/units.h"

void table_done(struct table *t)
{
  if (!t)
    return;
  for (size_t i = 0; i < t->n; i++)
    free(t->cells[i]);
  free(t->cells);
  free(t->column);
  *t = (struct table){ 0 };
}

void table_cell(struct table *t, const char *text)
{
  struct strbuf shown = { 0 };

  if (t->n == t->room) {
    const size_t room = t->room ? 2 * t->room : 64;
    char **cells = realloc(t->cells, room * sizeof(*cells));

    if (!cells) {
      t->failed = true;
      return;
    }
    t->cells = cells;
    t->room = room;
  }
  utf8_add_shown(&shown, text, strlen(text), "\n\r\t");
  t->cells[t->n] = mem_strdup(strbuf_str(&shown));
  t->failed |= !t->cells[t->n] || shown.failed;
  t->n += t->cells[t->n] != NULL;
  strbuf_done(&shown);
}

void table_cellf(struct table *t, const char *fmt, ...)
{
  struct strbuf text = { 0 };
  va_list ap;

  va_start(ap, fmt);
  strbuf_vaddf(&text, fmt, ap);
  va_end(ap);
  table_cell(t, strbuf_str(&text));
  strbuf_done(&text);
}

void table_time(struct table *t, double ns)
{
  char text[UNIT_SIZE];

  table_cell(t, unit_time(text, ns));
}

void table_count(struct table *t, double value)
{
  char text[UNIT_SIZE];

  table_cell(t, unit_count(text, value));
}

/* A number, perhaps with a unit. */
static bool table_is_numeric(const char *text)
{
  return !*text || strcmp(text, "-") == 0 ||
         (strchr("0123456789+-.", *text) != NULL &&
          strspn(text, "0123456789+-.%xKMGTunms ") == strlen(text));
}

/* In characters. */
static size_t table_width_of(const char *text)
{
  size_t n = 0;

  for (; *text; text++)
    n += ((unsigned char)*text & 0xc0) != 0x80;
  return n;
}

static void table_make_columns(struct table *t)
{
  t->column = calloc(t->n + 1, sizeof(*t->column));
  if (!t->column) {
    t->failed = true;
    return;
  }
  t->columns = t->n;
  for (size_t c = 0; c < t->columns; c++)
    t->column[c] = (struct table_column){ table_width_of(t->cells[c]), true };
}

static void table_note_row(struct table *t)
{
  char *const *row = &t->cells[t->n - t->columns];

  for (size_t c = 0; c < t->columns; c++) {
    const size_t width = table_width_of(row[c]);

    if (width > t->column[c].width)
      t->column[c].width = width;
    t->column[c].numeric = t->column[c].numeric && table_is_numeric(row[c]);
  }
}

void table_end_row(struct table *t)
{
  if (t->columns == 0) {
    table_make_columns(t);
    return;
  }
  while (!t->failed && t->n % t->columns != 0)
    table_cell(t, "");
  if (!t->failed && t->n > t->columns)
    table_note_row(t);
}

static size_t rows_of(const struct table *t)
{
  return t->columns > 0 ? t->n / t->columns : 0;
}

bool table_right_aligned(const struct table *t, size_t column)
{
  return t->column[column].numeric;
}

static void table_add_blanks(struct strbuf *out, size_t n)
{
  while (n-- > 0)
    strbuf_adds(out, " ");
}

/* Newlines become blanks; `special` ones get a backslash. */
static void table_add_in_line(struct strbuf *out, const char *cell,
                              const char *special)
{
  for (; *cell; cell++) {
    if (strchr(special, *cell))
      strbuf_adds(out, "\\");
    strbuf_add(out, *cell == '\n' || *cell == '\r' ? " " : cell, 1);
  }
}

static void table_print_text(const struct table *t, struct strbuf *out)
{
  for (size_t r = 0; r < rows_of(t); r++) {
    size_t owed = 0; /* blanks that must not end a line */

    for (size_t c = 0; c < t->columns; c++) {
      const char *cell = t->cells[r * t->columns + c];
      const size_t pad = t->column[c].width - table_width_of(cell);
      const bool right = table_right_aligned(t, c);

      if (right)
        owed += pad;
      if (*cell) {
        table_add_blanks(out, owed);
        owed = 0;
      }
      table_add_in_line(out, cell, "");
      owed += 2 + (right ? 0 : pad);
    }
    strbuf_adds(out, "\n");
  }
}

/* Statements contain stars, quotes and comparisons. */
static const char markup[] = "|*<`\\";

void table_add_text(struct strbuf *out, const char *text,
                    enum table_format format)
{
  struct strbuf shown = { 0 };

  utf8_add_shown(&shown, text, strlen(text), "\n\r\t");
  table_add_in_line(out, strbuf_str(&shown),
                    format == TABLE_MARKDOWN ? markup : "");
  strbuf_done(&shown);
}

static void table_print_markdown(const struct table *t, struct strbuf *out)
{
  for (size_t r = 0; r < rows_of(t); r++) {
    for (size_t c = 0; c < t->columns; c++) {
      strbuf_adds(out, c > 0 ? " | " : "| ");
      table_add_in_line(out, t->cells[r * t->columns + c], markup);
    }
    strbuf_adds(out, " |\n");
    for (size_t c = 0; r == 0 && c < t->columns; c++)
      strbuf_addf(out, "|%s", table_right_aligned(t, c) ? "---:" : "---");
    strbuf_adds(out, r == 0 ? "|\n" : "");
  }
}

static void table_add_csv_cell(struct strbuf *out, const char *cell)
{
  if (!strpbrk(cell, ",\"\n\r")) {
    strbuf_adds(out, cell);
    return;
  }
  strbuf_adds(out, "\"");
  for (; *cell; cell++)
    strbuf_addf(out, "%s%c", *cell == '"' ? "\"" : "", *cell);
  strbuf_adds(out, "\"");
}

static void table_print_csv(const struct table *t, struct strbuf *out)
{
  for (size_t r = 0; r < rows_of(t); r++) {
    for (size_t c = 0; c < t->columns; c++) {
      strbuf_adds(out, c > 0 ? "," : "");
      table_add_csv_cell(out, t->cells[r * t->columns + c]);
    }
    strbuf_adds(out, "\n");
  }
}

void table_print(const struct table *t, enum table_format format,
                 struct strbuf *out)
{
  if (t->failed)
    out->failed = true;
  else if (format == TABLE_TEXT)
    table_print_text(t, out);
  else if (format == TABLE_MARKDOWN)
    table_print_markdown(t, out);
  else
    table_print_csv(t, out);
}
