/*
 * proc.c - reads /proc/meminfo.
 */
#include "machine/proc.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

bool proc_meminfo(const char *root, const char *name, uint64_t *ret)
{
  const size_t len = strlen(name);
  char path[PATH_MAX], line[128];
  unsigned long long kib;
  bool found = false;
  FILE *f;

  (void)snprintf(path, sizeof(path), "%s/proc/meminfo", root);
  f = fopen(path, "re");
  if (!f)
    return false;
  while (!found && fgets(line, sizeof(line), f))
    found = strncmp(line, name, len) == 0 &&
            sscanf(line + len, ": %llu kB", &kib) == 1;
  (void)fclose(f);
  if (found)
    *ret = (uint64_t)kib * 1024;
  return found;
}
