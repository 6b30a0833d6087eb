#include "results/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "results/outname.h"

enum phase {
  PHASE_IDLE,
  PHASE_WRITING, /* a thread is inside */
  PHASE_LEFT,    /* left to a stuck thread */
};

int results_no_memory(struct err *err)
{
  return err_set(err, -ENOMEM, "not enough memory for the results");
}

static int outfile_cannot_open(const char *name, struct err *err)
{
  return err_sys(err, "cannot open '%s' for writing,", name);
}

static sigset_t outfile_sigpipe_alone(void)
{
  sigset_t set;

  (void)sigemptyset(&set);
  (void)sigaddset(&set, SIGPIPE);
  return set;
}

void outfile_hold(struct outfile_hold *h, bool is_stdout)
{
  const sigset_t set = outfile_sigpipe_alone();

  h->held = !is_stdout;
  if (h->held)
    (void)pthread_sigmask(SIG_BLOCK, &set, &h->before);
}

void outfile_release(const struct outfile_hold *h)
{
  const sigset_t set = outfile_sigpipe_alone();
  const struct timespec now = { 0 };
  const int why = errno;

  if (!h->held)
    return;
  while (!sigismember(&h->before, SIGPIPE) &&
         sigtimedwait(&set, NULL, &now) < 0 && errno == EINTR)
    continue;
  (void)pthread_sigmask(SIG_SETMASK, &h->before, NULL);
  errno = why;
}

/* Was reported now; not again at the program's end. */
static void outfile_forget_failure(FILE *stream)
{
  if (stream == stdout)
    clearerr(stream);
}

static int outfile_cannot_write(const char *name, struct err *err)
{
  const int rc = err_sys(err, "cannot write to '%s',", name);

  if (outname_is_stdout(name))
    outfile_forget_failure(stdout);
  return rc;
}

/* Does not truncate a file that is open. */
static FILE *outfile_open_directly(const char *name)
{
  if (outname_is_stdout(name))
    return stdout;
  return fopen(name, outname_is_descriptor(name) ? "ae" : "we");
}

static FILE *outfile_open_stdout_again(void)
{
  const int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  FILE *stream = fd < 0 ? NULL : fdopen(fd, "w");

  if (fd >= 0 && !stream)
    (void)close(fd);
  return stream;
}

int outfile_open(struct outfile *f, const char *name, struct err *err)
{
  f->name = name;
  f->put = (struct strbuf){ 0 };
  atomic_init(&f->phase, PHASE_IDLE);
  f->is_stdout = outname_is_stdout(name);
  f->stream = f->is_stdout ? outfile_open_stdout_again()
                           : outfile_open_directly(name);
  return f->stream ? 0 : outfile_cannot_open(name, err);
}

/* False: in another phase. */
static bool outfile_pass(struct outfile *f, uint32_t from, uint32_t to)
{
  return atomic_compare_exchange_strong(&f->phase, &from, to);
}

int outfile_write(struct outfile *f, const void *bytes, size_t len,
                  struct err *err)
{
  struct outfile_hold hold;
  bool ok;
  int why;

  if (!outfile_pass(f, PHASE_IDLE, PHASE_WRITING))
    return -ECANCELED;
  outfile_hold(&hold, f->is_stdout);
  ok = fwrite(bytes, 1, len, f->stream) == len && fflush(f->stream) == 0;
  why = errno;
  outfile_release(&hold);
  if (!outfile_pass(f, PHASE_WRITING, PHASE_IDLE))
    return -ECANCELED;
  errno = why;
  return ok ? 0 : outfile_cannot_write(f->name, err);
}

int outfile_put(struct outfile *f, const void *bytes, size_t len,
                struct err *err)
{
  strbuf_add(&f->put, bytes, len);
  if (!f->put.failed)
    return 0;
  f->put.failed = false; /* includes earlier bytes */
  return results_no_memory(err);
}

int outfile_flush(struct outfile *f, struct err *err)
{
  int rc = 0;

  if (f->put.len > 0)
    rc = outfile_write(f, f->put.text, f->put.len, err);
  if (rc != -ECANCELED)
    strbuf_clear(&f->put);
  return rc;
}

int outfile_close(struct outfile *f, struct err *err)
{
  FILE *stream = f->stream;
  struct outfile_hold hold;
  int rc;

  if (!stream || outfile_is_left(f))
    return 0;
  rc = outfile_flush(f, err);
  strbuf_done(&f->put);
  f->stream = NULL;
  outfile_hold(&hold, f->is_stdout);
  if (fclose(stream) != 0 && rc == 0)
    rc = outfile_cannot_write(f->name, err);
  outfile_release(&hold);
  return rc;
}

bool outfile_leave(struct outfile *f)
{
  return outfile_pass(f, PHASE_WRITING, PHASE_LEFT);
}

bool outfile_is_left(const struct outfile *f)
{
  return atomic_load(&f->phase) == PHASE_LEFT;
}

int outfile_tell_left(const struct outfile *f, struct err *err)
{
  return err_set(err, -ETIMEDOUT,
                 "cannot write to '%s': its reader has stopped", f->name);
}

enum {
  /* Names tried; older runs can have left files. */
  ATTEMPTS = 100,
  COPY_PART = 65536,
};

