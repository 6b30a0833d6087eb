/*
 * test_parse.c - numbers from text: accepted, refused, and *ret untouched.
 */
#include "base/parse.h"

#include <errno.h>

#include "base/compiler.h"
#include "tests/unit/tap.h"

static const struct {
  const char *text;
  int rc;
  uint64_t value;
} size_case[] = {
  { "0", 0, 0 },
  { "16K", 0, 16384 },
  { "2g", 0, UINT64_C(2) << 30 },
  { "1GB", 0, UINT64_C(1) << 30 },
  { "1GiB", 0, UINT64_C(1) << 30 },
  { "512B", 0, 512 },
  { "1kib", 0, 1024 },
  { "3T", 0, UINT64_C(3) << 40 },
  { "9223372036854775807", 0, INT64_MAX },
  { "9223372036854775808", -ERANGE, 0 },
  { "18446744073709551616", -ERANGE, 0 },
  { "99999999999999999999999", -ERANGE, 0 },
  { "8388608T", -ERANGE, 0 },
  { "16777216T", -ERANGE, 0 },
  { "", -EINVAL, 0 },
  { "K", -EINVAL, 0 },
  { "16KK", -EINVAL, 0 },
  { "2q", -EINVAL, 0 },
  { " 1", -EINVAL, 0 },
  { "-1", -EINVAL, 0 },
  { "1Ki", -EINVAL, 0 },
};

static const struct {
  const char *text;
  int rc;
  int64_t value;
} int_case[] = {
  { "0", 0, 0 },
  { "  +7", 0, 7 },
  { "-9223372036854775808", 0, INT64_MIN },
  { "9223372036854775807", 0, INT64_MAX },
  { "9223372036854775808", -ERANGE, 0 },
  { "5000000000", 0, INT64_C(5000000000) },
  { "", -EINVAL, 0 },
  { "abc", -EINVAL, 0 },
  { "1K", -EINVAL, 0 },
  { "1 ", -EINVAL, 0 },
  { "0x10", -EINVAL, 0 },
  { "--1", -EINVAL, 0 },
};

static const struct {
  const char *text;
  int rc;
  double value;
} double_case[] = {
  { "1.5", 0, 1.5 },     { "1e3", 0, 1000 },    { "-0.25", 0, -0.25 },
  { "", -EINVAL, 0 },    { "abc", -EINVAL, 0 }, { "1.5x", -EINVAL, 0 },
  { "inf", -ERANGE, 0 }, { "nan", -ERANGE, 0 }, { "1e999", -ERANGE, 0 },
};

static const struct {
  const char *text;
  int rc;
  bool value;
} bool_case[] = {
  { "on", 0, true },         { "YES", 0, true },     { "1", 0, true },
  { "True", 0, true },       { "off", 0, false },    { "No", 0, false },
  { "0", 0, false },         { "", -EINVAL, false }, { "2", -EINVAL, false },
  { "onn", -EINVAL, false },
};

static const struct {
  const char *text;
  int rc;
  double value;
} seconds_case[] = {
  { "0", 0, 0 },          { "10", 0, 10 },
  { "0.5", 0, 0.5 },      { "30s", 0, 30 },
  { "5m", 0, 300 },       { "1.5h", 0, 5400 },
  { "250ms", 0, 0.25 },   { "-2s", 0, -2 },
  { "", -EINVAL, 0 },     { "s", -EINVAL, 0 },
  { "10 s", -EINVAL, 0 }, { "10S", -EINVAL, 0 },
  { "1d", -EINVAL, 0 },   { "1m30s", -EINVAL, 0 },
  { "inf", -ERANGE, 0 },  { "1e308h", -ERANGE, 0 },
};

static void check_seconds(void)
{
  for (size_t i = 0; i < ARRAY_SIZE(seconds_case); i++) {
    double got = 42;
    const int rc = parse_seconds(seconds_case[i].text, &got);

    OK(rc == seconds_case[i].rc && got == (rc ? 42 : seconds_case[i].value),
       seconds_case[i].text);
  }
}

int main(void)
{
  for (size_t i = 0; i < ARRAY_SIZE(size_case); i++) {
    uint64_t got = 42;
    int rc = parse_size(size_case[i].text, &got);

    OK(rc == size_case[i].rc, size_case[i].text);
    OK(got == (rc ? 42 : size_case[i].value), "size: sets on success only");
  }
  for (size_t i = 0; i < ARRAY_SIZE(int_case); i++) {
    int64_t got = 42;
    int rc = parse_int(int_case[i].text, &got);

    OK(rc == int_case[i].rc, int_case[i].text);
    OK(got == (rc ? 42 : int_case[i].value), "int: sets on success only");
  }
  for (size_t i = 0; i < ARRAY_SIZE(double_case); i++) {
    double got = 42;
    int rc = parse_double(double_case[i].text, &got);

    OK(rc == double_case[i].rc, double_case[i].text);
    OK(got == (rc ? 42 : double_case[i].value), "double: sets on success only");
  }
  for (size_t i = 0; i < ARRAY_SIZE(bool_case); i++) {
    bool got = true;
    int rc = parse_bool(bool_case[i].text, &got);

    OK(rc == bool_case[i].rc, bool_case[i].text);
    OK(got == (rc ? true : bool_case[i].value), "bool: sets on success only");
  }
  check_seconds();
  return TAP_EXIT();
}
