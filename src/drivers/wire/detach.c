/*
 * detach.c - takes the socket of a session away from its client library.
 */
#include "drivers/wire/detach.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

int wire_detach(int fd)
{
  const int mine = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  int nobody, code = 0;

  if (mine < 0)
    return -errno;
  nobody = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (nobody < 0 || dup3(nobody, fd, O_CLOEXEC) < 0)
    code = errno;
  if (nobody >= 0)
    (void)close(nobody);
  if (code == 0)
    return mine;
  (void)close(mine);
  return -code;
}
