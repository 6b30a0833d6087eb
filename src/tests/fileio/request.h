/*
 * request.h - one operation on one file.
 */
#ifndef BENCH_TESTS_FILEIO_REQUEST_H
#define BENCH_TESTS_FILEIO_REQUEST_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include "base/compiler.h"

enum file_op {
  FILE_OP_READ,
  FILE_OP_WRITE,
  FILE_OP_FSYNC,
  FILE_OP_TRIM,
  FILE_OP_COMMIT, /* of the log: a write and an fsync for many */
  FILE_OPS,
};

static inline bool file_op_moves(enum file_op op)
{
  return op == FILE_OP_READ || op == FILE_OP_WRITE;
}

struct request {
  enum file_op op;
  uint32_t file;
  uint32_t length; /* like offset, 0 for FILE_OP_FSYNC */
  uint64_t offset;
  uint64_t place; /* among the requests that cover all files */
};

static inline ssize_t calls_transfer(int fd, const struct request *r, char *buf)
{
  const off_t at = (off_t)r->offset;
  ssize_t n;

  do {
    n = r->op == FILE_OP_READ ? pread(fd, buf, r->length, at)
                              : pwrite(fd, buf, r->length, at);
  } while (UNLIKELY(n < 0 && errno == EINTR));
  return n;
}

/* Punches a hole, or discards blocks of a device. */
static inline int calls_trim(int fd, const struct request *r)
{
#ifdef FALLOC_FL_PUNCH_HOLE
  int rc;

  do {
    rc = fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                   (off_t)r->offset, (off_t)r->length);
  } while (rc < 0 && errno == EINTR);
  return rc;
#else
  (void)fd;
  (void)r;
  errno = ENOSYS;
  return -1;
#endif
}

/* data_only: without metadata that reading does not need. */
static inline int calls_sync(int fd, bool data_only)
{
  int rc;

  do {
    rc = data_only ? fdatasync(fd) : fsync(fd);
  } while (rc < 0 && errno == EINTR);
  return rc;
}

#endif
