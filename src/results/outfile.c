/*
 * outfile.c - files of results.
 */
#include "results/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/strbuf.h"

static bool is_stdout(const char *name)
{
  return strcmp(name, "-") == 0;
}

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

  if (is_stdout(name))
    forget_failure(stdout);
  return rc;
}

int outfile_open(struct outfile *f, const char *name, struct err *err)
{
  f->name = name;
  f->stream = is_stdout(name) ? stdout : fopen(name, "we");
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

/* Something that is not to be replaced by a file: a device, a pipe. */
static bool is_special(const char *name)
{
  struct stat st;

  return is_stdout(name) || (stat(name, &st) == 0 && !S_ISREG(st.st_mode));
}

/* The file itself, where the name is that of a link to it; owned. */
static char *real_name(const char *name)
{
  char *real = realpath(name, NULL);

  return real ? real : strdup(name);
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
  if (is_special(name)) {
    f->stream = is_stdout(name) ? stdout : fopen(name, "we");
    return f->stream ? 0 : cannot_open(name, err);
  }
  if (access(name, F_OK) == 0 && access(name, W_OK) < 0)
    return cannot_open(name, err);
  real = real_name(name);
  if (!real)
    return err_set(err, -ENOMEM, "cannot open '%s': out of memory", name);
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
    real = real_name(f->name);
    if (!real)
      rc = err_set(err, -ENOMEM, "cannot write '%s': out of memory", f->name);
    else if (rename(f->beside, real) < 0)
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
