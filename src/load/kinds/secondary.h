/*
 * secondary.h - the rows of the table of the script secondary, and which of
 * them have a value of the indexed column.
 *
 * The ids 1, 2, ... are scattered over the values 1..keys of the column k, so
 * that each value has the same number of rows, anywhere in the table.
 */
#ifndef BENCH_LOAD_KINDS_SECONDARY_H
#define BENCH_LOAD_KINDS_SECONDARY_H

#include <stdint.h>

#include "rand/scramble.h"

/* The parameters of the kind. */
enum secondary_param {
  SECONDARY_KEYS,
  SECONDARY_PER_KEY, /* rows of a key */
  SECONDARY_SEED,
};

struct secondary {
  uint64_t seed, per_key;
  struct scramble order; /* ids to places, which k is made from */
};

/* `param` is indexed by enum secondary_param; all but the seed are at least 1.
 */
void secondary_init(struct secondary *s, const uint64_t *param);

/* The columns k and v of row `id`. */
uint64_t secondary_k(const struct secondary *s, uint64_t id);
uint64_t secondary_v(const struct secondary *s, uint64_t id);

/* The ids of value k, n of 0..per_key-1, in no order. */
uint64_t secondary_id(const struct secondary *s, uint64_t k, uint64_t n);

#endif
