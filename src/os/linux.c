/*
 * linux.c - Linux has what the program asks for.
 */
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "os/os.h"

const char *const os_lacks = "";

int os_stream_socket(int domain)
{
  return socket(domain, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

int os_unsent(int fd, int *ret)
{
  return ioctl(fd, SIOCOUTQ, ret);
}

pid_t os_peer(int fd)
{
  struct ucred peer = { 0 };
  socklen_t len = sizeof(peer);

  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 ? peer.pid
                                                                   : 0;
}
