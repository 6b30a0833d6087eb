/*
 * stream_check.c - the bytes that loops over memory transfer, and a check of
 * their results.
 */
#include <string.h>

#include "base/compiler.h"
#include "tests/memory/streams.h"

const char *const stream_words[] = {
  "read",    "write",     "write-nt",     "copy",
  "copy-nt", "scale-add", "scale-add-nt", NULL,
};

/* The number of arrays that a loop uses, and how it uses them. */
static const struct {
  unsigned arrays, read, written;
  bool past; /* stores go past the caches */
} shape[STREAMS] = {
  [STREAM_READ] = { 1, 1, 0, false },    [STREAM_WRITE] = { 1, 0, 1, false },
  [STREAM_WRITE_NT] = { 1, 0, 1, true }, [STREAM_COPY] = { 2, 1, 1, false },
  [STREAM_COPY_NT] = { 2, 1, 1, true },  [STREAM_SCALE] = { 3, 2, 1, false },
  [STREAM_SCALE_NT] = { 3, 2, 1, true },
};

enum {
  UNIT = 384, /* words: 3 KiB, so that halves and thirds are whole turns of
               * the loops with the widest vectors */
  SPREAD = 8, /* units: with one more than a multiple of them, the parts
               * begin at different places of their pages */
};

size_t stream_words_in(uint64_t bytes)
{
  const uint64_t units = bytes / (UNIT * sizeof(double));

  if (units == 0)
    return 0;
  return (size_t)((units - 1) / SPREAD * SPREAD + 1) * UNIT;
}

uint64_t stream_counted_bytes(enum stream s, size_t n)
{
  return n / shape[s].arrays * sizeof(double) *
         (shape[s].read + shape[s].written);
}

uint64_t stream_owned_bytes(enum stream s, size_t n)
{
  const unsigned owned = shape[s].past ? 0 : shape[s].written;

  return n / shape[s].arrays * sizeof(double) *
         (shape[s].read + shape[s].written + owned);
}

/* Small integers make all results exact. */
static double number_at(size_t i)
{
  return (double)((i * 2654435761U >> 7) & 0xffff);
}

/* Give all words different numbers, which follow from their places. */
static void stream_fill(const struct stream_block *b)
{
  for (size_t i = 0; i < b->n; i++)
    b->words[i] = number_at(i);
}

static double expected_at(enum stream s, const struct stream_block *b, size_t i)
{
  switch (shape[s].arrays * (shape[s].written > 0)) {
  case 1:
    return b->value;
  case 2:
    return number_at(i < b->n / 2 ? i + b->n / 2 : i);
  case 3:
    return i < b->n / 3 ? number_at(i + b->n / 3) +
                            STREAM_FACTOR * number_at(i + b->n / 3 * 2)
                        : number_at(i);
  default:
    return number_at(i);
  }
}

static uint64_t bits_of(double x)
{
  uint64_t bits;

  memcpy(&bits, &x, sizeof(bits));
  return bits;
}

bool stream_verify(const struct streams *of, enum stream s,
                   const struct stream_block *b)
{
  uint64_t sum = 0, said;

  stream_fill(b);
  said = of->run[s](b);
  for (size_t i = 0; i < b->n; i++) {
    if (b->words[i] != expected_at(s, b, i))
      return false;
    sum += bits_of(b->words[i]);
  }
  return s != STREAM_READ || said == sum;
}

struct stream_content stream_content_after(struct stream_content c,
                                           enum stream s, double value)
{
  switch (shape[s].arrays * (shape[s].written > 0)) {
  case 1:
    return (struct stream_content){ value, value };
  case 2:
    return (struct stream_content){ c.rest, c.rest };
  case 3:
    return (struct stream_content){ c.rest + STREAM_FACTOR * c.rest, c.rest };
  default:
    return c;
  }
}

uint64_t stream_content_sum(struct stream_content c, size_t n)
{
  return n / 3 * bits_of(c.low) + (n - n / 3) * bits_of(c.rest);
}

GOES_OVER_MEMORY bool stream_content_is(struct stream_content c,
                                        const struct stream_block *b)
{
  for (size_t i = 0; i < b->n; i++) {
    if (b->words[i] != (i < b->n / 3 ? c.low : c.rest))
      return false;
  }
  return true;
}
