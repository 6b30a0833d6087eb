/*
 * mem.h - memory whose size was checked.
 */
#ifndef BENCH_BASE_MEM_H
#define BENCH_BASE_MEM_H

#include <stddef.h>

/* n * size zero bytes, aligned to `align` (a power of two); NULL when there is
 * not enough memory or the product overflows.  Free them with free(). */
void *mem_aligned(size_t n, size_t size, size_t align);

/*
 * Blocks up to about this size that a thread frees go to a cache of the thread,
 * a few of each size.  calloc() and realloc() never take from the cache: they
 * would fill it once for each size.
 */
enum {
  MEM_KEPT = 1024
};

/* n * size zero bytes, for objects that come and go with a connection; NULL as
 * above.  Free them with free(). */
void *mem_new(size_t n, size_t size);

/* Zeroed pages from the kernel, which take no memory until they are written to;
 * NULL when out of memory. */
void *mem_pages(size_t bytes);
void mem_pages_free(void *pages, size_t bytes); /* `pages` may be NULL */

/* A copy of the text, or of its first `len` bytes; NULL when out of memory. */
char *mem_strdup(const char *text);
char *mem_strndup(const char *text, size_t len);

#endif
