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

static bool put_size(struct server_reading *r, enum server_figure f,
                     const struct stat *st)
{
  if (S_ISREG(st->st_mode))
    put(r, f, (double)st->st_size);
  return S_ISREG(st->st_mode);
}

void files_read(const char *path, struct server_reading *ret)
{
  char log[PATH_MAX];
  struct stat st;
  uint32_t n;
  int fd;

  *ret = (struct server_reading){ .at_ns = clock_now_ns() };
  if (stat(path, &st) == 0)
    (void)put_size(ret, SERVER_DATA_BYTES, &st);
  (void)snprintf(log, sizeof(log), "%s-wal", path);
  fd = open(log, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd >= 0) {
    if (fstat(fd, &st) == 0 && put_size(ret, SERVER_LOG_SIZE_BYTES, &st) &&
        number_at(fd, CHECKPOINTS_AT, &n))
      put(ret, SERVER_CHECKPOINTS, n);
    (void)close(fd);
  }
  ret->took_ns = clock_now_ns() - ret->at_ns;
}
