/*
 * inherited.c - closed standard descriptors, and signals about limits.
 */
#include "program/inherited.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
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

bool inherited_mend(void)
{
  const struct sigaction passed = { .sa_handler = pass_over,
                                    .sa_flags = SA_RESTART };
  struct sigaction now;

  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
    if (!open_null(fd))
      return false;
  }
  if (sigaction(SIGXFSZ, NULL, &now) == 0 && now.sa_handler == SIG_DFL)
    (void)sigaction(SIGXFSZ, &passed, NULL);
  /* If SIGCHLD were ignored, children would leave no status. */
  (void)signal(SIGCHLD, SIG_DFL);
  return true;
}
