/*
 * classic.h - the test without --memory-test.
 */
#ifndef BENCH_TESTS_MEMORY_CLASSIC_H
#define BENCH_TESTS_MEMORY_CLASSIC_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/memory/options.h"

struct err;
struct rand_stream;
struct report_form;

struct memory_buffer {
  uint64_t *words; /* NULL: none */
  uint64_t mapped;
};

/* Maps zeroed pages and touches them, on the NUMA node of the calling thread.
 * With `huge`, whole pages of the system's pool of huge pages. */
int memory_buffer_map(struct memory_buffer *b, uint64_t bytes, bool huge,
                      struct err *err);
void memory_buffer_unmap(struct memory_buffer *b);

/* The loops that go over a block once. Every access is one scalar 8-byte load
 * or store, which the compiler must not merge, widen, vectorise or drop. */

struct memory_block {
  volatile uint64_t *words;
  uint64_t n; /* a power of two */
  uint64_t value;
  struct rand_stream *rand;
  bool distributed; /* indexes follow --rand-type */
};

typedef void memory_kernel(const struct memory_block *b);

/* [operation][mode] */
extern memory_kernel *const memory_kernels[MEMORY_OPERS][MEMORY_MODES];

/* setup->of_test of memory_form. */
struct memory_moved {
  uint64_t block_bytes;
  bool moves;
};

extern const struct report_form memory_form;

#endif
