#include "lua/find/embedded.h"

#include <string.h>

const struct embedded_script *embedded_find(const char *path)
{
  static const char folder[] = EMBEDDED_FOLDER "/";
  const size_t len = sizeof(folder) - 1;

  if (strncmp(path, folder, len) != 0)
    return NULL;
  for (const struct embedded_script *s = embedded_scripts; s->path; s++)
    if (strcmp(s->path, path + len) == 0)
      return s;
  return NULL;
}
