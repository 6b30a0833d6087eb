/*
 * spool.c - text that waits for the end of a run.
 *
 * Writes use the descriptor: a stream does not tell how much of a failed write
 * was written.
 */
#include "results/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"

/* Moves *at. */
static int spool_put(int fd, const char *text, uint64_t *at)
{
  size_t left = strlen(text);

  while (left > 0) {
    const ssize_t n = pwrite(fd, text, left, (off_t)*at);

    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return -errno;
    text += n;
    left -= (size_t)n;
    *at += (uint64_t)n;
  }
  return 0;
}

/* Without a name, close-on-exec; -1: see errno. */
static int spool_open_in(const char *folder)
{
  char name[PATH_MAX];
  int fd = -1;

#ifdef O_TMPFILE
  fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (fd >= 0)
    return fd;
#endif
  if (snprintf(name, sizeof(name), "%s/bench-XXXXXX", folder) >=
      (int)sizeof(name)) {
    errno = ENAMETOOLONG;
    return -1;
  }
  fd = mkostemp(name, O_CLOEXEC);
  if (fd >= 0)
    (void)unlink(name);
  return fd;
}

static int spool_open_beside(const char *path)
{
  char folder[PATH_MAX];
  const char *slash = strrchr(path, '/');
  const size_t len = !slash ? 0 : slash == path ? 1 : (size_t)(slash - path);

  if (len >= sizeof(folder)) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memcpy(folder, path, len);
  folder[len] = '\0';
  return spool_open_in(len > 0 ? folder : ".");
}

int spool_open(struct spool *s, const char *beside, struct err *err)
{
  const char *own = getenv("TMPDIR");
  int fd = own && own[0] != '\0' ? spool_open_in(own) : -1;

  if (fd < 0)
    fd = spool_open_in("/tmp");
  if (fd < 0 && beside)
    fd = spool_open_beside(beside);
#ifdef MFD_CLOEXEC
  if (fd < 0) {
    const int why = errno; /* a folder's error, which can be mended */

    fd = memfd_create("bench", MFD_CLOEXEC);
    s->in_memory = fd >= 0;
    errno = why;
  }
#endif
  if (fd < 0)
    return err_sys(err, "cannot make a temporary file,");
  s->file = fdopen(fd, "w+");
  if (!s->file) {
    (void)close(fd);
    return err_set(err, -ENOMEM, "not enough memory for a temporary file");
  }
  return 0;
}

int spool_add(struct spool *s, const char *text, struct err *err)
{
  uint64_t at = s->len;
  int fd, rc = s->file ? 0 : spool_open(s, NULL, err);

  if (rc < 0)
    return rc;
  fd = fileno(s->file);
  rc = spool_put(fd, s->len > 0 ? ",\n" : "\n", &at);
  if (rc == 0)
    rc = spool_put(fd, text, &at);
  if (rc < 0) {
    if (ftruncate(fd, (off_t)s->len) < 0) {
      /* overwritten by the next item */
    }
    errno = -rc;
    return err_sys(err, "cannot write to a temporary file,");
  }
  s->len = at;
  return 0;
}

int spool_copy(struct spool *s, FILE *to)
{
  char block[65536];
  uint64_t at = 0;

  while (at < s->len) {
    const uint64_t left = s->len - at;
    const ssize_t n = pread(fileno(s->file), block,
                            left < sizeof(block) ? left : sizeof(block),
                            (off_t)at);

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return n < 0 ? -errno : -EIO;
    if (fwrite(block, 1, (size_t)n, to) != (size_t)n)
      return -errno;
    at += (uint64_t)n;
  }
  return 0;
}

void spool_done(struct spool *s)
{
  if (s->file)
    (void)fclose(s->file); /* content is dropped */
  memset(s, 0, sizeof(*s));
}
