/*
 * text.h - random strings.  Nothing here allocates; no zero byte is written.
 */
#ifndef BENCH_RAND_TEXT_H
#define BENCH_RAND_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct rng;

/*
 * Write the `len` bytes of `format` to `out`: `#` becomes a decimal digit, `@`
 * a letter a..z, each uniform and independent of the others; every other byte
 * is copied.  Exactly `len` bytes are written.  `out` may be `format` itself,
 * but must not overlap it otherwise.
 */
void text_fill(struct rng *rng, const char *format, size_t len, char *out);

/* Write a string to `out`, which has room for `max` bytes.  Its length is
 * uniform in min..max, and each character is uniform in '0'..'z' (48..122).
 * Returns the length.  It is 0 if max is 0; a min above max counts as 1. */
uint32_t text_varstring(struct rng *rng, char *out, uint32_t min, uint32_t max);

#endif
