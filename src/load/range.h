/*
 * range.h - ranges of keys of a table, in SQL and in words.
 */
#ifndef BENCH_LOAD_RANGE_H
#define BENCH_LOAD_RANGE_H

#include <stdint.h>

struct kind_table;
struct strbuf;

/* Add SELECT with all columns, and the table. */
void range_select(const struct kind_table *t, struct strbuf *sql);

/*
 * Add a condition for keys from `first` on: the largest part of first..last
 * that is a range of one key column, with fixed values of those before it and
 * all values of those after it.  An index on the key columns finds such rows.
 * Returns the last key of the part.
 */
uint64_t range_part(const struct kind_table *t, uint64_t first, uint64_t last,
                    struct strbuf *sql);

/* Add a condition for rows that have no key of the table, except for NULL. */
void range_outside(const struct kind_table *t, struct strbuf *sql);

/* Add an expression for the key minus one, times range_key_step(). */
void range_key(const struct kind_table *t, struct strbuf *sql);
uint64_t range_key_step(const struct kind_table *t);

/* Add the columns that order the rows. */
void range_order(const struct kind_table *t, struct strbuf *sql);

/* Add "row 17", or "row (1, 3, 17)" if more columns than one name it.  `line`
 * counts from 1. */
void range_name(const struct kind_table *t, uint64_t key, uint64_t line,
                struct strbuf *to);

/* Add "rows 1 to 5000", or "rows (1, 1, 1) to (1, 2, 500)". */
void range_names(const struct kind_table *t, uint64_t first, uint64_t last,
                 struct strbuf *to);

#endif
