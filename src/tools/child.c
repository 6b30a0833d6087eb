/*
 * child.c - starts the program again with other arguments.
 */
#include "tools/child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "os/os.h"
#include "run/signals.h"

enum {
  STATUS_NO_EXEC = 127,
};

/* nohup(1) ignores it, and it must stay ignored. */
static bool hangup_is_ignored(void)
{
  struct sigaction how;

  return sigaction(SIGHUP, NULL, &how) == 0 && how.sa_handler == SIG_IGN;
}

static void awaited(const struct children *c, sigset_t *set)
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

  *c = (struct children){ .words = words, .hangup = !hangup_is_ignored() };
  awaited(c, &set);
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

/* In the new process: only calls that are safe after fork().  The second
 * program is for systems where the first is not found. */
static _Noreturn void become(const struct children *c,
                             const struct child_command *what,
                             const char *const programs[2], pid_t parent)
{
  int fd = what->out == CHILD_OUT_NONE     ? open("/dev/null", O_WRONLY)
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
               SIG_IGN); /* a background process may write to the terminal */
  if (fd >= 0 && fd != STDOUT_FILENO)
    (void)dup2(fd, STDOUT_FILENO);
  if (what->err_fd >= 0)
    (void)dup2(what->err_fd, STDERR_FILENO);
  (void)sigprocmask(SIG_SETMASK, &c->old, NULL);
  for (size_t i = 0; i < 2 && programs[i]; i++)
    (void)execve(programs[i], what->argv, what->env ? what->env : environ);
  _exit(STATUS_NO_EXEC);
}

/* A signal arrived while a child was running (`pid`), or 0. */
static void take_signal(struct children *c, int number, pid_t pid)
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
  /* The file of this process, even if there is a new one at its path. */
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
    become(c, what, programs, self);
  (void)setpgid(pid, pid); /* whichever of the two processes comes first */

  awaited(c, &set);
  for (;;) {
    const pid_t ended = waitpid(pid, &status, WNOHANG);
    int number;

    if (ended == pid)
      break;
    if (ended < 0 && errno != EINTR)
      return err_sys(err, "cannot wait for a process");
    number = sigwaitinfo(&set, NULL);
    take_signal(c, number, pid);
  }
  *ret_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status)
                                    : WEXITSTATUS(status);
  return 0;
}

void children_pause(struct children *c, double seconds)
{
  const uint64_t end = clock_now_ns() + (uint64_t)(seconds * NS_PER_S);
  sigset_t set;

  awaited(c, &set);
  while (c->signal == 0) {
    const uint64_t now = clock_now_ns();
    struct timespec left;

    if (now >= end)
      return;
    left = clock_timespec(end - now);
    take_signal(c, sigtimedwait(&set, NULL, &left), 0);
  }
}
