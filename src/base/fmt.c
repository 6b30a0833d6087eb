#include "base/fmt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"

enum {
  MAX_DIGITS = 17 /* enough to tell any two doubles apart */
};

size_t fmt_uint(char *buf, uint64_t value)
{
  char text[FMT_INT_SIZE];
  size_t n = sizeof(text);

  do {
    text[--n] = (char)('0' + value % 10);
    value /= 10;
  } while (value > 0);
  memcpy(buf, text + n, sizeof(text) - n);
  return sizeof(text) - n;
}

size_t fmt_int(char *buf, int64_t value)
{
  if (value >= 0)
    return fmt_uint(buf, (uint64_t)value);
  *buf = '-';
  return 1 + fmt_uint(buf + 1, -(uint64_t)value);
}

unsigned fmt_decimals(double value)
{
  char text[40];

  if (!isfinite(value))
    return 0;
  for (int digits = 1;; digits++) {
    const int after_first = digits - 1;
    int exponent, decimals;

    (void)snprintf(text, sizeof(text), "%.*e", after_first, value);
    if (digits < MAX_DIGITS && strtod(text, NULL) != value)
      continue;
    exponent = atoi(strchr(text, 'e') + 1);
    decimals = after_first - exponent;
    return decimals > 0 ? (unsigned)decimals : 0;
  }
}

const char *fmt_shortest(char buf[FMT_DOUBLE_SIZE], double value)
{
  if (isnan(value))
    (void)snprintf(buf, FMT_DOUBLE_SIZE, "nan");
  else
    (void)snprintf(buf, FMT_DOUBLE_SIZE, "%.*f", (int)fmt_decimals(value),
                   value == 0.0 ? 0.0 : value);
  return buf;
}

const char *fmt_size(char buf[FMT_SIZE_SIZE], uint64_t bytes)
{
  static const char *const unit[] = { "bytes", "KiB", "MiB", "GiB",
                                      "TiB",   "PiB", "EiB" };
  double value = (double)bytes;
  unsigned u = 0;

  /* 1023.97 would have five digits after rounding. */
  while (value >= (u == 0 ? 1024.0 : 1023.95) && u + 1 < ARRAY_SIZE(unit)) {
    value /= 1024.0;
    u++;
  }
  (void)snprintf(buf, FMT_SIZE_SIZE, "%.4g %s", value,
                 bytes == 1 ? "byte" : unit[u]);
  return buf;
}
