#include "base/machine/proc.h"

#include <limits.h>
#include <stdarg.h>
#include <string.h>

static FILE *proc_vopen(const char *root, const char *fmt, va_list ap)
{
  char path[PATH_MAX];
  const int len = snprintf(path, sizeof(path), "%s", root);
  int more;

  if (len >= PATH_MAX)
    return NULL;
  more = vsnprintf(path + len, sizeof(path) - (size_t)len, fmt, ap);
  return more < PATH_MAX - len ? fopen(path, "re") : NULL;
}

FILE *proc_open(const char *root, const char *fmt, ...)
{
  va_list ap;
  FILE *f;

  va_start(ap, fmt);
  f = proc_vopen(root, fmt, ap);
  va_end(ap);
  return f;
}

bool proc_number(uint64_t *ret, const char *root, const char *fmt, ...)
{
  unsigned long long n;
  bool found;
  va_list ap;
  FILE *f;

  va_start(ap, fmt);
  f = proc_vopen(root, fmt, ap);
  va_end(ap);
  if (!f)
    return false;
  found = fscanf(f, "%llu", &n) == 1;
  (void)fclose(f);
  if (found)
    *ret = n;
  return found;
}

bool proc_line(char *ret, size_t size, const char *root, const char *fmt, ...)
{
  va_list ap;
  FILE *f;

  va_start(ap, fmt);
  f = proc_vopen(root, fmt, ap);
  va_end(ap);
  ret[0] = '\0';
  if (!f)
    return false;
  if (!fgets(ret, (int)size, f))
    ret[0] = '\0';
  (void)fclose(f);
  ret[strcspn(ret, "\n")] = '\0';
  return ret[0] != '\0';
}

bool proc_field(const char *root, const char *name, const char *key, char *ret,
                size_t size)
{
  const size_t len = strlen(key);
  FILE *f = proc_open(root, "%s", name);
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

bool proc_counter(const char *root, const char *name, const char *key,
                  uint64_t *ret)
{
  const size_t len = strlen(key);
  FILE *f = proc_open(root, "%s", name);
  unsigned long long n;
  char line[256];
  bool found = false;

  while (f && !found && fgets(line, sizeof(line), f))
    found = strncmp(line, key, len) == 0 && line[len] == ' ' &&
            sscanf(line + len, " %llu", &n) == 1;
  if (f)
    (void)fclose(f);
  if (found)
    *ret = n;
  return found;
}

bool proc_meminfo(const char *root, const char *name, uint64_t *ret)
{
  unsigned long long kib;
  char text[64];

  if (!proc_field(root, "/proc/meminfo", name, text, sizeof(text)) ||
      sscanf(text, "%llu kB", &kib) != 1)
    return false;
  *ret = (uint64_t)kib * 1024;
  return true;
}
