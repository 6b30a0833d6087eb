/*
 * mem.c - memory whose size was checked.
 */
#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *mem_aligned(size_t n, size_t size, size_t align)
{
  size_t bytes;
  void *p;

  if (__builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX - align)
    return NULL;
  bytes = (bytes + align - 1) & ~(align - 1);
  p = aligned_alloc(align, bytes ? bytes : align);
  if (p)
    memset(p, 0, bytes);
  return p;
}

char *mem_strndup(const char *text, size_t len)
{
  char *copy = malloc(len + 1);

  if (copy) {
    memcpy(copy, text, len);
    copy[len] = '\0';
  }
  return copy;
}

char *mem_strdup(const char *text)
{
  return mem_strndup(text, strlen(text));
}
