/*
 * inherited.c - closed standard descriptors, and signals about limits and
 * pipes.
 */
#include "program/inherited.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>
#include <unistd.h>

/*
 * Opens /dev/null as `fd`, if that is closed.  open() returns the lowest number
 * that is free, and all numbers below `fd` are taken.
 */
static bool open_null(int fd)
{
  if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
    return true;
  return open("/dev/null", fd == STDIN_FILENO ? O_RDONLY : O_WRONLY) == fd;
}

/*
 * Ignores a signal.  Unlike SIG_IGN, a handler is not inherited by the programs
 * of scripts.
 */
static void pass_over(int number)
{
  (void)number;
}

/* Unless the parent has decided about it. */
static void pass_over_if_default(int number)
{
  const struct sigaction passed = { .sa_handler = pass_over,
                                    .sa_flags = SA_RESTART };
  struct sigaction now;

  if (sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_DFL)
    (void)sigaction(number, &passed, NULL);
}

bool inherited_mend(void)
{
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
    if (!open_null(fd))
      return false;
  }
  pass_over_if_default(SIGXFSZ);
  /* If SIGCHLD were ignored, children would leave no status. */
  (void)signal(SIGCHLD, SIG_DFL);
  return true;
}

bool inherited_stack_suffices(void)
{
  struct rlimit limit;

  return getrlimit(RLIMIT_STACK, &limit) < 0 ||
         limit.rlim_cur >= INHERITED_STACK_KIB * 1024;
}

void inherited_outlive_readers(void)
{
  pass_over_if_default(SIGPIPE);
}
