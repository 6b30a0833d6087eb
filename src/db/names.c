/*
 * names.c - how a server is named besides the options of a driver.
 */
#include "db/names.h"

#include <string.h>

bool names_have(const char *const *list, const char *text)
{
  for (; list && *list; list++) {
    if (strcmp(*list, text) == 0)
      return true;
  }
  return false;
}

static bool is_same(const char *a, const char *b)
{
  for (; *a || *b; a++, b++) {
    if ((*a == '_' ? '-' : *a) != (*b == '_' ? '-' : *b))
      return false;
  }
  return true;
}

const struct target_name *names_find(const struct target_name *rows,
                                     const char *name)
{
  for (; rows->name; rows++) {
    if (is_same(rows->name, name))
      return rows;
  }
  return NULL;
}
