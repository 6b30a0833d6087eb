/*
 * mark_tool.c - `bench mark PROCESS TEXT...`: a mark on the time axis of a run.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/parse.h"
#include "base/strbuf.h"
#include "report/marks.h"
#include "tools/tool.h"

struct mark_cfg {
  char nothing;
};

static const struct opt mark_opts[] = { OPT_END };

/* As one line. */
static int join(struct strbuf *out, const char *const *words, size_t n,
                struct err *err)
{
  bool empty = true;

  for (size_t i = 0; i < n; i++) {
    strbuf_adds(out, i > 0 ? " " : "");
    for (const char *c = words[i]; *c; c++) {
      empty &= *c == ' ' || *c == '\t' || *c == '\n' || *c == '\r';
      strbuf_add(out, *c == '\n' ? " " : c, 1);
    }
  }
  if (empty)
    return err_set(err, -EINVAL, "a mark needs a text");
  if (out->len >= MARK_TEXT)
    return err_set(err, -EINVAL,
                   "the text of a mark has at most %d bytes, not %zu",
                   MARK_TEXT - 1, out->len);
  strbuf_adds(out, "\n");
  return out->failed ? err_set(err, -ENOMEM, "not enough memory for the mark")
                     : 0;
}

/* Without waiting for a reader; < 0: see errno. */
static int open_fifo(const char *path)
{
  struct stat st;
  const int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

  if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISFIFO(st.st_mode))) {
    (void)close(fd);
    errno = ESPIPE;
    return -1;
  }
  return fd;
}

static bool is_ours(const char *path)
{
  struct stat st;

  return lstat(path, &st) == 0 && S_ISFIFO(st.st_mode) &&
         (st.st_uid == geteuid() || geteuid() == 0);
}

static int open_by_pid(const char *word, struct err *err)
{
  char path[PATH_MAX];
  int64_t pid;
  int fd;

  if (parse_int(word, &pid) < 0 || pid <= 0 || pid > INT_MAX ||
      (kill((pid_t)pid, 0) < 0 && errno == ESRCH))
    return err_set(err, -ESRCH, "there is no process %s", word);
  for (unsigned i = 0; mark_path(path, sizeof(path), i, (long)pid); i++) {
    if (!is_ours(path))
      continue;
    fd = open_fifo(path);
    if (fd >= 0)
      return fd;
  }
  return err_set(err, -ENOENT,
                 "process %s takes no marks (expected a run with --mark; for "
                 "one with --mark=FIFO, name the fifo)",
                 word);
}

static int open_by_name(const char *path, struct err *err)
{
  const int fd = open_fifo(path);

  if (fd >= 0)
    return fd;
  if (errno == ENXIO)
    return err_set(err, -ENXIO, "no run takes marks from '%s'", path);
  if (errno == ESPIPE)
    return err_set(err, -ESPIPE, "'%s' is not a fifo", path);
  return err_sys(err, "cannot open the fifo '%s',", path);
}

static int send_mark(const struct tool_args *args, struct err *err)
{
  const char *to = args->n_files > 0 ? args->files[0] : "";
  struct strbuf line = { 0 };
  int fd = -1, rc;

  if (args->n_files == 0)
    return err_set(err, -EINVAL,
                   "mark needs the number of a process or a fifo, and a text");
  rc = join(&line, args->files + 1, args->n_files - 1, err);
  if (rc == 0) {
    fd = *to && strspn(to, "0123456789") == strlen(to) ? open_by_pid(to, err)
                                                       : open_by_name(to, err);
    rc = fd < 0 ? fd : 0;
  }
  /* Up to PIPE_BUF, lines are written whole or not at all. */
  if (rc == 0 && write(fd, line.text, line.len) != (ssize_t)line.len)
    rc = err_sys(err, "the mark was not taken,");
  if (fd >= 0)
    (void)close(fd);
  strbuf_done(&line);
  return rc;
}

static int run_mark(const struct tool_args *args, struct err *err)
{
  (void)signal(SIGPIPE, SIG_IGN); /* the run may end */
  return send_mark(args, err) < 0 ? TOOL_FAILED : TOOL_OK;
}

const struct tool tool_mark = {
  .name = "mark",
  .summary = "put a mark on the time axis of a run that has --mark",
  .usage = "PROCESS|FIFO TEXT...",
  .opts = mark_opts,
  .cfg_size = sizeof(struct mark_cfg),
  .run = run_mark,
};
