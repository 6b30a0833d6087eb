/*
 * fmt.h - numbers as a person would write them.
 */
#ifndef BENCH_BASE_FMT_H
#define BENCH_BASE_FMT_H

#include <stddef.h>
#include <stdint.h>

enum {
  FMT_SIZE_SIZE = 24,
  FMT_DOUBLE_SIZE = 352, /* for every double */
  FMT_INT_SIZE = 20      /* for every 64-bit integer, without a terminator */
};

/* Decimal digits without a terminator. Returns the number of bytes. */
size_t fmt_uint(char *buf, uint64_t value);
size_t fmt_int(char *buf, int64_t value);

/* The fewest digits that read back as the same value, without an exponent:
 * "95", "99.9", "1000000"; 0 of either sign is "0"; "inf", "-inf", "nan". */
const char *fmt_shortest(char buf[FMT_DOUBLE_SIZE], double value);

/* Decimals in that form: 0 for 2, 1 for 0.5, 2 for 0.25. */
unsigned fmt_decimals(double value);

/* At most four digits: "1 GiB", "1.5 MiB", "512 bytes". */
const char *fmt_size(char buf[FMT_SIZE_SIZE], uint64_t bytes);

/* "" for 1, else "s". */
static inline const char *fmt_plural(uint64_t count)
{
  return count == 1 ? "" : "s";
}

#endif
