/*
 * value.c - converts, reads and prints values.
 */
#include "sqlfile/value.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/compiler.h"

const char *value_to_int(const struct value *v, int64_t *ret)
{
  double whole;

  switch (v->kind) {
  case VALUE_INT:
    *ret = v->number;
    return NULL;
  case VALUE_DOUBLE:
    whole = rint(v->real);
    /* The largest integer has no double of its own; 2^63 is too large. */
    if (!(whole >= -0x1p63 && whole < 0x1p63))
      return "the double is out of the range of integers";
    *ret = (int64_t)whole;
    return NULL;
  case VALUE_BOOL:
    return "a boolean is not a number";
  default:
    return "NULL is not a number";
  }
}

const char *value_to_double(const struct value *v, double *ret)
{
  switch (v->kind) {
  case VALUE_INT:
    *ret = (double)v->number;
    return NULL;
  case VALUE_DOUBLE:
    *ret = v->real;
    return NULL;
  case VALUE_BOOL:
    return "a boolean is not a number";
  default:
    return "NULL is not a number";
  }
}

const char *value_to_bool(const struct value *v, bool *ret)
{
  if (v->kind != VALUE_BOOL)
    return "a number is not a boolean; compare it with something";
  *ret = v->truth;
  return NULL;
}

bool value_is_true(const struct value *v)
{
  switch (v->kind) {
  case VALUE_BOOL:
    return v->truth;
  case VALUE_INT:
    return v->number != 0;
  case VALUE_DOUBLE:
    return v->real != 0.0;
  default:
    return false;
  }
}

/* ---- texts ---- */

static bool read_word(const char *text, size_t len, struct value *ret)
{
  static const struct {
    const char *word;
    size_t shortest; /* so many letters are enough */
    bool truth;
  } words[] = {
    { "true", 1, true },   { "yes", 1, true }, { "on", 2, true },
    { "false", 1, false }, { "no", 1, false }, { "off", 2, false }
  };

  if (strcasecmp(text, "null") == 0) {
    *ret = value_null();
    return true;
  }
  for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
    if (len >= words[i].shortest && strlen(words[i].word) >= len &&
        strncasecmp(words[i].word, text, len) == 0) {
      *ret = value_bool(words[i].truth);
      return true;
    }
  }
  return false;
}

bool value_read(const char *text, size_t len, struct value *ret)
{
  char *end;

  if (len == 0 || strlen(text) != len || isspace((unsigned char)*text))
    return false;
  if (isalpha((unsigned char)*text))
    return read_word(text, len, ret);
  if (text[strspn(text, "+-0123456789")] == '\0') {
    long long number;

    errno = 0;
    number = strtoll(text, &end, 10);
    if (*end == '\0' && end > text && errno == 0) {
      *ret = value_int(number);
      return true;
    }
  }
  if (text[strspn(text, "+-.0123456789eE")] == '\0') {
    const double real = strtod(text, &end);

    if (*end == '\0' && end > text && isfinite(real)) {
      *ret = value_double(real);
      return true;
    }
  }
  return false;
}

void value_print(const struct value *v, char to[VALUE_BYTES])
{
  switch (v->kind) {
  case VALUE_BOOL:
    (void)snprintf(to, VALUE_BYTES, "%s", v->truth ? "true" : "false");
    break;
  case VALUE_INT:
    (void)snprintf(to, VALUE_BYTES, "%" PRId64, v->number);
    break;
  case VALUE_DOUBLE:
    (void)snprintf(to, VALUE_BYTES, "%.*g", DBL_DIG, v->real);
    break;
  default:
    (void)snprintf(to, VALUE_BYTES, "NULL");
    break;
  }
}
