/*
 * kernels.h - the loops that go over a block of memory once.
 *
 * Every access is one scalar 8-byte load or store, which the compiler may not
 * merge, widen, vectorise or drop.
 */
#ifndef BENCH_TESTS_MEMORY_KERNELS_H
#define BENCH_TESTS_MEMORY_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

struct rand_stream;

enum memory_oper {
  MEMORY_READ,
  MEMORY_WRITE,
  MEMORY_NONE,
  MEMORY_OPERS,
};

enum memory_mode {
  MEMORY_SEQ,
  MEMORY_RND,
  MEMORY_MODES,
};

/* The data of a kernel. */
struct memory_block {
  volatile uint64_t *words;
  uint64_t n;               /* words in the block, a power of two */
  uint64_t value;           /* the value to store */
  struct rand_stream *rand; /* for MEMORY_RND */
  bool distributed;         /* indexes follow --rand-type; otherwise uniform */
};

typedef void memory_kernel(const struct memory_block *b);

/* Indexed by operation and mode. */
extern memory_kernel *const memory_kernels[MEMORY_OPERS][MEMORY_MODES];

#endif
