/*
 * sqltest.h - a file of SQL as a test: an event is one pass.
 */
#ifndef BENCH_SQLFILE_RUN_SQLTEST_H
#define BENCH_SQLFILE_RUN_SQLTEST_H

#include <stdbool.h>

struct db_process;
struct sqlfile;
struct test_ops;

/* The `cfg` of the test; borrowed. */
struct sqltest_cfg {
  const struct sqlfile *file;
  struct db_process *db;
  const char *member; /* [opt] name in a mix */
  unsigned workers;   /* its workers; 0: all of the run */
  bool db_line;       /* the driver may add a line to the mode block */
};

extern const struct test_ops sqltest_ops;

#endif
