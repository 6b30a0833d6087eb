/*
 * table.h - tables as aligned text, Markdown or CSV.
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

struct table_column {
  size_t width; /* in characters */
  bool numeric; /* below the head */
};

/* {0} is an empty table.  Cells come from left to right; the first row is
 * the head. */
struct table {
  char **cells; /* owned */
  size_t n, room;
  size_t columns;              /* known after the first row */
  struct table_column *column; /* owned; [columns] */
  bool exact;                  /* readers can copy numbers: no separators */
  bool failed;                 /* out of memory */
};

void table_done(struct table *t);

void table_cell(struct table *t, const char *text);
void table_cellf(struct table *t, const char *fmt, ...) PRINTF_LIKE(2, 3);

void table_time(struct table *t, double ns); /* see units.h */
void table_count(struct table *t, double value);

/* Missing cells are empty. */
void table_end_row(struct table *t);

bool table_right_aligned(const struct table *t, size_t column);

/* Escaped as in cells.  Not for TABLE_CSV. */
void table_add_text(struct strbuf *out, const char *text,
                    enum table_format format);

/* Columns of numbers or "-" are right-aligned. */
void table_print(const struct table *t, enum table_format format,
                 struct strbuf *out);

#endif
