/*
 * keepalive.c - a peer that has vanished is noticed.
 */
#include "drivers/wire/keepalive.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "base/compiler.h"

#ifndef TCP_KEEPIDLE /* macOS has another name */
#define TCP_KEEPIDLE TCP_KEEPALIVE
#endif

enum {
  KEEPALIVE_IDLE_S = 30,
  KEEPALIVE_INTERVAL_S = 10,
  KEEPALIVE_PROBES = 3,
  SILENCE_MS = 60000,
};

bool wire_is_tcp(int fd)
{
  struct sockaddr_storage peer = { .ss_family = AF_UNSPEC };
  socklen_t len = sizeof(peer);

  return getpeername(fd, (struct sockaddr *)(void *)&peer, &len) == 0 &&
         peer.ss_family != AF_UNIX;
}

bool wire_keep_alive(int fd)
{
  static const struct {
    int level, name, value;
  } option[] = {
    { IPPROTO_TCP, TCP_NODELAY, 1 },
    { SOL_SOCKET, SO_KEEPALIVE, 1 },
    { IPPROTO_TCP, TCP_KEEPIDLE, KEEPALIVE_IDLE_S },
    { IPPROTO_TCP, TCP_KEEPINTVL, KEEPALIVE_INTERVAL_S },
    { IPPROTO_TCP, TCP_KEEPCNT, KEEPALIVE_PROBES },
#ifdef TCP_USER_TIMEOUT
    { IPPROTO_TCP, TCP_USER_TIMEOUT, SILENCE_MS },
#endif
  };

  if (!wire_is_tcp(fd))
    return false;
  for (size_t i = 0; i < ARRAY_SIZE(option); i++) /* failures are ignored */
    (void)setsockopt(fd, option[i].level, option[i].name, &option[i].value,
                     sizeof(option[i].value));
  return true;
}
