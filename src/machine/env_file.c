/*
 * env_file.c - one-line files of the kernel.
 */
#include "machine/env.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static FILE *open_below(const char *root, const char *name)
{
  char path[PATH_MAX];

  (void)snprintf(path, sizeof(path), "%s%s", root, name);
  return fopen(path, "re");
}

bool env_line(const char *root, const char *name, char *ret, size_t size)
{
  FILE *f = open_below(root, name);

  ret[0] = '\0';
  if (!f)
    return false;
  if (!fgets(ret, (int)size, f))
    ret[0] = '\0';
  (void)fclose(f);
  ret[strcspn(ret, "\n")] = '\0';
  return ret[0] != '\0';
}

bool env_field(const char *root, const char *name, const char *key, char *ret,
               size_t size)
{
  const size_t len = strlen(key);
  FILE *f = open_below(root, name);
  char line[4096];
  bool found = false;

  ret[0] = '\0';
  while (f && !found && fgets(line, sizeof(line), f)) {
    const char *p = line + len;

    if (strncmp(line, key, len) != 0)
      continue;
    p += strspn(p, " \t");
    if (*p != ':' && *p != '=')
      continue;
    p += 1 + strspn(p + 1, " \t");
    (void)snprintf(ret, size, "%.*s", (int)strcspn(p, "\n"), p);
    found = true;
  }
  if (f)
    (void)fclose(f);
  return found;
}
