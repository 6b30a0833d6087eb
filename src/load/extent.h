/*
 * extent.h - how much a load is: the chunks of a table, and numbers of rows.
 */
#ifndef BENCH_LOAD_EXTENT_H
#define BENCH_LOAD_EXTENT_H

#include <stdbool.h>
#include <stdint.h>

struct chunks;
struct kind_table;
struct load_setup;
struct maker;

/* Cut a table into chunks, of which this rank has its share. */
void extent_cut(const struct load_setup *s, const struct kind_table *t,
                bool one_writer, struct chunks *ret);

/* The number of rows that this rank loads.  Returns -ENOMEM. */
int extent_rows(const struct load_setup *s, uint64_t *ret);

/* The number of rows in those chunks of a table that are full; all: in every
 * chunk. */
uint64_t extent_there(struct maker *m, const struct chunks *c, bool all);

#endif
