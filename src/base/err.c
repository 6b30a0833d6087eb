/*
 * err.c - messages of failed operations.
 */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The text is longer than the place for it: say so. */
static void mark_cut(struct err *err)
{
  static const char mark[] = "...";

  memcpy(err->text + sizeof(err->text) - sizeof(mark), mark, sizeof(mark));
}

int err_set(struct err *err, int code, const char *fmt, ...)
{
  va_list ap;

  err->said = false;
  va_start(ap, fmt);
  if (vsnprintf(err->text, sizeof(err->text), fmt, ap) >=
      (int)sizeof(err->text))
    mark_cut(err);
  va_end(ap);
  return code;
}

int err_sys(struct err *err, const char *fmt, ...)
{
  const int code = errno;
  char why[128];
  va_list ap;
  size_t len;

  err->said = false;
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
  if (len + strlen(err->text) < sizeof(err->text)) {
    memmove(err->text + len, err->text, strlen(err->text) + 1);
  } else {
    memmove(err->text + len, err->text, sizeof(err->text) - len);
    mark_cut(err);
  }
  memcpy(err->text, text, len);
}
