/*
 * calls.h - the system calls of the engines that execute one request at a time.
 */
#ifndef BENCH_TESTS_FILEIO_CALLS_H
#define BENCH_TESTS_FILEIO_CALLS_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/compiler.h"
#include "tests/fileio/request.h"

/* Read or write; returns the result of pread() or pwrite(). */
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

/* Give the block back: punch a hole, or discard it on a device. */
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

/* Synchronise; data_only: skip metadata that is not needed to read the data. */
static inline int calls_sync(int fd, bool data_only)
{
  int rc;

  do {
    rc = data_only ? fdatasync(fd) : fsync(fd);
  } while (rc < 0 && errno == EINTR);
  return rc;
}

#endif
