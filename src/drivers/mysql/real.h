/*
 * real.h - FLOAT and DOUBLE as the text protocol shows them.
 *
 * Pure functions; they return the length without terminator.  `to` has
 * REAL_ROOM bytes.  Infinity and NaN become "0", as on the server.
 */
#ifndef BENCH_DRIVERS_MYSQL_REAL_H
#define BENCH_DRIVERS_MYSQL_REAL_H

#include <stdbool.h>
#include <stddef.h>

enum {
  REAL_ROOM = 352,
  REAL_DECIMALS = 30,
};

/*
 * Open number of decimals: the fewest digits that read back, or six for a FLOAT
 * (`single`).  From 1e-15 up to 1e15, and with digits after the point, there is
 * no exponent: 0.00001, 1234567890123456.8; otherwise 1e15, 1.5e-16.
 */
size_t mysqld_real_text(double v, bool single, char *to);

/* Up to REAL_DECIMALS decimals: zeros follow the fewest digits that read
 * back. */
size_t mysqld_real_fixed_text(double v, unsigned decimals, char *to);

#endif
