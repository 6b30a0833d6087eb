/*
 * literal.h - a statement with its values as literals of the connection's
 * dialect, for emulated statements (for src/db only).
 */
#ifndef BENCH_DB_LITERAL_H
#define BENCH_DB_LITERAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/ffi_api.h"

struct conn;
struct emul_scan;

/*
 * The text goes to c->text.  `scan` is of this statement; it is brought up to
 * date when the dialect of the session has changed.  False: it cannot be made,
 * and that is the failure of the connection.
 */
bool literal_text(struct conn *c, struct emul_scan *scan, const char *sql,
                  size_t len, const sql_bind *binds, size_t n);

#endif
