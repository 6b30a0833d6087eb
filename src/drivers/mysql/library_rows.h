/*
 * library_rows.h - rows that the client library has received one by one, kept
 * as texts in one buffer.
 *
 * The library would keep a whole result in its own memory, however large it is.
 * Here its size is known while it grows.
 */
#ifndef BENCH_DRIVERS_MYSQL_LIBRARY_ROWS_H
#define BENCH_DRIVERS_MYSQL_LIBRARY_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "base/ffi_api.h"
#include "base/strbuf.h"

struct library_rows {
  struct strbuf bytes; /* each value: its length, and the text */
  size_t at;           /* position of the next row to fetch */
  uint64_t left;       /* number of rows from there on */
};

/*
 * Append a value of the current row; NULL: SQL NULL.  Out of memory sets
 * bytes.failed.
 */
void mysqld_library_rows_add(struct library_rows *r, const char *text,
                             uint32_t len);
/*
 * Make room for a value of at most `most` bytes; call
 * mysqld_library_rows_added() next.  NULL: no memory.
 */
char *mysqld_library_rows_room(struct library_rows *r, uint32_t most);
void mysqld_library_rows_added(struct library_rows *r, uint32_t len);

/* Take the next row, of `n` values.  Returns 1; 0: there is none. */
int mysqld_library_rows_take(struct library_rows *r, uint32_t n,
                             sql_value *values);

/* Drop all rows.  The memory of an unusually large result is freed. */
void mysqld_library_rows_clear(struct library_rows *r);
void mysqld_library_rows_done(struct library_rows *r);

#endif
