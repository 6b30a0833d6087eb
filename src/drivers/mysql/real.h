/*
 * real.h - FLOAT and DOUBLE as the text protocol shows them.
 *
 * Pure functions; they return the length of a text without terminator.  `to`
 * has REAL_ROOM bytes.  Infinity and NaN become "0", as on the server.
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
 * For a column with an open number of decimals: the fewest digits that read
 * back as the same double, or six for a FLOAT (`single`).  Numbers from 1e-15
 * up to 1e15, and larger ones with digits after the point, have no exponent:
 * 0.00001, 1234567890123456.8; others have: 1e15, 1.5e-16.
 */
size_t mysqld_real_text(double v, bool single, char *to);

/* For a column with up to REAL_DECIMALS decimals: zeros follow the fewest
 * digits that read back, although the exact value might differ there. */
size_t mysqld_real_fixed_text(double v, unsigned decimals, char *to);

#endif
