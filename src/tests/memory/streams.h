/*
 * streams.h - loops that move memory as fast as the CPU can. A block is one
 * array, two halves or three thirds, so that all loops go over the same memory.
 * Stores are plain, or bypass the caches (non-temporal).
 */
#ifndef BENCH_TESTS_MEMORY_STREAMS_H
#define BENCH_TESTS_MEMORY_STREAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum stream {
  STREAM_READ,  /* returns the sum */
  STREAM_WRITE, /* sets words to `value` */
  STREAM_WRITE_NT,
  STREAM_COPY, /* first half = second half */
  STREAM_COPY_NT,
  STREAM_SCALE, /* first third = second third + STREAM_FACTOR * last third */
  STREAM_SCALE_NT,
  STREAMS,
};

#define STREAM_FACTOR 3.0

/* Of --memory-kernel, in the order of enum stream; ends with NULL. */
extern const char *const stream_words[];

struct stream_block {
  double *words; /* aligned to 64 bytes */
  size_t n;
  double value;
};

/* Only STREAM_READ returns a value: the sum of the words' bits. */
typedef uint64_t stream_run(const struct stream_block *b);

/* Loops that the machine lacks are NULL. */
struct streams {
  const char *name;
  stream_run *run[STREAMS];
};

const struct streams *streams_baseline(void);
/* With the widest vectors of this CPU. */
const struct streams *streams_best(void);
/* Number i of this CPU, from the baseline on; NULL: no more. */
const struct streams *streams_at(size_t i);

/* Words of the largest block within `bytes`: divisible by 2 and 3, and its
 * parts begin at different places of their pages. 0: too few. */
size_t stream_words_in(uint64_t bytes);

/* Bytes of a loop over n words. Counted: read and written. Owned: also the
 * lines that CPUs read before plain stores. */
uint64_t stream_counted_bytes(enum stream s, size_t n);
uint64_t stream_owned_bytes(enum stream s, size_t n);

/* Runs the loop once on numbers that follow from their places. False: a word is
 * wrong. */
bool stream_verify(const struct streams *of, enum stream s,
                   const struct stream_block *b);

/* A block after loops that began with a write. */
struct stream_content {
  double low, rest;
};

/* After this loop, which wrote `value`. */
struct stream_content stream_content_after(struct stream_content c,
                                           enum stream s, double value);
uint64_t stream_content_sum(struct stream_content c, size_t n);
bool stream_content_is(struct stream_content c, const struct stream_block *b);

#endif
