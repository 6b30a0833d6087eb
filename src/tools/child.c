#include "tools/child.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/os/os.h"
#include "base/strbuf.h"
#include "run/signals.h"

enum {
  STATUS_NO_EXEC = 127,
};

/* nohup(1) ignores SIGHUP, which must stay ignored. */
static bool child_hangup_is_ignored(void)
{
  struct sigaction how;

  return sigaction(SIGHUP, NULL, &how) == 0 && how.sa_handler == SIG_IGN;
}

static void child_awaited(const struct children *c, sigset_t *set)
{
  (void)sigemptyset(set);
  (void)sigaddset(set, SIGINT);
  (void)sigaddset(set, SIGTERM);
  (void)sigaddset(set, SIGXCPU);
  (void)sigaddset(set, SIGCHLD);
  if (c->hangup)
    (void)sigaddset(set, SIGHUP);
}

int children_begin(struct children *c, const char *words, struct err *err)
{
  sigset_t set;

  *c = (struct children){ .words = words,
                          .hangup = !child_hangup_is_ignored() };
  child_awaited(c, &set);
  if (sigprocmask(SIG_BLOCK, &set, &c->old) < 0)
    return err_sys(err, "cannot block signals");
  c->blocked = true;
  return 0;
}

void children_end(struct children *c)
{
  if (c->blocked)
    (void)sigprocmask(SIG_SETMASK, &c->old, NULL);
  c->blocked = false;
}

/* After fork(): only async-signal-safe calls.  programs[1] is for systems
 * without /proc. */
static _Noreturn void child_become(const struct children *c,
                                   const struct child_command *what,
                                   const char *const programs[2], pid_t parent)
{
  int fd = what->out == CHILD_OUT_NONE ? open("/dev/null", O_WRONLY | O_CLOEXEC)
           : what->out == CHILD_OUT_STDERR ? STDERR_FILENO
           : what->out == CHILD_OUT_ERR_FD ? what->err_fd
                                           : STDOUT_FILENO;

  (void)setpgid(0, 0);
  (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) /* the parent has already died */
    _exit(STATUS_NO_EXEC);
  if (what->folder && chdir(what->folder) < 0)
    _exit(STATUS_NO_EXEC);
  (void)signal(SIGTTOU,
               SIG_IGN); /* a background process can write to the terminal */
  if (fd >= 0 && fd != STDOUT_FILENO)
    (void)dup2(fd, STDOUT_FILENO);
  if (what->err_fd >= 0)
    (void)dup2(what->err_fd, STDERR_FILENO);
  (void)sigprocmask(SIG_SETMASK, &c->old, NULL);
  for (size_t i = 0; i < 2 && programs[i]; i++)
    (void)execve(programs[i], what->argv, what->env ? what->env : environ);
  _exit(STATUS_NO_EXEC);
}

/* `pid`: of the running child, or 0. */
static void child_take_signal(struct children *c, int number, pid_t pid)
{
  const bool again = c->signal != 0;

  if (number <= 0 || number == SIGCHLD)
    return;
  if (number == c->signal && clock_now_ns() - c->signal_ns < SIGNAL_ECHO_NS)
    return;
  c->signal = number;
  c->signal_ns = clock_now_ns();
  if (pid > 0 && (number != SIGINT || again))
    (void)kill(pid, number);
  else if (pid > 0)
    (void)fprintf(stderr, "Interrupted: %s (once more: now)\n", c->words);
}

int children_run(struct children *c, const struct child_command *what,
                 int *ret_status, struct err *err)
{
  const pid_t self = getpid();
  /* This very file, even if its path has a new one. */
  const char *programs[2] = { what->program ? what->program
                                            : "/proc/self/exe" };
  char path[PATH_MAX];
  sigset_t set;
  pid_t pid;
  int status;

  if (!what->program && os_program(path))
    programs[1] = path;
  (void)fflush(NULL);
  pid = fork();
  if (pid < 0)
    return err_sys(err, "cannot start a process");
  if (pid == 0)
    child_become(c, what, programs, self);
  (void)setpgid(pid, pid); /* in both processes: either can come first */

  child_awaited(c, &set);
  for (;;) {
    const pid_t ended = waitpid(pid, &status, WNOHANG);
    int number;

    if (ended == pid)
      break;
    if (ended < 0 && errno != EINTR)
      return err_sys(err, "cannot wait for a process");
    number = sigwaitinfo(&set, NULL);
    child_take_signal(c, number, pid);
  }
  *ret_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status)
                                    : WEXITSTATUS(status);
  return 0;
}

