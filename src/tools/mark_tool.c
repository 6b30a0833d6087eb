/*
 * mark_tool.c - `bench mark [PROCESS|FIFO] TEXT...`: a mark on the time axis of
 * a run.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
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

static int mark_join(struct strbuf *out, const char *const *words, size_t n,
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

/* Does not wait for a reader; < 0: see errno. */
static int mark_open_fifo(const char *path)
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

static bool mark_is_ours(const char *path)
{
  struct stat st;

  return lstat(path, &st) == 0 && S_ISFIFO(st.st_mode) &&
         (st.st_uid == geteuid() || geteuid() == 0);
}

static int mark_open_by_pid(const char *word, struct err *err)
{
  char path[PATH_MAX];
  int64_t pid;
  int fd;

  if (parse_int(word, &pid) < 0 || pid <= 0 || pid > INT_MAX ||
      (kill((pid_t)pid, 0) < 0 && errno == ESRCH))
    return err_set(err, -ESRCH, "there is no process %s", word);
  for (unsigned i = 0; mark_path(path, sizeof(path), i, (long)pid); i++) {
    if (!mark_is_ours(path))
      continue;
    fd = mark_open_fifo(path);
    if (fd >= 0)
      return fd;
  }
  return err_set(err, -ENOENT,
                 "process %s takes no marks (expected a run with --mark; for "
                 "one with --mark=FIFO, name the fifo)",
                 word);
}

static int mark_open_by_name(const char *path, struct err *err)
{
  const int fd = mark_open_fifo(path);

  if (fd >= 0)
    return fd;
  if (errno == ENXIO)
    return err_set(err, -ENXIO, "no run takes marks from '%s'", path);
  if (errno == ESPIPE)
    return err_set(err, -ESPIPE, "'%s' is not a fifo", path);
  return err_sys(err, "cannot open the fifo '%s',", path);
}

/* Runs of this user with --mark, in the first folder with one. */
struct runs {
  unsigned n;
  int fd; /* of the first */
  struct strbuf pids;
};

static void runs_add(struct runs *r, const char *path, long pid)
{
  struct stat st;
  const bool ours = lstat(path, &st) == 0 && st.st_uid == geteuid();
  const int fd = ours ? mark_open_fifo(path) : -1;

  if (fd < 0)
    return;
  strbuf_addf(&r->pids, "%s%ld", r->n > 0 ? ", " : "", pid);
  if (r->n++ == 0)
    r->fd = fd;
  else
    (void)close(fd);
}

static void runs_find(struct runs *r, char path[PATH_MAX])
{
  char *base = strrchr(path, '/');
  const struct dirent *entry;
  DIR *dir;

  *base++ = '\0';
  dir = opendir(path);
  base[-1] = '/';
  while (dir && (entry = readdir(dir))) {
    long pid;
    int end = 0;

    if (sscanf(entry->d_name, "bench-%ld.mark%n", &pid, &end) != 1 ||
        end == 0 || entry->d_name[end] != '\0')
      continue;
    (void)snprintf(base, PATH_MAX - (size_t)(base - path), "%s", entry->d_name);
    runs_add(r, path, pid);
  }
  if (dir)
    (void)closedir(dir);
}

static int mark_open_only_run(struct err *err)
{
  struct runs r = { .fd = -1 };
  char path[PATH_MAX];
  int rc;

  for (unsigned i = 0; r.n == 0 && mark_path(path, sizeof(path), i, 0); i++)
    runs_find(&r, path);
  rc = r.fd;
  if (r.n == 0)
    rc = err_set(err, -ENOENT,
                 "no run of this user takes marks: start one with --mark, or "
                 "name its process or fifo before the text");
  if (r.n > 1) {
    (void)close(r.fd);
    rc = err_set(err, -EINVAL,
                 "%u runs take marks: name the process of one before the text "
                 "(%s)",
                 r.n, strbuf_str(&r.pids));
  }
  strbuf_done(&r.pids);
  return rc;
}

static bool mark_is_number(const char *word)
{
  return *word && strspn(word, "0123456789") == strlen(word);
}

static bool names_run(const char *word, bool alone)
{
  return mark_is_number(word) || mark_is_ours(word) ||
         (!alone && (strchr(word, '/') || access(word, F_OK) == 0));
}

static int send_mark(const struct tool_args *args, struct err *err)
{
  const char *to = args->n_files > 0 ? args->files[0] : "";
  const size_t first = args->n_files > 0 && names_run(to, args->n_files == 1);
  struct strbuf line = { 0 };
  int fd = -1, rc;

  rc = mark_join(&line, args->files + first, args->n_files - first, err);
  if (rc == 0) {
    if (first == 0)
      fd = mark_open_only_run(err);
    else
      fd = mark_is_number(to) ? mark_open_by_pid(to, err)
                              : mark_open_by_name(to, err);
    rc = fd < 0 ? fd : 0;
  }
  /* Lines up to PIPE_BUF are written whole or not at all. */
  if (rc == 0 && write(fd, line.text, line.len) != (ssize_t)line.len)
    rc = err_sys(err, "the mark was not taken,");
  if (fd >= 0)
    (void)close(fd);
  strbuf_done(&line);
  return rc;
}

static int run_mark(const struct tool_args *args, struct err *err)
{
  (void)signal(SIGPIPE, SIG_IGN); /* the run can end */
  return send_mark(args, err) < 0 ? TOOL_FAILED : TOOL_OK;
}

const struct tool tool_mark = {
  .name = "mark",
  .summary = "put a mark on the time axis of a run that has --mark",
  .usage = "[PROCESS|FIFO] TEXT...",
  .opts = mark_opts,
  .cfg_size = sizeof(struct mark_cfg),
  .run = run_mark,
};
