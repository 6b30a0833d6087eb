/*
 * sock_local.c - where the other end of a socket is.
 */
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "base/os/os.h"
#include "base/sock.h"

union sock_address {
  struct sockaddr any;
  struct sockaddr_in v4;
  struct sockaddr_in6 v6;
  struct sockaddr_storage room;
};

static bool sock_peer_address(int fd, union sock_address *ret)
{
  socklen_t len = sizeof(*ret);

  memset(ret, 0, sizeof(*ret));
  return getpeername(fd, &ret->any, &len) == 0;
}

bool sock_is_local(int fd)
{
  union sock_address peer;

  if (!sock_peer_address(fd, &peer))
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

unsigned sock_peer_port(int fd)
{
  union sock_address peer;

  if (!sock_peer_address(fd, &peer))
    return 0;
  if (peer.any.sa_family == AF_INET)
    return ntohs(peer.v4.sin_port);
  return peer.any.sa_family == AF_INET6 ? ntohs(peer.v6.sin6_port) : 0;
}

int sock_peer(int fd)
{
  return (int)os_peer(fd);
}
