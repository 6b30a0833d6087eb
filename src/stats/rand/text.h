/*
 * text.h - random strings. Nothing allocates or writes a zero byte.
 */
#ifndef BENCH_RAND_TEXT_H
#define BENCH_RAND_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct rng;

/*
 * Copies `len` bytes; `#` becomes a decimal digit, `@` a letter a..z, uniform
 * and independent. `out` may be `format` itself, but must not overlap it
 * otherwise.
 */
void text_fill(struct rng *rng, const char *format, size_t len, char *out);

/* Returns the length of a string of '0'..'z' (48..122), uniform in min..max;
 * `out` has room for `max`. max 0 gives 0; a min above max counts as 1. */
uint32_t text_varstring(struct rng *rng, char *out, uint32_t min, uint32_t max);

#endif
