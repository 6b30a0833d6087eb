/*
 * buffer.h - allocates the memory to be measured: page-aligned, zero, touched
 * once.
 */
#ifndef BENCH_TESTS_MEMORY_BUFFER_H
#define BENCH_TESTS_MEMORY_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

struct err;

struct memory_buffer {
  uint64_t *words; /* NULL: none */
  uint64_t mapped; /* bytes */
};

/*
 * Map and touch `bytes`, on the NUMA node of the calling thread.  With `huge`,
 * the memory comes from the system's pool of huge pages, rounded up to whole
 * ones.
 */
int memory_buffer_map(struct memory_buffer *b, uint64_t bytes, bool huge,
                      struct err *err);
void memory_buffer_unmap(struct memory_buffer *b);

#endif
