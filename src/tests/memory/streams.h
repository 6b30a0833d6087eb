/*
 * streams.h - loops that move memory as fast as the processor can.
 *
 * A loop with one array uses a block as a whole, with two arrays its halves,
 * and with three its thirds, so that all loops go over the same memory.  Stores
 * are plain, or bypass the caches (non-temporal).
 */
#ifndef BENCH_TESTS_MEMORY_STREAMS_H
#define BENCH_TESTS_MEMORY_STREAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum stream {
  STREAM_READ,  /* returns the sum of all words */
  STREAM_WRITE, /* sets every word to `value` */
  STREAM_WRITE_NT,
  STREAM_COPY, /* copies the first half to the second one */
  STREAM_COPY_NT,
  STREAM_SCALE, /* first third = second third + STREAM_FACTOR * last third */
  STREAM_SCALE_NT,
  STREAMS,
};

#define STREAM_FACTOR 3.0

/* The words of --memory-kernel, in the order of enum stream; ends with NULL. */
extern const char *const stream_words[];

/* The words are floating-point numbers; sums are those of their bits. */
struct stream_block {
  double *words; /* aligned to 64 bytes */
  size_t n;      /* see stream_words_in() */
  double value;  /* the value to write */
};

/* Only STREAM_READ returns a value: the sum of the words' bits. */
typedef uint64_t stream_run(const struct stream_block *b);

/* One implementation of the loops; NULL if the machine does not have a loop. */
struct streams {
  const char *name;
  stream_run *run[STREAMS];
};

/* The loops that every machine of this architecture has. */
const struct streams *streams_baseline(void);
/* The widest loops that this processor has. */
const struct streams *streams_best(void);
/*
 * Number i of those that this processor has, beginning with the baseline; NULL:
 * there are no more.
 */
const struct streams *streams_at(size_t i);

/*
 * Words of the largest block within `bytes`.  It is divisible by 2 and 3, and
 * its parts do not begin at the same place of their pages.  0: too few.
 */
size_t stream_words_in(uint64_t bytes);

/*
 * Bytes that a loop over n words transfers.  Counted: those that the loop reads
 * and writes.  Owned: also the lines that a processor reads before it may write
 * to them, which is the case with plain stores.
 */
uint64_t stream_counted_bytes(enum stream s, size_t n);
uint64_t stream_owned_bytes(enum stream s, size_t n);

/* ---- checks ---- */

/*
 * Run the loop once on numbers that follow from their places, and check every
 * word.  False: a word is wrong, or was written to although it should not be.
 */
bool stream_verify(const struct streams *of, enum stream s,
                   const struct stream_block *b);

/*
 * The content of a block after loops that began with a write: `low` in the
 * first third, `rest` in all others.
 */
struct stream_content {
  double low, rest;
};

/* The content after this loop; `value` was written by it. */
struct stream_content stream_content_after(struct stream_content c,
                                           enum stream s, double value);
uint64_t stream_content_sum(struct stream_content c, size_t n);
bool stream_content_is(struct stream_content c, const struct stream_block *b);

#endif
