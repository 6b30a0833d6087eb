/*
 * units.h - figures with units for tables.
 */
#ifndef BENCH_TOOLS_UNITS_H
#define BENCH_TOOLS_UNITS_H

enum {
  UNIT_SIZE = 48
};

/* Return `buf`; "-": not finite. */

/* Four digits: "812.0 ns", "1.234 ms", "12.50 s". */
const char *unit_time(char buf[UNIT_SIZE], double ns);
/* "12.34", "1234.6", "123457", "1.235M", "12.35G". */
const char *unit_count(char buf[UNIT_SIZE], double value);
/* "+2.31 %", "-10.0 %". */
const char *unit_change(char buf[UNIT_SIZE], double ratio);
/* "2.31 %" of a share. */
const char *unit_share(char buf[UNIT_SIZE], double share);

#endif
