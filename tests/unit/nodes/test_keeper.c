/*
 * test_keeper.c - a keeper ends in the same way as the process that it keeps.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "nodes/keeper.h"
#include "tests/unit/tap.h"

/*
 * Returns the status of a process that leaves a keeper behind and exits with 7;
 * -1: its keeper waits for ever.
 */
static int status_of_keeper(void (*sigchld)(int))
{
  const struct timespec patience = { .tv_sec = 30 };
  sigset_t set, old;
  int status = 0;
  bool ended;
  pid_t pid;

  (void)sigemptyset(&set);
  (void)sigaddset(&set, SIGCHLD);
  (void)sigprocmask(SIG_BLOCK, &set, &old);
  (void)fflush(NULL);
  pid = fork();
  if (pid == 0) {
    (void)signal(SIGCHLD, sigchld);
    (void)sigprocmask(SIG_SETMASK, &old, NULL);
    _exit(keeper_leave_behind() > 0 ? 7 : 1);
  }
  ended = sigtimedwait(&set, NULL, &patience) == SIGCHLD;
  if (!ended)
    (void)kill(pid, SIGKILL);
  (void)waitpid(pid, &status, 0);
  (void)sigprocmask(SIG_SETMASK, &old, NULL);
  return ended && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(void)
{
  OK(status_of_keeper(SIG_DFL) == 7, "the exit status is that of the child");
  OK(status_of_keeper(SIG_IGN) == 7,
     "also where the launcher ignores the end of children");
  return TAP_EXIT();
}
