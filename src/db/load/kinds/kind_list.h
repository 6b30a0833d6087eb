/*
 * kind_list.h - all kinds of tables.
 */
#ifndef BENCH_LOAD_KINDS_KIND_LIST_H
#define BENCH_LOAD_KINDS_KIND_LIST_H

#include "db/load/kind.h"

/* Ends with NULL. */
extern const struct kind *const kind_list[];

/* Or NULL. */
const struct kind *kind_find(const char *name);

/* Each in the file of its name; bank and counter in numbers.c. */
extern const struct kind kind_bank;
extern const struct kind kind_counter;
extern const struct kind kind_json;
extern const struct kind kind_sbtest;
extern const struct kind kind_secondary;
extern const struct kind kind_tpcb;
extern const struct kind kind_tpcc;
extern const struct kind kind_ycsb;

#endif
