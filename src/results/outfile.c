/*
 * outfile.c - files of results.
 */
#include "results/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "results/outname.h"

static int cannot_open(const char *name, struct err *err)
{
  return err_sys(err, "cannot open '%s' for writing,", name);
}

/* It is told now, and not once more at the end of the program. */
static void forget_failure(FILE *stream)
{
  if (stream == stdout)
    clearerr(stream);
}

static int cannot_write(const char *name, struct err *err)
{
  const int rc = err_sys(err, "cannot write to '%s',", name);

  if (outname_is_stdout(name))
    forget_failure(stdout);
  return rc;
}

/* What is open already is not cut off: it may have content of its own. */
static FILE *open_directly(const char *name)
{
  if (outname_is_stdout(name))
    return stdout;
  return fopen(name, outname_is_descriptor(name) ? "ae" : "we");
}

int outfile_open(struct outfile *f, const char *name, struct err *err)
{
  f->name = name;
  f->stream = open_directly(name);
  return f->stream ? 0 : cannot_open(name, err);
}

int outfile_put(struct outfile *f, const void *bytes, size_t len,
                struct err *err)
{
  if (fwrite(bytes, 1, len, f->stream) != len)
    return cannot_write(f->name, err);
  return 0;
}

int outfile_write(struct outfile *f, const void *bytes, size_t len,
                  struct err *err)
{
  const int rc = outfile_put(f, bytes, len, err);

  if (rc < 0)
    return rc;
  return fflush(f->stream) == 0 ? 0 : cannot_write(f->name, err);
}

int outfile_close(struct outfile *f, struct err *err)
{
  FILE *stream = f->stream;
  bool ok;

  f->stream = NULL;
  if (!stream)
    return 0;
  if (stream == stdout)
    ok = fflush(stream) == 0;
  else
    ok = fclose(stream) == 0;
  return ok ? 0 : cannot_write(f->name, err);
}

/* Make an empty file beside `name`. */
static int open_beside(const char *name, char **ret_path, FILE **ret_stream,
                       struct err *err)
{
  struct strbuf path = { 0 };
  FILE *stream = NULL;
  int fd, rc = 0;

  strbuf_addf(&path, "%s.%ld.tmp", name, (long)getpid());
  if (path.failed)
    return err_set(err, -ENOMEM, "cannot open '%s': out of memory", name);
  fd = open(strbuf_str(&path), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
  if (fd >= 0)
    stream = fdopen(fd, "w");
  if (!stream) {
    rc = cannot_open(name, err);
    if (fd >= 0) {
      (void)close(fd);
      (void)unlink(strbuf_str(&path));
    }
    strbuf_done(&path);
    return rc;
  }
  *ret_path = path.text;
  *ret_stream = stream;
  return 0;
}

int whole_file_open(struct whole_file *f, const char *name, struct err *err)
{
  char *real;
  int rc;

  memset(f, 0, sizeof(*f));
  f->name = name;
  if (outname_is_special(name)) {
    f->stream = open_directly(name);
    return f->stream ? 0 : cannot_open(name, err);
  }
  if (access(name, F_OK) == 0 && access(name, W_OK) < 0)
    return cannot_open(name, err);
  real = outname_real(name);
  if (!real)
    return cannot_open(name, err);
  rc = open_beside(real, &f->beside, &f->stream, err);
  free(real);
  return rc;
}

void whole_file_abort(struct whole_file *f)
{
  if (f->stream && f->stream != stdout)
    (void)fclose(f->stream); /* it is not wanted any more */
  forget_failure(f->stream);
  if (f->beside)
    (void)unlink(f->beside);
  free(f->beside);
  memset(f, 0, sizeof(*f));
}

int whole_file_commit(struct whole_file *f, struct err *err)
{
  FILE *stream = f->stream;
  char *real;
  int rc = 0;

  if (fflush(stream) != 0)
    rc = cannot_write(f->name, err);
  f->stream = NULL;
  if (stream != stdout && fclose(stream) != 0 && rc == 0)
    rc = cannot_write(f->name, err);
  if (rc == 0 && f->beside) {
    real = outname_real(f->name);
    if (!real || rename(f->beside, real) < 0)
      rc = cannot_write(f->name, err);
    free(real);
    if (rc == 0) {
      free(f->beside);
      f->beside = NULL;
    }
  }
  whole_file_abort(f);
  return rc;
}

int whole_file_probe(const char *name, struct err *err)
{
  struct whole_file f;
  int rc = whole_file_open(&f, name, err);

  if (rc == 0)
    whole_file_abort(&f);
  return rc;
}
