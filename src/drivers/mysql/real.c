/*
 * real.c - FLOAT and DOUBLE as texts.
 */
#include "drivers/mysql/real.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/emul.h"

enum {
  TEXT_ROOM = 32,  /* with exponent and terminator */
  MAX_DIGITS = 17, /* tell any two doubles apart */
  FLOAT_DIGITS = 6,
  /* Limits of the point if all digits are written out. */
  MIN_POINT = -14,
  LARGEST_POINT = 15,
};

/* 0.DIGITS * 10^point, without zeros at either end. */
struct digits {
  bool negative;
  int n, point;
  char digit[TEXT_ROOM];
};

static void real_trim(struct digits *d)
{
  while (d->n > 0 && d->digit[d->n - 1] == '0')
    d->n--;
}

/* Of printf; zeros at the end stay. */
static void real_read_digits(const char *p, struct digits *ret)
{
  bool behind = false;

  *ret = (struct digits){ .negative = *p == '-' };
  for (p += *p == '-'; *p && *p != 'e'; p++) {
    if (*p == '.') {
      behind = true;
    } else if (*p == '0' && ret->n == 0) {
      ret->point -= behind;
    } else {
      ret->digit[ret->n++] = *p;
      ret->point += !behind;
    }
  }
  if (*p == 'e')
    ret->point += (int)strtol(p + 1, NULL, 10);
}

static void real_one_up(struct digits *d)
{
  for (int i = d->n - 1; i >= 0 && d->digit[i]++ == '9'; i--)
    d->digit[i] = '0';
}

static bool real_reads_back(const struct digits *d, double v)
{
  char text[TEXT_ROOM];

  (void)snprintf(text, sizeof(text), "0.%.*se%d", d->n, d->digit, d->point);
  return strtod(text, NULL) == fabs(v);
}

/* Above a power of two, doubles are twice as far apart as below: the nearest
 * number of 16 digits may not read back, while the next does. */
static void real_shorten(double v, struct digits *d)
{
  struct digits fewer;
  char text[TEXT_ROOM];
  int exponent;

  if (d->n < MAX_DIGITS || fabs(frexp(v, &exponent)) != 0.5)
    return;
  (void)snprintf(text, sizeof(text), "%.*e", MAX_DIGITS - 2, v);
  real_read_digits(text, &fewer);
  real_one_up(&fewer);
  if (real_reads_back(&fewer, v))
    *d = fewer;
}

static void real_shortest_digits(double v, struct digits *ret)
{
  char text[TEXT_ROOM];

  (void)emul_double_text(v, false, text);
  real_read_digits(text, ret);
  real_shorten(v, ret);
  real_trim(ret);
}

static void real_float_digits(double v, struct digits *ret)
{
  char text[TEXT_ROOM];

  (void)snprintf(text, sizeof(text), "%.*g", FLOAT_DIGITS, v);
  real_read_digits(text, ret);
  real_trim(ret);
}

static char *real_put(char *to, const char *bytes, int n)
{
  memcpy(to, bytes, (size_t)n);
  return to + n;
}

static char *real_put_zeros(char *to, int n)
{
  memset(to, '0', (size_t)n);
  return to + n;
}

/* Digits before the point, and zeros up to it. */
static char *real_put_whole(const struct digits *d, char *to)
{
  const int n = d->n < d->point ? d->n : d->point;

  if (d->negative)
    *to++ = '-';
  if (d->point <= 0)
    return real_put_zeros(to, 1);
  return real_put_zeros(real_put(to, d->digit, n), d->point - n);
}

static char *real_put_decimals(const struct digits *d, int decimals, char *to)
{
  const int zeros = d->point < 0 ? -d->point : 0;
  const int from = d->point > 0 ? d->point : 0;
  const int n = d->n > from ? d->n - from : 0;

  if (decimals <= 0)
    return to;
  *to++ = '.';
  to = real_put(real_put_zeros(to, zeros), d->digit + d->n - n, n);
  return real_put_zeros(to, decimals - zeros - n);
}

static char *real_put_exponent(const struct digits *d, char *to)
{
  if (d->negative)
    *to++ = '-';
  *to++ = d->digit[0];
  if (d->n > 1)
    *to++ = '.';
  to = real_put(to, d->digit + 1, d->n - 1);
  return to + sprintf(to, "e%d", d->point - 1);
}

size_t mysqld_real_text(double v, bool single, char *to)
{
  struct digits d;
  char *end;

  if (!isfinite(v)) {
    *to = '0';
    return 1;
  }
  if (single)
    real_float_digits(v, &d);
  else
    real_shortest_digits(v, &d);
  if (d.point >= MIN_POINT && (d.point <= LARGEST_POINT || d.n > d.point))
    end = real_put_decimals(&d, d.n - d.point, real_put_whole(&d, to));
  else
    end = real_put_exponent(&d, to);
  return (size_t)(end - to);
}

size_t mysqld_real_fixed_text(double v, unsigned decimals, char *to)
{
  struct digits d;

  if (!isfinite(v)) {
    *to = '0';
    return 1;
  }
  real_shortest_digits(v, &d);
  if (d.n - d.point > (int)decimals)
    return (size_t)snprintf(to, REAL_ROOM, "%.*f", (int)decimals, v);
  return (size_t)(real_put_decimals(&d, (int)decimals, real_put_whole(&d, to)) -
                  to);
}
