/*
 * table.h - rows and columns of text, printed aligned, as Markdown or as
 * comma-separated values.
 */
#ifndef BENCH_TOOLS_TABLE_H
#define BENCH_TOOLS_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"

struct strbuf;

enum table_format {
  TABLE_TEXT,
  TABLE_MARKDOWN,
  TABLE_CSV,
};

/* Properties of a column, so that printing looks at each cell once. */
struct table_column {
  size_t width; /* characters of the widest cell */
  bool numeric; /* all cells below the first are numbers, "-" or empty */
};

/* {0} is an empty table.  Cells are filled in from left to right; the first
 * row has the names of the columns. */
struct table {
  char **cells; /* owned */
  size_t n, room;
  size_t columns;              /* of the first row, once it is complete */
  struct table_column *column; /* owned; [columns], of complete rows */
  bool exact;  /* numbers are values that readers may copy: shown as they are */
  bool failed; /* out of memory: cells are missing */
};

void table_done(struct table *t);

void table_cell(struct table *t, const char *text);
void table_cellf(struct table *t, const char *fmt, ...) PRINTF_LIKE(2, 3);

void table_time(struct table *t, double ns); /* see units.h */
void table_count(struct table *t, double value);

/* End the row: missing cells are empty. */
void table_end_row(struct table *t);

/* Is the column one of numbers? */
bool table_right_aligned(const struct table *t, size_t column);

/* Text beside a table, in one line, with special characters escaped as in
 * cells. Not for TABLE_CSV. */
void table_add_text(struct strbuf *out, const char *text,
                    enum table_format format);

/* Columns whose cells are all numbers, or "-", are aligned at the right. */
void table_print(const struct table *t, enum table_format format,
                 struct strbuf *out);

#endif
