/*
 * blocks.h - the sizes of requests: one, or several with weights.
 */
#ifndef BENCH_TESTS_FILEIO_BLOCKS_H
#define BENCH_TESTS_FILEIO_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

struct strbuf;

#define BLOCKS_MAX 16

struct blocks {
  unsigned n;
  uint64_t size[BLOCKS_MAX];  /* bytes, in the order in which they were given */
  double percent[BLOCKS_MAX]; /* share of the requests */
  uint64_t below[BLOCKS_MAX]; /* draws below it choose the size */
  uint64_t smallest, largest;
};

/*
 * Parse "SIZE", or "SIZE@WEIGHT,SIZE@WEIGHT,...".  -EINVAL: the text has
 * another form; *ret is unchanged.
 */
int blocks_parse(const char *text, struct blocks *ret);

/* Can the text be parsed?  Used by the row of the option. */
bool blocks_good(const char *text);

/* Choose the size of a request with 64 random bits. */
static inline uint64_t blocks_draw(const struct blocks *b, uint64_t random)
{
  unsigned i = 0;

  while (i + 1 < b->n && random >= b->below[i])
    i++;
  return b->size[i];
}

/* Add "Block size 16KiB", or "Block sizes 4KiB (70%), 64KiB (30%)". */
void blocks_describe(const struct blocks *b, struct strbuf *out);

#endif
