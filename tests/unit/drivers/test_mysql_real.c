/*
 * test_mysql_real.c - texts of FLOAT and DOUBLE, as a server has written them.
 */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "drivers/mysql/real.h"
#include "tests/unit/tap.h"

static const struct {
  double value;
  const char *text;
} open_double[] = {
  { 0, "0" },
  { 1, "1" },
  { -1, "-1" },
  { 0.5, "0.5" },
  { -2.5, "-2.5" },
  { 0.1 + 0.2, "0.30000000000000004" },
  { 100000, "100000" },
  { 0.00001, "0.00001" },
  /* at the limits of exponents */
  { 1e14, "100000000000000" },
  { 999999999999999, "999999999999999" },
  { 1e15, "1e15" },
  { -1e15, "-1e15" },
  { 950000000000000.2, "950000000000000.2" },
  { 1766654910781772, "1.766654910781772e15" },
  { 1234567890123456.8, "1234567890123456.8" },
  { -3015635491463596.5, "-3015635491463596.5" },
  { 123456789012345678.0, "1.2345678901234568e17" },
  { 1e-15, "0.000000000000001" },
  { 1.234567890123457e-13, "0.0000000000001234567890123457" },
  { 9.5e-16, "9.5e-16" },
  { 1e-16, "1e-16" },
  { 1e22, "1e22" },
  { 1e300, "1e300" },
  { 1e-300, "1e-300" },
  { DBL_MAX, "1.7976931348623157e308" },
  { -DBL_MAX, "-1.7976931348623157e308" },
  { DBL_MIN, "2.2250738585072014e-308" },
  { 2.225073858507201e-308, "2.225073858507201e-308" },
  { 4.9406564584124654e-324, "5e-324" },
  { 6.2869423045544e-310, "6.2869423045544e-310" },
  /*
   * powers of two: one digit less than their nearest number of that length
   * needs
   */
  { 0x1p-44, "0.00000000000005684341886080802" },
  { 0x1p-1017, "7.120236347223045e-307" },
  { -0x1p-1007, "-7.291122019556398e-304" },
  { 0x1p-957, "8.209073602596753e-289" },
  { 0x1p-44 + 0x1p-96, "0.00000000000005684341886080803" },
  { INFINITY, "0" },
  { -INFINITY, "0" },
  { NAN, "0" },
};

static const struct {
  float value;
  const char *text;
} open_float[] = {
  { 0, "0" },
  { 0.1f, "0.1" },
  { -1.5f, "-1.5" },
  { 1234567, "1234570" },
  { 16777216, "16777200" },
  { 15000000512, "15000000000" },
  { 1e10f, "10000000000" },
  { 1e14f, "100000000000000" },
  { 1e15f, "1e15" },
  { 0.00001f, "0.00001" },
  { 1e-15f, "0.000000000000001" },
  { 1e-16f, "1e-16" },
  { 123456.5f, "123456" },
  { 123457.5f, "123458" },
  { 999999.5f, "1000000" },
  { 0x1.1a547p-44f, "0.0000000000000626898" },
  { -0x1.ac5366p+66f, "-1.23456e20" },
  { FLT_MAX, "3.40282e38" },
  { FLT_MIN, "1.17549e-38" },
  { 1.4e-45f, "1.4013e-45" },
  { INFINITY, "0" },
  { NAN, "0" },
};

