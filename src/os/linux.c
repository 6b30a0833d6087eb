/*
 * linux.c - Linux has what the program asks for.
 */
#include <linux/sockios.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/os.h"

const char *const os_lacks = "";

/* Without /proc, the path by which the program was started. */
bool os_program(char ret[PATH_MAX])
{
  const ssize_t len = readlink("/proc/self/exe", ret, PATH_MAX - 1);
  const char *started = (const char *)getauxval(AT_EXECFN);

  if (len > 0) {
    ret[len] = '\0';
    return true;
  }
  return started && realpath(started, ret) != NULL;
}

int os_stream_socket(int domain)
{
  return socket(domain, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

int os_unsent(int fd, int *ret)
{
  return ioctl(fd, SIOCOUTQ, ret);
}

/* The C library has a function for that since 2.30. */
pid_t os_thread(void)
{
  return (pid_t)syscall(SYS_gettid);
}

pid_t os_peer(int fd)
{
  struct ucred peer = { 0 };
  socklen_t len = sizeof(peer);

  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 ? peer.pid
                                                                   : 0;
}
