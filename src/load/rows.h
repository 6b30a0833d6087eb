/*
 * rows.h - the rows of the OLTP tables.  Each row is a pure function of the
 * seed, the number of the table and the id, so any thread can make it at any
 * time.
 *
 * Columns: id, k (the user's distribution over 1..size), c and pad (groups of
 * digits).
 */
#ifndef BENCH_LOAD_ROWS_H
#define BENCH_LOAD_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load/row.h"
#include "rand/dist.h"

enum {
  ROWS_C = 119,  /* characters of column c */
  ROWS_PAD = 59, /* characters of column pad */
  ROWS_MAX = 256 /* bytes of one row in any form, with some reserve */
};

/* Makes the rows of one table; belongs to one thread. */
struct rows {
  uint64_t seed, table, size;
  const struct rand_params *params; /* borrowed */
  bool wide;                        /* ROWS_BINARY: columns of 64 bits */
  struct zipf_cache zipf;
};

/* A table of `size` rows. */
void rows_init(struct rows *r, const struct rand_params *params, uint64_t seed,
               uint64_t table, uint64_t size);

/* The values of row `id`: returns k, and writes c and pad without a zero
 * byte. */
uint64_t rows_values(struct rows *r, uint64_t id, char c[ROWS_C],
                     char pad[ROWS_PAD]);

/* Write row `id`, at most ROWS_MAX bytes; returns what was written. */
size_t rows_put(struct rows *r, enum rows_form form, uint64_t id, char *to);

#endif
