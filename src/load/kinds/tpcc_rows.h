/*
 * tpcc_rows.h - the rows of the tables of the tpcc script.
 */
#ifndef BENCH_LOAD_KINDS_TPCC_ROWS_H
#define BENCH_LOAD_KINDS_TPCC_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "load/kind.h"
#include "load/kinds/tpcc.h"

/* The state of a maker: the customers of the orders of one district. */
struct tpcc_rows {
  uint64_t district; /* of all districts, from 1; 0: none yet */
  uint16_t customer[TPCC_STD_CUSTOMERS]; /* a permutation */
};

/* The number of the first order of a district that was not delivered. */
uint64_t tpcc_first_undelivered(const struct kind_args *args);

/* The number of lines of an order, 5..15; its key is that of table orders. */
unsigned tpcc_order_lines(const struct kind_args *args, uint64_t key);

/* What a row of stock has before the first run; its key is that of the table.
 */
unsigned tpcc_first_quantity(uint64_t seed, uint64_t key);

/* The member `put` of struct kind. */
size_t tpcc_put(struct maker *m, enum rows_form form, uint64_t key, char *to);

#endif
