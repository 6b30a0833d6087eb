/*
 * detach.c - takes the socket of a session away from its client library.
 */
#include "drivers/wire/detach.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "os/os.h"

int wire_detach(int fd)
{
  const int mine = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  int nobody, code = 0;

  if (mine < 0)
    return -errno;
  nobody = os_stream_socket(AF_UNIX);
  if (nobody < 0 || dup2(nobody, fd) < 0)
    code = errno;
  else
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
  if (nobody >= 0)
    (void)close(nobody);
  if (code == 0)
    return mine;
  (void)close(mine);
  return -code;
}
