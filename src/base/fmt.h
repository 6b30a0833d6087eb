/*
 * fmt.h - numbers as a person would write them.
 */
#ifndef BENCH_BASE_FMT_H
#define BENCH_BASE_FMT_H

enum {
  FMT_DOUBLE_SIZE = 352 /* holds every double, with its terminator */
};

/*
 * The fewest digits that read back as the same value, without an exponent: 95
 * gives "95", 99.9 "99.9", 1e6 "1000000".  Zero of either sign is "0"; what is
 * not finite is "inf", "-inf" or "nan".  Returns `buf`.
 */
const char *fmt_shortest(char buf[FMT_DOUBLE_SIZE], double value);

/* How many decimals that form has: 0 for 2, 1 for 0.5, 2 for 0.25. */
unsigned fmt_decimals(double value);

#endif
