/*
 * received.c - the file of a log that another machine sends.
 */
#include "ack/received.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"

static void make_name(struct received *r, const struct ack_hello *hello)
{
  const time_t at = (time_t)(hello->start_real_ns / NS_PER_S);
  char when[32] = "";
  struct tm tm;

  if (gmtime_r(&at, &tm))
    (void)strftime(when, sizeof(when), "%Y%m%d-%H%M%S", &tm);
  (void)snprintf(r->name, sizeof(r->name), "acks-%s-%08" PRIx32 ".log", when,
                 (uint32_t)hello->run);
}

int received_open(struct received *r, int folder, const struct ack_hello *hello,
                  struct err *err)
{
  const int how = hello->again ? 0 : O_CREAT | O_EXCL;
  struct stat st;

  *r = (struct received){ .fd = -1, .run = hello->run };
  make_name(r, hello);
  r->fd = openat(folder, r->name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | how, 0644);
  if (r->fd < 0)
    return err_sys(err, "cannot write '%s',", r->name);
  if (flock(r->fd, LOCK_EX | LOCK_NB) < 0 || fstat(r->fd, &st) < 0) {
    const int rc = err_sys(err, "cannot use '%s',", r->name);

    received_close(r);
    return rc;
  }
  r->bytes = (uint64_t)st.st_size;
  return 0;
}

/* The file always ends with a whole chunk, as one of this machine would. */
static int grow(struct received *r, uint64_t to, struct err *err)
{
  const uint64_t bytes = (to + ACK_WIRE_CHUNK - 1) / ACK_WIRE_CHUNK *
                         ACK_WIRE_CHUNK;

  if (bytes <= r->bytes)
    return 0;
  if (ftruncate(r->fd, (off_t)bytes) < 0)
    return err_sys(err, "cannot write '%s',", r->name);
  r->bytes = bytes;
  return 0;
}

static int write_all(struct received *r, const char *from,
                     const struct ack_frame *f, struct err *err)
{
  size_t done = 0;

  while (done < f->bytes) {
    const ssize_t n = pwrite(r->fd, from + done, f->bytes - done,
                             (off_t)(f->offset + done));

    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return err_sys(err, "cannot write '%s',", r->name);
    done += (size_t)n;
  }
  return 0;
}

int received_apply(struct received *r, const char *frames, size_t n,
                   struct err *err)
{
  size_t at = 0;

  while (at < n) {
    struct ack_frame f;
    int rc;

    if (n - at < sizeof(f))
      return err_set(err, -EPROTO, "a frame is cut");
    memcpy(&f, frames + at, sizeof(f));
    at += sizeof(f);
    if (f.bytes == 0 || f.bytes > n - at || f.offset > r->bytes ||
        f.offset > ACK_WIRE_FILE_BYTES - f.bytes)
      return err_set(err, -EPROTO, "a frame is wrong");
    rc = grow(r, f.offset + f.bytes, err);
    if (rc == 0)
      rc = write_all(r, frames + at, &f, err);
    if (rc < 0)
      return rc;
    at += f.bytes;
  }
  return 0;
}

int received_sync(const struct received *r, struct err *err)
{
  return fdatasync(r->fd) < 0 ? err_sys(err, "cannot write '%s',", r->name) : 0;
}

void received_close(struct received *r)
{
  if (r->fd >= 0)
    (void)close(r->fd);
  r->fd = -1;
}
