/*
 * fuzz_parse.c - numbers and sizes are what slow arithmetic in 128 bits says,
 * and nothing that is left over is accepted.
 *
 * Input: the text.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <strings.h>

#include "base/fmt.h"
#include "base/parse.h"
#include "input.h"

typedef unsigned __int128 wide;

/* Far beyond 64 bits, and far from where 128 bits end. */
#define TOO_MUCH ((wide)1 << 100)

static const char *read_digits(const char *p, wide *ret)
{
  *ret = 0;
  for (; *p >= '0' && *p <= '9'; p++) {
    if (*ret < TOO_MUCH)
      *ret = *ret * 10 + (wide)(*p - '0');
  }
  return p;
}

static int model_int(const char *p, int64_t *ret)
{
  bool minus;
  wide n;

  p += strspn(p, " \t\n\v\f\r");
  minus = *p == '-';
  p += *p == '-' || *p == '+';
  if (!isdigit((unsigned char)*p) || *read_digits(p, &n) != '\0')
    return -EINVAL;
  if (n > (wide)INT64_MAX + minus)
    return -ERANGE;
  *ret = minus ? (int64_t) - (uint64_t)n : (int64_t)n;
  return 0;
}

static int model_size(const char *p, uint64_t *ret)
{
  static const struct {
    const char *name;
    int power;
  } unit[] = {
    { "", 0 },   { "b", 0 },   { "ib", 0 },  { "k", 1 },   { "kb", 1 },
    { "m", 2 },  { "mb", 2 },  { "g", 3 },   { "gb", 3 },  { "t", 4 },
    { "tb", 4 }, { "kib", 1 }, { "mib", 2 }, { "gib", 3 }, { "tib", 4 },
  };
  wide n;

  if (!isdigit((unsigned char)*p))
    return -EINVAL;
  p = read_digits(p, &n);
  for (size_t i = 0; i < sizeof(unit) / sizeof(unit[0]); i++) {
    if (strcasecmp(p, unit[i].name) != 0)
      continue;
    if (n > (wide)INT64_MAX >> (10 * unit[i].power))
      return -ERANGE;
    *ret = (uint64_t)(n << (10 * unit[i].power));
    return 0;
  }
  return -EINVAL;
}

/* Up to 15 digits with a point among them: one exact division. */
static bool model_double(const char *p, double *ret)
{
  static const double power[] = {
    1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15
  };
  const bool minus = *p == '-';
  uint64_t n = 0;
  int digits = 0, behind = -1;

  for (p += minus; *p; p++) {
    if (*p == '.' && behind < 0) {
      behind = 0;
    } else if (isdigit((unsigned char)*p) && digits < 15) {
      n = n * 10 + (uint64_t)(*p - '0');
      digits++;
      behind += behind >= 0;
    } else {
      return false;
    }
  }
  if (digits == 0)
    return false;
  *ret = (double)n / power[behind > 0 ? behind : 0];
  if (minus)
    *ret = -*ret;
  return true;
}

static void check_int(const char *text)
{
  int64_t got = 42, want = 42;
  const int rc = parse_int(text, &got);

  MUST(rc == model_int(text, &want) && got == want);
}

static void check_size(const char *text)
{
  uint64_t got = 42, want = 42;
  const int rc = parse_size(text, &got);

  MUST(rc == model_size(text, &want) && got == want);
}

static void check_double(const char *text)
{
  char again[FMT_DOUBLE_SIZE];
  double got = 42, want, back;
  const int rc = parse_double(text, &got);

  MUST(rc == 0 || rc == -EINVAL || rc == -ERANGE);
  MUST(rc == 0 ? isfinite(got) : got == 42);
  if (model_double(text, &want))
    MUST(rc == 0 && got == want);
  if (rc < 0)
    return;
  MUST(strlen(fmt_shortest(again, got)) < sizeof(again));
  MUST(parse_double(again, &back) == 0 && back == got);
}

static void check_bool(const char *text)
{
  static const char *const words[] = { "off", "on",  "false", "true",
                                       "no",  "yes", "0",     "1" };
  bool got = false, known = false, want = false;
  const int rc = parse_bool(text, &got);

  for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
    if (strcasecmp(text, words[i]) == 0) {
      known = true;
      want = i % 2;
    }
  }
  MUST(rc == (known ? 0 : -EINVAL) && got == want);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct input in = { data, size };
  char *text = input_text(&in, 4096);

  check_int(text);
  check_size(text);
  check_double(text);
  check_bool(text);
  free(text);
  return 0;
}
