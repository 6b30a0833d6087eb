/*
 * real.h - a FLOAT or DOUBLE as the server writes it in the text protocol.
 *
 * Pure functions that return the length of a text without terminator; `to` has
 * REAL_ROOM bytes.  What is not finite is "0": the server writes it so.
 */
#ifndef BENCH_DRIVERS_MYSQL_REAL_H
#define BENCH_DRIVERS_MYSQL_REAL_H

#include <stdbool.h>
#include <stddef.h>

enum {
  REAL_ROOM = 352,    /* holds every text */
  REAL_DECIMALS = 30, /* the most that a column can fix */
};

/*
 * Of a column that leaves the number of decimals open: the fewest digits that
 * read back as the same double, six digits of a FLOAT (`single`).  Numbers
 * from 1e-15 up to 1e15, and larger ones whose digits go on behind the point,
 * have no exponent: 0.00001, 100000, 1234567890123456.8; others are 1e15,
 * 1.5e-16.
 */
size_t mysqld_real_text(double v, bool single, char *to);

/*
 * Of a column with this many decimals, at most REAL_DECIMALS.  When the fewest
 * digits that read back do not go further than these decimals, zeros follow
 * them, where the exact value might have other digits.
 */
size_t mysqld_real_fixed_text(double v, unsigned decimals, char *to);

#endif