void children_pause(struct children *c, double seconds)
{
  const uint64_t end = clock_now_ns() + (uint64_t)(seconds * NS_PER_S);
  sigset_t set;

  child_awaited(c, &set);
  while (c->signal == 0) {
    const uint64_t now = clock_now_ns();
    struct timespec left;

    if (now >= end)
      return;
    left = clock_timespec(end - now);
    child_take_signal(c, sigtimedwait(&set, NULL, &left), 0);
  }
}

void child_words_add(struct child_words *w, char *text)
{
  char **more = text ? realloc(w->of, (w->n + 2) * sizeof(*more)) : NULL;

  if (!more) {
    w->failed = true;
    free(text);
    return;
  }
  w->of = more;
  w->of[w->n++] = text;
  w->of[w->n] = NULL;
}

void child_words_take(struct child_words *w, struct strbuf *b)
{
  child_words_add(w, b->failed ? NULL : mem_strdup(strbuf_str(b)));
  strbuf_done(b);
}

void child_words_addf(struct child_words *w, const char *fmt, ...)
{
  struct strbuf b = { 0 };
  va_list ap;

  va_start(ap, fmt);
  strbuf_vaddf(&b, fmt, ap);
  va_end(ap);
  child_words_take(w, &b);
}

void child_words_add_option(struct child_words *w, const char *name,
                            const char *value)
{
  child_words_addf(w, "--%s=%s", name, value);
}

void child_words_done(struct child_words *w)
{
  for (size_t i = 0; i < w->n; i++)
    free(w->of[i]);
  free(w->of);
  *w = (struct child_words){ 0 };
}

/* ---- temporary files ---- */

#define IN_MEMORY "/dev/shm"

int child_scratch_in(const char *below, const char *name, char **ret,
                     struct err *err)
{
  struct strbuf b = { 0 };
  char *folder, *whole;
  int rc = 0;

  strbuf_addf(&b, "%s/%s-XXXXXX", below, name);
  folder = b.failed ? NULL : mem_strdup(strbuf_str(&b));
  strbuf_done(&b);
  if (!folder)
    return err_set(err, -ENOMEM, "not enough memory");
  if (!mkdtemp(folder)) {
    rc = err_set(err, -errno, "cannot make a folder in '%.400s': %s", below,
                 strerror(errno));
    free(folder);
    return rc;
  }
  /* Children can work in another folder. */
  whole = realpath(folder, NULL);
  if (!whole) {
    *ret = folder;
    return 0;
  }
  free(folder);
  *ret = whole;
  return 0;
}

/* False: `file` is not a regular file, or has none. */
static bool child_scratch_folder_of(const char *file, char ret[PATH_MAX])
{
  const char *slash = strrchr(file, '/');
  struct stat st;

  if (!*file || strcmp(file, "-") == 0 ||
      (stat(file, &st) == 0 && !S_ISREG(st.st_mode)))
    return false;
  if (!slash)
    return snprintf(ret, PATH_MAX, ".") == 1;
  return snprintf(ret, PATH_MAX, "%.*s/", (int)(slash - file), file) < PATH_MAX;
}

int child_scratch(const char *beside, char **ret, struct err *err)
{
  const char *tmp = getenv("TMPDIR");
  char folder[PATH_MAX];
  int rc;

  if (tmp && *tmp && child_scratch_in(tmp, "bench-sweep", ret, err) == 0)
    return 0;
  rc = child_scratch_in("/tmp", "bench-sweep", ret, err);
  if (rc < 0 && child_scratch_folder_of(beside, folder))
    rc = child_scratch_in(folder, "bench-sweep", ret, err);
  if (rc == 0)
    return 0;
  if (child_scratch_in(IN_MEMORY, "bench-sweep", ret, err) == 0) {
    log_msg(LOG_WARNING,
            "no folder takes temporary files (TMPDIR, /tmp, the folder of "
            "--json), so the results of steps are kept in memory (" IN_MEMORY
            ")");
    return 0;
  }
  return err_set(err, rc,
                 "no folder takes temporary files (TMPDIR, /tmp, the folder of "
                 "--json, " IN_MEMORY
                 "): %s; set TMPDIR to one that can be written to",
                 strerror(-rc));
}

FILE *scratch_file(void)
{
  const int fd = memfd_create("bench", 0);
  FILE *f = fd < 0 ? NULL : fdopen(fd, "w+");

  if (f)
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
  else if (fd >= 0)
    (void)close(fd);
  return f;
}

void child_scratch_remove(char *folder)
{
  DIR *dir = folder ? opendir(folder) : NULL;
  const struct dirent *e;

  while (dir && (e = readdir(dir)) != NULL)
    (void)unlinkat(dirfd(dir), e->d_name, 0); /* fails for `.` and `..` */
  if (dir)
    (void)closedir(dir);
  if (folder)
    (void)rmdir(folder);
  free(folder);
}