/* O_EXCL: never writes to an existing file, or to a link's target.
 * Negative: see errno. */
static int outfile_create_beside(const char *place, mode_t mode,
                                 struct strbuf *path)
{
  int fd = -1;

  for (int i = 0; i < ATTEMPTS; i++) {
    strbuf_clear(path);
    strbuf_addf(path, "%s.%ld-%d.tmp", place, (long)getpid(), i);
    if (path->failed) {
      errno = ENOMEM;
      return -1;
    }
    fd = open(strbuf_str(path), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode);
    if (fd >= 0 || errno != EEXIST)
      break;
  }
  return fd;
}

/* For users who could read the old file.  Rights of owner and group only if
 * ownership can be kept. */
static void outfile_take_rights(int fd, const struct stat *old)
{
  mode_t mode = old->st_mode & 0777;

  if (fchown(fd, old->st_uid, old->st_gid) < 0 &&
      fchown(fd, (uid_t)-1, old->st_gid) < 0)
    mode &= ~(mode_t)070;
  (void)fchmod(fd, mode);
}

static int outfile_open_beside(struct whole_file *f, struct err *err)
{
  struct strbuf path = { 0 };
  struct stat old;
  const bool replaces = stat(f->place, &old) == 0;
  const mode_t mode = replaces ? old.st_mode & 0600 : 0666;
  const int fd = outfile_create_beside(f->place, mode, &path);
  int rc;

  if (fd >= 0) {
    f->beside = path.text;
    if (replaces)
      outfile_take_rights(fd, &old);
    f->stream = fdopen(fd, "w");
    if (f->stream)
      return 0;
  }
  rc = outfile_cannot_open(f->name, err);
  if (fd >= 0)
    (void)close(fd);
  else
    strbuf_done(&path);
  whole_file_abort(f);
  return rc;
}

int whole_file_open(struct whole_file *f, const char *name, struct err *err)
{
  memset(f, 0, sizeof(*f));
  f->name = name;
  if (outname_is_special(name)) {
    f->stream = outfile_open_directly(name);
    return f->stream ? 0 : outfile_cannot_open(name, err);
  }
  if (access(name, F_OK) == 0 && access(name, W_OK) < 0)
    return outfile_cannot_open(name, err);
  f->place = outname_real(name);
  return f->place ? outfile_open_beside(f, err)
                  : outfile_cannot_open(name, err);
}

void whole_file_hold(const struct whole_file *f, struct outfile_hold *h)
{
  outfile_hold(h, f->stream == stdout);
}

void whole_file_abort(struct whole_file *f)
{
  struct outfile_hold hold;

  whole_file_hold(f, &hold);
  if (f->stream && f->stream != stdout)
    (void)fclose(f->stream); /* content is dropped */
  outfile_release(&hold);
  outfile_forget_failure(f->stream);
  if (f->beside)
    (void)unlink(f->beside);
  free(f->beside);
  free(f->place);
  memset(f, 0, sizeof(*f));
}

static bool outfile_copy_all(int to, int from)
{
  char part[COPY_PART];
  ssize_t n;

  while ((n = read(from, part, sizeof(part))) > 0) {
    for (ssize_t done = 0; done < n;) {
      const ssize_t written = write(to, part + done, (size_t)(n - done));

      if (written < 0)
        return false;
      done += written;
    }
  }
  return n == 0;
}

/* On failure see errno. */
static bool outfile_overwrite(const char *place, const char *beside)
{
  const int from = open(beside, O_RDONLY | O_CLOEXEC);
  const int to = from < 0 ? -1 : open(place, O_WRONLY | O_TRUNC | O_CLOEXEC);
  bool ok = to >= 0 && outfile_copy_all(to, from);
  int why = errno;

  if (from >= 0)
    (void)close(from);
  if (to >= 0 && close(to) < 0 && ok) {
    why = errno;
    ok = false;
  }
  errno = why;
  return ok;
}

/* Writable but not replaceable: another user's in /tmp, or mounted into a
 * container. */
static int outfile_put_in_place(struct whole_file *f, struct err *err)
{
  const bool replaced = rename(f->beside, f->place) == 0;
  int rc;

  if (!replaced && !outfile_overwrite(f->place, f->beside)) {
    rc = err_sys(err, "cannot write to '%s', but to '%s':", f->name, f->beside);
  } else {
    if (!replaced)
      (void)unlink(f->beside);
    rc = 0;
  }
  free(f->beside);
  f->beside = NULL;
  return rc;
}

int whole_file_commit(struct whole_file *f, struct err *err)
{
  FILE *stream = f->stream;
  struct outfile_hold hold;
  int rc = 0;

  whole_file_hold(f, &hold);
  if (fflush(stream) != 0)
    rc = outfile_cannot_write(f->name, err);
  f->stream = NULL;
  if (stream != stdout && fclose(stream) != 0 && rc == 0)
    rc = outfile_cannot_write(f->name, err);
  outfile_release(&hold);
  if (rc == 0 && f->beside)
    rc = outfile_put_in_place(f, err);
  whole_file_abort(f);
  return rc;
}

int whole_file_probe(struct whole_file *f, const char *name, struct err *err)
{
  int rc = whole_file_open(f, name, err);

  if (rc == 0 && (f->beside || f->stream == stdout))
    whole_file_abort(f);
  return rc;
}
