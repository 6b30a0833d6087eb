/*
 * address.c - turns texts into sockets.
 */
#include "address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

bool address_parse_unix(struct address *ret, const char *path)
{
  struct sockaddr_un *un = (struct sockaddr_un *)&ret->sa;

  if (strlen(path) >= sizeof(un->sun_path))
    return false;
  memset(ret, 0, sizeof(*ret));
  un->sun_family = AF_UNIX;
  memcpy(un->sun_path, path, strlen(path) + 1);
  ret->len = sizeof(*un);
  return true;
}

bool address_parse(struct address *ret, const char *text)
{
  const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
  const char *colon = strrchr(text, ':');
  struct addrinfo *found;
  char host[256];

  if (strchr(text, '/'))
    return address_parse_unix(ret, text);
  if (!colon || (size_t)(colon - text) >= sizeof(host))
    return false;
  memcpy(host, text, (size_t)(colon - text));
  host[colon - text] = '\0';
  if (getaddrinfo(host, colon + 1, &hints, &found) != 0)
    return false;
  memcpy(&ret->sa, found->ai_addr, found->ai_addrlen);
  ret->len = found->ai_addrlen;
  freeaddrinfo(found);
  return true;
}

static void send_at_once(int fd)
{
  const int on = 1;

  (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

int address_connect(const struct address *a, bool *ret_connecting)
{
  int fd = socket(a->sa.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int rc;

  if (fd < 0)
    return -1;
  if (a->sa.ss_family != AF_UNIX)
    send_at_once(fd);
  if (ret_connecting)
    (void)fcntl(fd, F_SETFL, O_NONBLOCK);
  rc = connect(fd, (const struct sockaddr *)&a->sa, a->len);
  if (rc < 0 && !(ret_connecting && errno == EINPROGRESS)) {
    int code = errno;

    (void)close(fd);
    errno = code;
    return -1;
  }
  if (ret_connecting)
    *ret_connecting = rc < 0;
  return fd;
}

static int listen_on(const struct address *a)
{
  const int on = 1;
  int fd = socket(a->sa.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

  if (fd < 0)
    return -1;
  (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (a->sa.ss_family != AF_UNIX)
    send_at_once(fd); /* accepted sockets inherit it */
  if (bind(fd, (const struct sockaddr *)&a->sa, a->len) < 0 ||
      listen(fd, SOMAXCONN) < 0) {
    int code = errno;

    (void)close(fd);
    errno = code;
    return -1;
  }
  return fd;
}

int address_listen_tcp(int *port)
{
  struct address a = { .len = sizeof(struct sockaddr_in) };
  struct sockaddr_in *in = (struct sockaddr_in *)&a.sa;
  int fd;

  in->sin_family = AF_INET;
  in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  in->sin_port = htons((uint16_t)*port);
  fd = listen_on(&a);
  if (fd >= 0 && getsockname(fd, (struct sockaddr *)in, &a.len) == 0)
    *port = ntohs(in->sin_port);
  return fd;
}

int address_listen_unix(const char *path)
{
  struct address a;

  if (!address_parse_unix(&a, path)) {
    errno = ENAMETOOLONG;
    return -1;
  }
  return listen_on(&a);
}
