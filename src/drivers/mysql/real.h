/*
 * real.h - formats a FLOAT or DOUBLE as the server does in the text protocol.
 *
 * Pure functions that return the length of a text without terminator; `to` has
 * REAL_ROOM bytes.  Infinity and NaN become "0", as the server writes them.
 */
#ifndef BENCH_DRIVERS_MYSQL_REAL_H
#define BENCH_DRIVERS_MYSQL_REAL_H

#include <stdbool.h>
#include <stddef.h>

enum {
  REAL_ROOM = 352,    /* holds every text */
  REAL_DECIMALS = 30, /* the maximum for a column */
};

/*
 * Format a value of a column that leaves the number of decimals open: the
 * fewest digits that read back as the same double, or six digits for a FLOAT
 * (`single`).  Numbers from 1e-15 up to 1e15, and larger ones with digits after
 * the point, have no exponent: 0.00001, 100000, 1234567890123456.8.  Others
 * have one: 1e15, 1.5e-16.
 */
size_t mysqld_real_text(double v, bool single, char *to);

/*
 * Format a value of a column with this many decimals, at most REAL_DECIMALS.
 * If the fewest digits that read back end before the last decimal, zeros follow
 * them, although the exact value might have other digits there.
 */
size_t mysqld_real_fixed_text(double v, unsigned decimals, char *to);

#endif
