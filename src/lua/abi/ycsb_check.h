/*
 * ycsb_check.h - what the functions of the ycsb script share: its tables and
 * rows, and the inserts of earlier runs, which `check` looks for.
 */
#ifndef BENCH_LUA_ABI_YCSB_CHECK_H
#define BENCH_LUA_ABI_YCSB_CHECK_H

#include "load/kinds/ycsb.h"

struct conn;
struct err;
struct pace;
struct strbuf;

/* The numbers of the rows of a run are below that of its first one plus this.
 */
#define YCSB_RUN_MAX (UINT64_C(1) << 40)

/* The inserts of one process in one run. */
struct ycsb_inserts {
  uint64_t first, stride;
  uint64_t readable;     /* the first ones; all of them were acknowledged */
  uint64_t acknowledged; /* at least `readable` */
  uint64_t begun;        /* if that is unknown: as many as possible */
};

/* What all clients of a process share. */
struct ycsb_shared {
  struct ycsb_keys keys;
  const struct ycsb_workload *workload;
  struct ycsb_inserts *inserts; /* owned */
  size_t n_inserts;
};

/* The process that has inserted this row; NULL: none has. */
struct ycsb_inserts *ycsb_find_inserts(const struct ycsb_shared *s,
                                       uint64_t row);

/*
 * Read the whole table.  *faults describes rows that break a rule, and stays
 * empty if there are none.  *ret_inserted: rows that prepare has not made.
 * Returns -EIO if the table cannot be read, or -ENOMEM.
 */
int ycsb_check(struct conn *c, struct ycsb_shared *s, struct pace *pace,
               uint64_t *ret_rows, uint64_t *ret_inserted,
               struct strbuf *faults, struct err *err);

#endif
