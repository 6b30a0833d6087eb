#include "base/beside.h"

#include <stdio.h>
#include <string.h>

#include "base/os/os.h"

bool beside_program(char buf[PATH_MAX], const char *below)
{
  char *slash = os_program(buf) ? strrchr(buf, '/') : NULL;
  size_t room;

  if (slash) {
    room = (size_t)(buf + PATH_MAX - slash);
    if (snprintf(slash, room, "%s", below) < (int)room)
      return true;
  }
  buf[0] = '\0';
  return false;
}
