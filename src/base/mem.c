#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/os/os.h"

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

void *mem_new(size_t n, size_t size)
{
  size_t bytes;
  void *p;

  if (__builtin_mul_overflow(n, size, &bytes))
    return NULL;
  p = malloc(bytes ? bytes : 1);
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

void *mem_pages(size_t bytes)
{
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  return p == MAP_FAILED ? NULL : p;
}

void mem_pages_free(void *pages, size_t bytes)
{
  if (pages)
    (void)munmap(pages, bytes);
}

char *mem_strdup(const char *text)
{
  return mem_strndup(text, strlen(text));
}

void mem_free_secret(char *text)
{
  if (text)
    explicit_bzero(text, strlen(text));
  free(text);
}
