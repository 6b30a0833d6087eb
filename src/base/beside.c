/*
 * beside.c - files that are found from where the program itself is.
 */
#include "base/beside.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool beside_program(char buf[PATH_MAX], const char *below)
{
  const ssize_t len = readlink("/proc/self/exe", buf, PATH_MAX - 1);
  char *slash;
  size_t room;

  buf[len > 0 ? len : 0] = '\0';
  slash = strrchr(buf, '/');
  if (slash) {
    room = (size_t)(buf + PATH_MAX - slash);
    if (snprintf(slash, room, "%s", below) < (int)room)
      return true;
  }
  buf[0] = '\0';
  return false;
}
