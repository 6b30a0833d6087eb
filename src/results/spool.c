/*
 * spool.c - text that waits for the end of a run.
 *
 * The stream only owns the file.  It is written to by its descriptor, because
 * a stream does not say how much of what failed has got there.
 */
#include "results/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"

/* Write all of it at `*at`, which moves behind it. */
static int put(int fd, const char *text, uint64_t *at)
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

/* Not for programs that a script starts. */
static FILE *temporary(void)
{
  FILE *f = tmpfile();

  if (f)
    (void)fcntl(fileno(f), F_SETFD, FD_CLOEXEC);
  return f;
}

int spool_add(struct spool *s, const char *text, struct err *err)
{
  uint64_t at = s->len;
  int fd, rc;

  if (!s->file)
    s->file = temporary();
  if (!s->file)
    return err_sys(err, "cannot make a temporary file,");
  fd = fileno(s->file);
  rc = put(fd, s->len > 0 ? ",\n" : "\n", &at);
  if (rc == 0)
    rc = put(fd, text, &at);
  if (rc < 0) {
    (void)ftruncate(fd, (off_t)s->len); /* the next item overwrites the rest */
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
    (void)fclose(s->file); /* nobody needs it any more */
  memset(s, 0, sizeof(*s));
}
