/*
 * sock_local.c - where the other end of a socket is.
 */
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "base/sock.h"
#include "os/os.h"

bool sock_is_local(int fd)
{
  union {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    struct sockaddr_storage room;
  } peer;
  socklen_t len = sizeof(peer);

  memset(&peer, 0, sizeof(peer));
  if (getpeername(fd, &peer.any, &len) < 0)
    return false;
  switch (peer.any.sa_family) {
  case AF_UNIX:
    return true;
  case AF_INET:
    return ntohl(peer.v4.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
  case AF_INET6:
    return IN6_IS_ADDR_LOOPBACK(&peer.v6.sin6_addr) ||
           (IN6_IS_ADDR_V4MAPPED(&peer.v6.sin6_addr) &&
            peer.v6.sin6_addr.s6_addr[12] == IN_LOOPBACKNET);
  default:
    return false;
  }
}

int sock_peer(int fd)
{
  return (int)os_peer(fd);
}
