/*
 * test_fmt.c - numbers as a person would write them.
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "base/fmt.h"
#include "tests/unit/tap.h"

static const struct {
  double value;
  const char *text;
  unsigned decimals;
} shortest[] = {
  { 95, "95", 0 },
  { 99.9, "99.9", 1 },
  { 50.0, "50", 0 },
  { 100, "100", 0 },
  { 0, "0", 0 },
  { -0.0, "0", 0 },
  { 0.25, "0.25", 2 },
  { -1.5, "-1.5", 1 },
  { 0.1 + 0.2, "0.30000000000000004", 17 },
  { 1e6, "1000000", 0 },
  { 1e22, "10000000000000000000000", 0 },
  { 1234567.875, "1234567.875", 3 },
  { 0.00001, "0.00001", 5 },
  { 9007199254740993.0, "9007199254740992", 0 },
  { INFINITY, "inf", 0 },
  { -INFINITY, "-inf", 0 },
};

static void integers(void)
{
  static const int64_t value[] = { 0,  1,    -1,         9,         10,
                                   99, -100, 1000000007, INT64_MAX, INT64_MIN };
  char want[32], buf[32];

  for (size_t i = 0; i < ARRAY_SIZE(value); i++) {
    (void)snprintf(want, sizeof(want), "%" PRId64, value[i]);
    buf[fmt_int(buf, value[i])] = '\0';
    OK_STR(buf, want, want);
  }
  buf[fmt_uint(buf, UINT64_MAX)] = '\0';
  OK_STR(buf, "18446744073709551615", "the largest of all");
}

static void sizes(void)
{
  static const struct {
    uint64_t bytes;
    const char *text;
  } rows[] = {
    { 0, "0 bytes" },         { 1, "1 byte" },     { 1023, "1023 bytes" },
    { 1024, "1 KiB" },        { 1536, "1.5 KiB" }, { 1047552, "1023 KiB" },
    { 1048526, "1 MiB" }, /* 1023.951 KiB */
    { UINT64_MAX, "16 EiB" },
  };
  char buf[FMT_SIZE_SIZE];

  for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
    OK_STR(fmt_size(buf, rows[i].bytes), rows[i].text, rows[i].text);
}

int main(void)
{
  static const double extremes[] = { DBL_MAX, -DBL_MAX, DBL_MIN, DBL_EPSILON,
                                     4.9406564584124654e-324 };
  char buf[FMT_DOUBLE_SIZE];
  uint64_t state = 1;
  bool reads_back = true, no_exponent = true;

  for (size_t i = 0; i < ARRAY_SIZE(shortest); i++) {
    OK_STR(fmt_shortest(buf, shortest[i].value), shortest[i].text,
           shortest[i].text);
    OK(fmt_decimals(shortest[i].value) == shortest[i].decimals, "decimals");
  }
  OK_STR(fmt_shortest(buf, NAN), "nan", "not a number");
  OK_STR(fmt_shortest(buf, -NAN), "nan", "has no sign");

  for (size_t i = 0; i < ARRAY_SIZE(extremes); i++)
    OK(strtod(fmt_shortest(buf, extremes[i]), NULL) == extremes[i],
       "an extreme reads back");
  for (unsigned i = 0; i < 5000; i++) {
    double value;

    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    memcpy(&value, &state, sizeof(value));
    if (!isfinite(value))
      continue;
    reads_back &= strtod(fmt_shortest(buf, value), NULL) == value;
    no_exponent &= !strchr(buf, 'e');
  }
  OK(reads_back, "every double reads back");
  OK(no_exponent, "and has no exponent");
  integers();
  sizes();
  return TAP_EXIT();
}
