/*
 * queue_opts.h - the option rows of the engines that queue requests.
 */
#ifndef BENCH_TESTS_FILEIO_QUEUE_OPTS_H
#define BENCH_TESTS_FILEIO_QUEUE_OPTS_H

#include "tests/fileio/options.h"

/*
 * These rows are in the middle of the test's table, because users know the
 * order of its help.
 */
#define FILEIO_QUEUE_OPTS                                                     \
  {                                                                           \
    OPT_INT(struct fileio_cfg, backlog),                                      \
      .name = "file-async-backlog", .def = "128", .min = 1, .max = 1048576,   \
      .help = "number of asynchronous operations to queue per thread",        \
      .man = "The queue depth of the I/O modes async and io_uring: how many " \
             "requests of each thread may be in flight.",                     \
  }

/*
 * These rows come last in the table: sysbench does not have them, and an alias
 * must come after its option.
 */
#define FILEIO_QUEUE_ALIAS_OPTS                                             \
  {                                                                         \
    OPT_INT(struct fileio_cfg, batch),                                      \
    .name = "file-batch",                                                   \
    .def = "1",                                                             \
    .min = 1,                                                               \
    .max = 1048576,                                                         \
    .help = "requests submitted, or awaited, with one system call",         \
    .man = "The I/O modes async and io_uring submit requests when so many " \
           "are in line, and wait for so many when the queue is full. "     \
           "io_uring does both in one system call, or polls for a moment "  \
           "in between, if that has paid off, and then waits in a second "  \
           "call; async has a call for each. Completions that are there "   \
           "already cost none. More than 1 costs fewer system calls per "   \
           "request, but requests wait for others, which is part of their " \
           "latency. At most the depth of the queue counts.",               \
  },                                                                        \
    {                                                                       \
      OPT_BOOL(struct fileio_cfg, sqpoll),                                  \
      .name = "file-sqpoll",                                                \
      .def = "off",                                                         \
      .help = "a thread of the kernel takes the requests of io_uring",      \
      .man =                                                                \
        "Each thread of the run has one in the kernel that looks for its "  \
        "requests, so that submitting needs no system call. It uses a "     \
        "processor of its own while there is work.",                        \
    },                                                                      \
  {                                                                         \
    OPT_INT(struct fileio_cfg, backlog),                                    \
      .name = "file-iodepth", .min = 1, .max = 1048576,                     \
      .alias_of = "file-async-backlog",                                     \
      .help = "another name for --file-async-backlog",                      \
  }

#endif
