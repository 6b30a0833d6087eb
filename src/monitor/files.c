/*
 * files.c - the figures of a SQLite database, from its files alone.
 */
#include "monitor/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "monitor/reading.h"

enum {
  CHANGES_AT = 24,     /* in the database: transactions, without a log */
  JOURNAL_AT = 18,     /* 2: there is a log */
  CHECKPOINTS_AT = 12, /* in the log: how often it began anew */
};

static void put(struct server_reading *r, enum server_figure f, double value)
{
  r->has[f] = true;
  r->value[f] = value;
}

static bool number_at(int fd, off_t at, uint32_t *ret)
{
  uint8_t b[4];

  if (pread(fd, b, sizeof(b), at) != (ssize_t)sizeof(b))
    return false;
  *ret = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 |
         b[3];
  return true;
}

/* -1: it does not exist. */
static int open_sized(const char *path, struct server_reading *r,
                      enum server_figure size)
{
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat st;

  if (fd < 0)
    return -1;
  if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
    put(r, size, (double)st.st_size);
    return fd;
  }
  (void)close(fd);
  return -1;
}

void files_read(const char *path, struct server_reading *ret)
{
  char log[PATH_MAX];
  uint32_t n;
  int fd;

  *ret = (struct server_reading){ .at_ns = clock_now_ns() };
  fd = open_sized(path, ret, SERVER_DATA_BYTES);
  if (fd >= 0) {
    if (number_at(fd, JOURNAL_AT, &n) && n >> 24 == 1 &&
        number_at(fd, CHANGES_AT, &n))
      put(ret, SERVER_COMMITS, n);
    (void)close(fd);
  }
  (void)snprintf(log, sizeof(log), "%s-wal", path);
  fd = open_sized(log, ret, SERVER_LOG_SIZE_BYTES);
  if (fd >= 0) {
    if (number_at(fd, CHECKPOINTS_AT, &n))
      put(ret, SERVER_CHECKPOINTS, n);
    (void)close(fd);
  }
  ret->took_ns = clock_now_ns() - ret->at_ns;
}
