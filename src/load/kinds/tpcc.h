/*
 * tpcc.h - the tables and sizes of the tpcc script.
 */
#ifndef BENCH_LOAD_KINDS_TPCC_H
#define BENCH_LOAD_KINDS_TPCC_H

#include <stddef.h>
#include <stdint.h>

#include "load/kind.h"

/* The parameters of the kind. */
enum tpcc_param {
  TPCC_WAREHOUSES,
  TPCC_DISTRICTS, /* of a warehouse */
  TPCC_CUSTOMERS, /* of a district, and orders */
  TPCC_ITEMS,
  TPCC_C_LOAD, /* the constant of NURand for last names */
  TPCC_CENTS,  /* 1: money is a number of cents, and rates one of 1/10000 */
  TPCC_PARAMS
};

/* The numbers of the tables: the largest ones come first, so that other threads
 * load the rest meanwhile. */
enum tpcc_table {
  TPCC_ORDER_LINE = 1,
  TPCC_STOCK,
  TPCC_CUSTOMER,
  TPCC_HISTORY,
  TPCC_ORDERS,
  TPCC_NEW_ORDER,
  TPCC_ITEM,
  TPCC_DISTRICT,
  TPCC_WAREHOUSE,
  TPCC_TABLES = TPCC_WAREHOUSE
};

enum {
  TPCC_STD_DISTRICTS = 10,
  TPCC_STD_CUSTOMERS = 3000,
  TPCC_STD_ITEMS = 100000,
  TPCC_MIN_LINES = 5,
  TPCC_MAX_LINES = 15,
  TPCC_ROW_MAX = 1600, /* bytes of a row in any form */
};

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
