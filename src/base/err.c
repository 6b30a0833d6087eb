#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void err_mark_cut(struct err *err)
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
    err_mark_cut(err);
  va_end(ap);
  return code;
}

/* strerror_r() of GNU returns the text, which can be outside the buffer; that
 * of POSIX returns a number. */
static const char *err_gnu_text(const char *text, const char *buf)
{
  (void)buf;
  return text;
}

static const char *err_posix_text(int rc, const char *buf)
{
  return rc == 0 ? buf : "unknown error";
}

#define TEXT_OF(returned, buf)       \
  _Generic((returned), int           \
           : err_posix_text, default \
           : err_gnu_text)(returned, buf)

const char *err_text(int code, char *buf, size_t size)
{
  return TEXT_OF(strerror_r(code, buf, size), buf);
}

const char *err_limit(int code)
{
  if (code == EMFILE)
    return " (see ulimit -n)";
  return code == EFBIG ? " (see ulimit -f)" : "";
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

  len = strlen(err->text);
  (void)snprintf(err->text + len, sizeof(err->text) - len, " errno = %d (%s)",
                 code, err_text(code, why, sizeof(why)));
  return code > 0 ? -code : -EIO;
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
    err_mark_cut(err);
  }
  memcpy(err->text, text, len);
}
