/*
 * fake_socket.c - takes the place of base/sock.c in a fuzz target.
 */
#include <string.h>

#include "base/sock.h"
#include "fuzz.h"

/* One target has one server. */
static struct {
  const uint8_t *data;
  size_t left, piece;
} server;

void fake_socket_says(const uint8_t *data, size_t size, size_t piece)
{
  server.data = data;
  server.left = size;
  server.piece = piece;
}

unsigned fuzz_touch(const void *bytes, size_t len)
{
  const uint8_t *p = bytes;
  unsigned sum = 0;

  for (size_t i = 0; i < len; i++)
    sum += p[i];
  return sum;
}

ssize_t sock_recv(int fd, void *buf, size_t n)
{
  MUST(fd == FAKE_SOCKET);
  if (n > server.piece)
    n = server.piece;
  if (n > server.left)
    n = server.left;
  memcpy(buf, server.data, n);
  server.data += n;
  server.left -= n;
  return (ssize_t)n;
}

ssize_t sock_send(int fd, const void *buf, size_t n, int flags)
{
  (void)flags;
  MUST(fd == FAKE_SOCKET);
  (void)fuzz_touch(buf, n);
  return (ssize_t)n;
}

bool sock_wait(int fd, short events)
{
  (void)events;
  MUST(fd == FAKE_SOCKET);
  return true;
}
