/*
 * secondary.h - the rows of the script secondary.
 *
 * The column k has the values 1..keys, each in equally many rows, scattered
 * over the table.
 */
#ifndef BENCH_LOAD_KINDS_SECONDARY_H
#define BENCH_LOAD_KINDS_SECONDARY_H

#include <stdint.h>

#include "stats/rand/scramble.h"

enum secondary_param {
  SECONDARY_KEYS,
  SECONDARY_PER_KEY, /* rows of a key */
  SECONDARY_SEED,
};

struct secondary {
  uint64_t seed, per_key;
  struct scramble order; /* ids to places, for k */
};

/* `param`: enum secondary_param, at least 1 except the seed. */
void secondary_init(struct secondary *s, const uint64_t *param);

uint64_t secondary_k(const struct secondary *s, uint64_t id);
uint64_t secondary_v(const struct secondary *s, uint64_t id);

/* For value k; n is 0..per_key-1. */
uint64_t secondary_id(const struct secondary *s, uint64_t k, uint64_t n);

#endif
