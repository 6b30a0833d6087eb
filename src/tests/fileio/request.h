/*
 * request.h - one operation on one file.
 */
#ifndef BENCH_TESTS_FILEIO_REQUEST_H
#define BENCH_TESTS_FILEIO_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

enum file_op {
  FILE_OP_READ,
  FILE_OP_WRITE,
  FILE_OP_FSYNC,
  FILE_OP_TRIM,   /* the block is given back to the device */
  FILE_OP_COMMIT, /* a record in the log: a write and an fsync for many */
  FILE_OPS,
};

/* Does it have a place, and bytes that are read or written? */
static inline bool file_op_moves(enum file_op op)
{
  return op == FILE_OP_READ || op == FILE_OP_WRITE;
}

struct request {
  enum file_op op;
  uint32_t file;
  uint32_t length; /* 0 for FILE_OP_FSYNC, like offset */
  uint64_t offset;
  uint64_t place; /* number of the request among those that cover all files */
};

#endif
