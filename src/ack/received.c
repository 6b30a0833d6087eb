/*
 * received.c - the file of a log that another machine sends.
 */
#include "ack/received.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/minmax.h"

#define NAME_START "acks-"

/* So many bytes, or this part of --log-limit, may be there before they are
 * filled. */
enum {
  EARLY_BYTES = 1 << 30,
  EARLY_PART = 16,
};

static void make_name(struct received *r, const struct ack_hello *hello)
{
  const time_t at = (time_t)(hello->start_real_ns / NS_PER_S);
  char when[32] = "";
  struct tm tm;

  if (gmtime_r(&at, &tm))
    (void)strftime(when, sizeof(when), "%Y%m%d-%H%M%S", &tm);
  (void)snprintf(r->name, sizeof(r->name), NAME_START "%s-%08" PRIx32 ".log",
                 when, (uint32_t)hello->run);
}

/* Counts the logs of the folder.  Files that cannot be looked at count nothing.
 */
static void received_count(struct received_folder *f)
{
  const int fd = openat(f->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *dir = fd < 0 ? NULL : fdopendir(fd);
  const struct dirent *e;
  struct stat st;

  if (!dir) {
    if (fd >= 0)
      (void)close(fd);
    return;
  }
  f->used = 0;
  while ((e = readdir(dir)) != NULL) {
    if (strncmp(e->d_name, NAME_START, strlen(NAME_START)) == 0 &&
        fstatat(f->fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(st.st_mode))
      f->used += (uint64_t)st.st_size;
  }
  (void)closedir(dir);
}

/* May the logs have so many bytes more?  Some may have been removed. */
static int received_reserve(struct received_folder *f, uint64_t bytes,
                            struct err *err)
{
  if (f->used + bytes > f->dir_limit)
    received_count(f);
  if (f->used + bytes > f->dir_limit)
    return err_set(err, -EDQUOT,
                   "refused: all logs together would exceed --dir-limit, "
                   "%" PRIu64 " bytes",
                   f->dir_limit);
  return 0;
}

/* Without write permission for its owner a log is complete. */
static bool received_is_complete(const struct received_folder *f,
                                 const char *name)
{
  struct stat st;

  return fstatat(f->fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
         (st.st_mode & S_IWUSR) == 0;
}

int received_open(struct received *r, struct received_folder *folder,
                  const struct ack_hello *hello, struct err *err)
{
  const int how = hello->again ? 0 : O_CREAT | O_EXCL;
  const uint64_t early = (uint64_t)hello->chunks * ACK_WIRE_CHUNK;
  struct stat st;
  int rc;

  *r = (struct received){ .fd = -1, .folder = folder, .run = hello->run };
  make_name(r, hello);
  if (hello->again && received_is_complete(folder, r->name))
    return err_set(err, -EALREADY, "refused: the log is complete");
  if (early > max_u64(EARLY_BYTES, folder->log_limit / EARLY_PART))
    return err_set(err, -EDQUOT,
                   "refused: so many clients need a --log-limit of %" PRIu64
                   " bytes, and it is %" PRIu64,
                   early * EARLY_PART, folder->log_limit);
  received_count(folder);
  rc = received_reserve(folder, hello->again ? 0 : ACK_WIRE_CHUNK, err);
  if (rc < 0)
    return rc;
  r->fd = openat(folder->fd, r->name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | how,
                 0644);
  if (r->fd < 0)
    return err_sys(err, "cannot write '%s',", r->name);
  if (flock(r->fd, LOCK_EX | LOCK_NB) < 0 || fstat(r->fd, &st) < 0) {
    rc = err_sys(err, "cannot use '%s',", r->name);
    received_close(r);
    return rc;
  }
  r->bytes = (uint64_t)st.st_size;
  r->most = r->bytes + early + ACK_WIRE_CHUNK;
  for (unsigned i = 0; hello->again && i < RECEIVED_PAST; i++) {
    if (folder->past[i].run == hello->run && folder->past[i].most > 0)
      r->most = folder->past[i].most;
  }
  return 0;
}

/* The file always ends with a whole chunk, as one of this machine would. */
static int grow(struct received *r, uint64_t to, struct err *err)
{
  const uint64_t bytes = (to + ACK_WIRE_CHUNK - 1) / ACK_WIRE_CHUNK *
                         ACK_WIRE_CHUNK;
  int rc;

  if (bytes <= r->bytes)
    return 0;
  if (bytes > r->most)
    return err_set(err, -EDQUOT,
                   "refused: the log is much longer than what was sent");
  if (bytes > r->folder->log_limit)
    return err_set(err, -EDQUOT,
                   "refused: the log would exceed --log-limit, %" PRIu64
                   " bytes",
                   r->folder->log_limit);
  rc = received_reserve(r->folder, bytes - r->bytes, err);
  if (rc < 0)
    return rc;
  if (ftruncate(r->fd, (off_t)bytes) < 0)
    return err_sys(err, "cannot write '%s',", r->name);
  r->folder->used += bytes - r->bytes;
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

  r->most += n;
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

int received_complete(const struct received *r, struct err *err)
{
  if (fdatasync(r->fd) < 0)
    return err_sys(err, "cannot write '%s',", r->name);
  (void)fchmod(r->fd, 0444); /* a log counts on any file system */
  return 0;
}

/* Every link of a run would have room for the same holes otherwise. */
static void received_remember(const struct received *r)
{
  struct received_folder *f = r->folder;
  unsigned i = 0;

  while (i < RECEIVED_PAST && f->past[i].run != r->run)
    i++;
  if (i == RECEIVED_PAST) {
    i = f->next_past;
    f->next_past = (i + 1) % RECEIVED_PAST;
  }
  f->past[i].run = r->run;
  f->past[i].most = r->most;
}

void received_close(struct received *r)
{
  if (r->fd >= 0) {
    if (r->most > 0)
      received_remember(r);
    (void)close(r->fd);
  }
  r->fd = -1;
}
