/*
 * err.c - messages of failed operations.
 */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *err, int code, const char *fmt, ...)
{
  va_list ap;

  va_start(ap, fmt);
  (void)vsnprintf(err->text, sizeof(err->text), fmt, ap);
  va_end(ap);
  return code;
}

int err_sys(struct err *err, const char *fmt, ...)
{
  const int code = errno;
  char why[128];
  va_list ap;
  size_t len;

  va_start(ap, fmt);
  (void)vsnprintf(err->text, sizeof(err->text), fmt, ap);
  va_end(ap);

  /* _GNU_SOURCE's strerror_r: the text may be elsewhere than in `why`. */
  len = strlen(err->text);
  (void)snprintf(err->text + len, sizeof(err->text) - len, " errno = %d (%s)",
                 code, strerror_r(code, why, sizeof(why)));
  return code ? -code : -EIO;
}

void err_prefix(struct err *err, const char *fmt, ...)
{
  char text[sizeof(err->text)];
  va_list ap;
  size_t len;

  va_start(ap, fmt);
  (void)vsnprintf(text, sizeof(text) - 2, fmt, ap);
  va_end(ap);
  len = strlen(text);
  memcpy(text + len, ": ", 3);
  len += 2;
  memmove(err->text + len, err->text, sizeof(err->text) - len);
  err->text[sizeof(err->text) - 1] = '\0';
  memcpy(err->text, text, len);
}
