/*
 * escape.c - escapes text for a literal.
 */
#include "drivers/mysql/escape.h"

#include <string.h>

#include "base/compiler.h"

/* After the backslash; 0: no escape. */
static char escape_escaped(char c)
{
  switch (c) {
  case '\0':
    return '0';
  case '\n':
    return 'n';
  case '\r':
    return 'r';
  case '\032':
    return 'Z';
  case '\\':
  case '\'':
  case '"':
    return c;
  default:
    return 0;
  }
}

size_t mysqld_escape(bool plain, char *to, const char *text, size_t len)
{
  char *p = to;

  for (size_t i = 0; i < len; i++) {
    const char c = text[i];
    const char after = plain ? 0 : escape_escaped(c);

    if (plain && c == '\'')
      *p++ = c;
    if (after)
      *p++ = '\\';
    *p++ = after ? after : c;
  }
  return (size_t)(p - to);
}

bool mysqld_escape_fits(const char *charset)
{
  static const char *const names[] = { "utf8",   "utf8mb3", "utf8mb4",
                                       "latin1", "ascii",   "binary" };

  for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
    if (strcmp(charset, names[i]) == 0)
      return true;
  }
  return false;
}
