/*
 * streams.h - loops that move memory as fast as the processor can.
 *
 * A block is used as a whole by loops with one array, by halves with two and
 * by thirds with three, so that all loops go over the same memory.  Stores are
 * plain, or go past the caches (non-temporal).
 */
#ifndef BENCH_TESTS_MEMORY_STREAMS_H
#define BENCH_TESTS_MEMORY_STREAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum stream {
  STREAM_READ,  /* the sum of all words */
  STREAM_WRITE, /* every word becomes `value` */
  STREAM_WRITE_NT,
  STREAM_COPY, /* the first half becomes the second one */
  STREAM_COPY_NT,
  STREAM_SCALE, /* first third = second third + STREAM_FACTOR * last third */
  STREAM_SCALE_NT,
  STREAMS,
};

#define STREAM_FACTOR 3.0

/* The words of --memory-kernel, in the order of enum stream; ends with NULL. */
extern const char *const stream_words[];

/* Words are numbers in floating point; sums are those of their bits. */
struct stream_block {
  double *words; /* aligned to 64 bytes */
  size_t n;      /* see stream_words_in() */
  double value;  /* to write */
};

/* Only STREAM_READ returns something: the sum of the words' bits. */
typedef uint64_t stream_run(const struct stream_block *b);

/* One way to write the loops; loops that the machine does not have are NULL. */
struct streams {
  const char *name;
  stream_run *run[STREAMS];
};

/* What every machine of this architecture has. */
const struct streams *streams_baseline(void);
/* The widest that this processor has. */
const struct streams *streams_best(void);
/* Number i of those that this processor has, from the baseline on; NULL: there
 * are no more. */
const struct streams *streams_at(size_t i);

/* Words of the largest block within so many bytes: divisible by 2 and 3 with
 * parts that do not lie at the same place of their pages.  0: too few. */
size_t stream_words_in(uint64_t bytes);

/*
 * Bytes that a loop over n words transfers.  Counted: those that the loop reads
 * and writes.  Owned: with them, lines that a processor reads before it may
 * write to them, which plain stores make it do.
 */
uint64_t stream_counted_bytes(enum stream s, size_t n);
uint64_t stream_owned_bytes(enum stream s, size_t n);

/* ---- checks ---- */

/* Different numbers in all words, by their places. */
void stream_fill(const struct stream_block *b);

/*
 * Run the loop once on numbers that differ by their places, and compare every
 * word with what it should be.  False: one is wrong, or was written to although
 * it should not.
 */
bool stream_verify(const struct streams *of, enum stream s,
                   const struct stream_block *b);

/*
 * What a block holds after loops that began with a write: `low` in the first
 * third, `rest` in all others.
 */
struct stream_content {
  double low, rest;
};

/* After this loop; `value` was written by it. */
struct stream_content stream_content_after(struct stream_content c,
                                           enum stream s, double value);
uint64_t stream_content_sum(struct stream_content c, size_t n);
bool stream_content_is(struct stream_content c, const struct stream_block *b);

#endif
