/*
 * spool.c - text that waits for the end of a run.
 */
#include "results/spool.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"

int spool_add(struct spool *s, const char *text, struct err *err)
{
  if (!s->file)
    s->file = tmpfile();
  if (!s->file)
    return err_sys(err, "cannot make a temporary file,");
  if (fputs(s->filled ? ",\n" : "\n", s->file) < 0 ||
      fputs(text, s->file) < 0 || fflush(s->file) != 0)
    return err_sys(err, "cannot write to a temporary file,");
  s->filled = true;
  return 0;
}

int spool_copy(struct spool *s, FILE *to)
{
  char block[65536];
  size_t n;

  if (!s->file)
    return 0;
  if (fseek(s->file, 0, SEEK_SET) < 0)
    return -errno;
  while ((n = fread(block, 1, sizeof(block), s->file)) > 0) {
    if (fwrite(block, 1, n, to) != n)
      return -errno;
  }
  if (ferror(s->file) || fseek(s->file, 0, SEEK_END) < 0)
    return -EIO;
  return 0;
}

void spool_done(struct spool *s)
{
  if (s->file)
    (void)fclose(s->file); /* nobody needs it any more */
  memset(s, 0, sizeof(*s));
}