static const struct {
  double value;
  unsigned decimals;
  const char *text;
} fixed[] = {
  { 0, 0, "0" },
  { 0, 2, "0.00" },
  { 1, 0, "1" },
  { -2.5, 3, "-2.500" },
  { 0.05, 2, "0.05" },
  { 0.1, 30, "0.100000000000000000000000000000" },
  { 1e-5, 4, "0.0000" },
  { 123.456, 2, "123.46" },
  { 0.015625, 5, "0.01562" },
  { 0.046875, 5, "0.04688" },
  { 12345678901234.568, 4, "12345678901234.5680" },
  { 123456789012345.67, 4, "123456789012345.6700" },
  { 1234567890123456768.0, 2, "1234567890123456800.00" },
  { 123456498461310976.0, 0, "123456498461310980" },
  { 1e22, 1, "10000000000000000000000.0" },
  { 1.234567890123457e-13, 30, "0.000000000000123456789012345700" },
  { 1.2345678901234567e-15, 30, "0.000000000000001234567890123457" },
  { 4.9406564584124654e-324, 30, "0.000000000000000000000000000000" },
  { INFINITY, 2, "0" },
  { NAN, 2, "0" },
};

enum {
  GUARD = '#'
};

/* Returns the text, and checks that nothing was written beyond the room. */
static const char *text_of(double v, bool single, int decimals)
{
  static char text[REAL_ROOM + 2];
  size_t len;

  text[REAL_ROOM] = GUARD;
  if (decimals < 0)
    len = mysqld_real_text(v, single, text);
  else
    len = mysqld_real_fixed_text(v, (unsigned)decimals, text);
  if (len > REAL_ROOM || text[REAL_ROOM] != GUARD)
    return "too long";
  text[len] = '\0';
  return text;
}

static void tables(void)
{
  for (size_t i = 0; i < ARRAY_SIZE(open_double); i++)
    OK_STR(text_of(open_double[i].value, false, -1), open_double[i].text,
           open_double[i].text);
  for (size_t i = 0; i < ARRAY_SIZE(open_float); i++)
    OK_STR(text_of((double)open_float[i].value, true, -1), open_float[i].text,
           open_float[i].text);
  for (size_t i = 0; i < ARRAY_SIZE(fixed); i++)
    OK_STR(text_of(fixed[i].value, false, (int)fixed[i].decimals),
           fixed[i].text, fixed[i].text);
}

static unsigned wrong;

static void check(double v)
{
  char want[REAL_ROOM];
  const char *text = text_of(v, false, -1);

  wrong += strtod(text, NULL) != v || strchr(text, '+');
  (void)snprintf(want, sizeof(want), "%.3f", v);
  text = text_of(v, false, 3);
  /* Up to here a double has at least three meaningful decimals. */
  wrong += fabs(v) < 0x1p42 ? strcmp(text, want) != 0
                            : strtod(text, NULL) != strtod(want, NULL);
}

static void all_magnitudes(void)
{
  uint64_t state = 1;

  for (int e = -1074; e < 1024; e++) {
    check(ldexp(1, e));
    check(-ldexp(1, e));
  }
  OK(wrong == 0, "powers of two read back");
  for (int i = 0; i < 20000; i++) {
    double v;

    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    memcpy(&v, &state, sizeof(v));
    if (isfinite(v))
      check(v);
  }
  OK(wrong == 0, "so do random numbers");
}

/*
 * Sixteen digits are enough for all of these, but the nearest such number is
 * not.
 */
static void short_powers(void)
{
  unsigned n = 0;

  for (int e = -1074; e < 1024; e++) {
    char nearest[32];
    int digits = 0;

    (void)snprintf(nearest, sizeof(nearest), "%.15e", ldexp(1, e));
    if (strtod(nearest, NULL) == ldexp(1, e))
      continue;
    for (const char *p = text_of(ldexp(1, e), false, -1); *p && *p != 'e'; p++)
      digits += *p != '.' && (digits > 0 || *p != '0');
    n += digits == 16;
  }
  OK(n == 46, "46 powers of two have one digit less");
}

static void the_longest(void)
{
  const char *text = text_of(-DBL_MAX, false, REAL_DECIMALS);

  OK(strlen(text) == 1 + 309 + 1 + REAL_DECIMALS, "the longest text");
  OK(strtod(text, NULL) == -DBL_MAX, "it reads back");
}

int main(void)
{
  tables();
  all_magnitudes();
  short_powers();
  the_longest();
  return TAP_EXIT();
}
