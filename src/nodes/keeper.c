#include "nodes/keeper.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/thread.h"

/*
 * How long a death is hidden. The other ranks miss the process after 15 s, and
 * the launcher ends this one when they have left, unless all have died. After a
 * request to end, which the others got too, less is enough.
 */
#define SECRET_S 60
#define SECRET_ASKED_S 12

static void keeper_become_child(pid_t keeper, const sigset_t *mask)
{
  (void)setsid(); /* a new process leads no group */
  (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
  (void)signal(SIGPIPE, SIG_IGN); /* the launcher may have stopped reading */
  (void)pthread_sigmask(SIG_SETMASK, mask, NULL);
  if (getppid() != keeper)
    (void)raise(SIGTERM);
}

_Noreturn static void keeper_end_as(int status)
{
  const struct rlimit none = { 0, 0 };
  sigset_t set;

  if (WIFEXITED(status))
    _exit(WEXITSTATUS(status));
  (void)setrlimit(RLIMIT_CORE, &none); /* the child has written a core file */
  (void)signal(WTERMSIG(status), SIG_DFL);
  (void)sigfillset(&set);
  (void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  (void)raise(WTERMSIG(status));
  _exit(128 + WTERMSIG(status));
}

static bool keeper_asks_to_end(int number)
{
  return number == SIGINT || number == SIGTERM || number == SIGHUP ||
         number == SIGQUIT;
}

static void keeper_keep_secret(const sigset_t *set, bool asked)
{
  struct timespec patience = { .tv_sec = asked ? SECRET_ASKED_S : SECRET_S };
  int number;

  while ((number = sigtimedwait(set, NULL, &patience)) > 0) {
    if (keeper_asks_to_end(number))
      patience.tv_sec = SECRET_ASKED_S;
  }
}

_Noreturn static void keeper_keep(pid_t child, const sigset_t *set)
{
  bool asked = false;
  int status;

  thread_set_name("bench-keeper");
  for (;;) {
    const int number = sigwaitinfo(set, NULL);

    if (number == SIGCHLD && waitpid(child, &status, WNOHANG) == child)
      break;
    if (number <= 0 || number == SIGCHLD)
      continue;
    asked = asked || keeper_asks_to_end(number);
    (void)kill(child, number);
  }
  /* Signals come in any order: the child can have died first. */
  if (WIFSIGNALED(status))
    keeper_keep_secret(set, asked);
  keeper_end_as(status);
}

pid_t keeper_leave_behind(void)
{
  const pid_t self = getpid();
  sigset_t all, old;
  pid_t child;

  (void)sigfillset(&all);
  (void)pthread_sigmask(SIG_SETMASK, &all, &old);
  /* Ignored signals are inherited. */
  (void)signal(SIGCHLD, SIG_DFL);
  child = fork();
  if (child > 0)
    keeper_keep(child, &all);
  if (child == 0) {
    keeper_become_child(self, &old);
    return self;
  }
  (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
  return 0;
}

void keeper_ignore_death(bool ignore)
{
  sigset_t set;

  (void)sigemptyset(&set);
  (void)sigaddset(&set, SIGTERM);
  (void)pthread_sigmask(ignore ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

bool keeper_is_gone(pid_t keeper)
{
  return getppid() != keeper;
}
