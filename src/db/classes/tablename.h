/*
 * tablename.h - names of numbered tables in the text of a statement.
 *
 * A workload that spreads its load over tables sbtest1 to sbtest10 has one
 * class of statements, not ten.  The digits at the end of a table's name are
 * replaced by one `#`: sbtest#.  The name of a table is what stands after FROM,
 * JOIN, INTO, UPDATE or TABLE, and after the commas of such a list.  The same
 * name before a dot counts wherever it is: sbtest1.id.  Everything else stays
 * as it is: names of columns, aliases, schemas, functions, and the contents of
 * strings and comments.
 */
#ifndef BENCH_DB_CLASSES_TABLENAME_H
#define BENCH_DB_CLASSES_TABLENAME_H

#include <stddef.h>

enum {
  /* So much is kept of a text in which something was replaced: texts that
   * were cut off at the same place before differ in length now. */
  TABLENAME_BYTES = 216,
};

/*
 * Replace the numbers in `sql` of `len` bytes, in place.  Returns the new
 * length, which is at most TABLENAME_BYTES if anything was replaced; no
 * terminator.
 */
size_t tablename_merge(char *sql, size_t len);

#endif
