/*
 * lookup.h - finds small numbers by a hash: a table of indexes, which grows.
 */
#ifndef BENCH_HISTORY_LOOKUP_H
#define BENCH_HISTORY_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* {0} is an empty table. */
struct lookup {
  uint32_t *slots; /* owned; index + 1, 0: free */
  size_t mask;
  size_t n;
};

/* What a table compares with: is the thing with this index the wanted one? */
typedef bool lookup_same(const void *ctx, uint32_t index);
/* The hash of the thing with this index. */
typedef uint64_t lookup_hash(const void *ctx, uint32_t index);

void lookup_done(struct lookup *l);

/* Returns UINT32_MAX if nothing is found. */
uint32_t lookup_find(const struct lookup *l, uint64_t hash, lookup_same *same,
                     const void *ctx);

/* Add an index that is not there yet.  Returns -ENOMEM. */
int lookup_add(struct lookup *l, uint32_t index, lookup_hash *hash,
               const void *ctx);

/* Mixes two numbers. */
uint64_t lookup_mix(uint64_t a, uint64_t b);

#endif
