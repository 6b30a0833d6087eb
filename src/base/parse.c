#include "base/parse.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/compiler.h"

int parse_int(const char *text, int64_t *ret)
{
  const char *p = text;
  char *end;
  long long value;

  while (isspace((unsigned char)*p))
    p++;
  if (*p == '+' || *p == '-')
    p++;
  if (!isdigit((unsigned char)*p))
    return -EINVAL;

  errno = 0;
  value = strtoll(text, &end, 10);
  if (*end != '\0')
    return -EINVAL;
  if (errno == ERANGE)
    return -ERANGE;
  *ret = value;
  return 0;
}

/* The power of 1024; -1: no such suffix. */
static int parse_suffix_power(const char *suffix)
{
  static const char letters[] = "KMGT";
  int power = 0;

  for (int i = 0; letters[i]; i++) {
    if (toupper((unsigned char)*suffix) == letters[i]) {
      power = i + 1;
      suffix++;
      break;
    }
  }
  if (*suffix == '\0' || strcasecmp(suffix, "B") == 0 ||
      strcasecmp(suffix, "iB") == 0)
    return power;
  return -1;
}

int parse_size(const char *text, uint64_t *ret)
{
  const char *p = text;
  uint64_t value = 0;
  bool fits = true;
  int power;

  if (!isdigit((unsigned char)*p))
    return -EINVAL;
  for (; isdigit((unsigned char)*p); p++) {
    const uint64_t digit = (uint64_t)(*p - '0');

    if (__builtin_mul_overflow(value, 10, &value) ||
        __builtin_add_overflow(value, digit, &value))
      fits = false;
  }

  power = parse_suffix_power(p);
  if (power < 0)
    return -EINVAL;
  for (; power > 0; power--) {
    if (__builtin_mul_overflow(value, 1024, &value))
      fits = false;
  }
  if (!fits || value > INT64_MAX)
    return -ERANGE;
  *ret = value;
  return 0;
}

int parse_double(const char *text, double *ret)
{
  double value;
  char *end;

  value = strtod(text, &end);
  if (end == text || *end != '\0')
    return -EINVAL;
  if (!isfinite(value))
    return -ERANGE;
  *ret = value;
  return 0;
}

int parse_seconds(const char *text, double *ret)
{
  static const struct {
    const char *unit;
    double seconds;
  } units[] = {
    { "", 1 },  { "us", 1e-6 }, { "ms", 0.001 },
    { "s", 1 }, { "m", 60 },    { "h", 3600 },
  };
  char *end;
  const double value = strtod(text, &end);

  if (end == text)
    return -EINVAL;
  for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
    if (strcmp(end, units[i].unit) != 0)
      continue;
    if (!isfinite(value * units[i].seconds))
      return -ERANGE;
    *ret = value * units[i].seconds;
    return 0;
  }
  return -EINVAL;
}

int parse_bool(const char *text, bool *ret)
{
  static const struct {
    const char *word;
    bool value;
  } words[] = {
    { "on", true },   { "true", true },   { "yes", true }, { "1", true },
    { "off", false }, { "false", false }, { "no", false }, { "0", false },
  };

  for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
    if (strcasecmp(text, words[i].word) == 0) {
      *ret = words[i].value;
      return 0;
    }
  }
  return -EINVAL;
}
