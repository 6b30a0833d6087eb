/*
 * sqltest.h - a file of SQL as a test: an event is one pass through it.
 */
#ifndef BENCH_SQLFILE_RUN_SQLTEST_H
#define BENCH_SQLFILE_RUN_SQLTEST_H

#include <stdbool.h>

struct db_process;
struct sqlfile;
struct test_ops;

/* What the functions of the test get as `cfg`; all is borrowed. */
struct sqltest_cfg {
  const struct sqlfile *file;
  struct db_process *db;
  const char *member; /* [opt] the name of the file in a mix */
  unsigned workers;   /* that run it; 0: all of the run */
  bool db_line;       /* the driver may add a line to the mode block */
};

extern const struct test_ops sqltest_ops;

#endif
