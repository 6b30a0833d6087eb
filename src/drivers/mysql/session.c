/*
 * session.c - functions on sessions that all parts of the mysql driver use.
 */
#include "drivers/mysql/session.h"

#include <stdlib.h>

#include "base/compiler.h"

bool mysqld_session_digits(struct mysql_session *s, uint32_t columns)
{
  const size_t need = (size_t)columns * VALUE_ROOM;
  char *p;

  if (LIKELY(need <= s->digits_room))
    return true;
  p = realloc(s->digits, need);
  if (!p)
    return false;
  s->digits = p;
  s->digits_room = need;
  return true;
}
