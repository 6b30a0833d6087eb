/*
 * tpcc.h - the tables of the tpcc script.
 */
#ifndef BENCH_LOAD_KINDS_TPCC_H
#define BENCH_LOAD_KINDS_TPCC_H

#include <stdint.h>

#include "db/load/kind.h"

enum tpcc_param {
  TPCC_WAREHOUSES,
  TPCC_DISTRICTS, /* per warehouse */
  TPCC_CUSTOMERS, /* and orders, per district */
  TPCC_ITEMS,
  TPCC_C_LOAD, /* the constant of NURand for last names */
  TPCC_CENTS,  /* 1: integers: cents, or 1/10000 */
  TPCC_PARAMS
};

/* The largest come first, for the other threads. */
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
  TPCC_ROW_MAX = 1600, /* bytes of a row */
};

/* Before the first run, for a key of table stock. */
unsigned tpcc_first_quantity(uint64_t seed, uint64_t key);

#endif
