/*
 * queue_opts.h - the option rows of the engines that queue requests.
 */
#ifndef BENCH_TESTS_FILEIO_QUEUE_OPTS_H
#define BENCH_TESTS_FILEIO_QUEUE_OPTS_H

#include "tests/fileio/options.h"

/* They stand in the middle of the test's table, because users know the order
 * of its help. */
#define FILEIO_QUEUE_OPTS                                                     \
  {                                                                           \
    OPT_INT(struct fileio_cfg, backlog),                                      \
      .name = "file-async-backlog", .def = "128", .min = 1, .max = 1048576,   \
      .help = "number of asynchronous operations to queue per thread",        \
      .man = "The queue depth of the I/O modes async and io_uring: how many " \
             "requests of each thread may be in flight.",                     \
  }

/* Comes last in the table: what it stands for is known by then. */
#define FILEIO_QUEUE_ALIAS_OPTS                         \
  {                                                     \
    OPT_INT(struct fileio_cfg, backlog),                \
      .name = "file-iodepth", .min = 1, .max = 1048576, \
      .alias_of = "file-async-backlog",                 \
      .help = "another name for --file-async-backlog",  \
  }

#endif
