/*
 * mem.h - memory whose size was checked.
 */
#ifndef BENCH_BASE_MEM_H
#define BENCH_BASE_MEM_H

#include <stddef.h>

/* n * size zero bytes, aligned to `align` (a power of two), for free(). NULL:
 * no memory, or overflow. */
void *mem_aligned(size_t n, size_t size, size_t align);

/* Freed blocks up to about this size stay with the thread, a few of each size,
 * for malloc(), not calloc() or realloc(). */
enum {
  MEM_KEPT = 1024
};

/* The same without alignment, for objects that come and go with a
 * connection. */
void *mem_new(size_t n, size_t size);

/* Zeroed pages, which take memory when written to. NULL: no memory. */
void *mem_pages(size_t bytes);
void mem_pages_free(void *pages, size_t bytes); /* `pages` may be NULL */

/* NULL: no memory. */
char *mem_strdup(const char *text);
char *mem_strndup(const char *text, size_t len);

/* Overwrites first. */
void mem_free_secret(char *text);

#endif
