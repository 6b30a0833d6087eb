/*
 * link.c - the run's end of the connection to `bench ack-listen`.
 */
#include "ack/link.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ack/format.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/minmax.h"
#include "base/parse.h"
#include "base/sock.h"
#include "os/os.h"

enum {
  SLICE_MS = 50, /* so long a wait does not look at until_ns */
};

struct where {
  char host[256], port[8];
};

/* False: it is no address. */
static bool split(const char *text, struct where *ret)
{
  const char *colon = strrchr(text, ':');
  const bool v6 = text[0] == '[';
  size_t len = colon ? (size_t)(colon - text) : 0;
  int64_t port;

  if (v6) {
    if (len < 3 || text[len - 1] != ']')
      return false;
    text++;
    len -= 2;
  }
  if (len == 0 || len >= sizeof(ret->host) ||
      (!v6 && memchr(text, ':', len) != NULL) || colon[1] < '0' ||
      colon[1] > '9' || strlen(colon + 1) >= sizeof(ret->port) ||
      parse_int(colon + 1, &port) < 0 || port < 1 || port > UINT16_MAX)
    return false;
  memcpy(ret->host, text, len);
  ret->host[len] = '\0';
  (void)snprintf(ret->port, sizeof(ret->port), "%u", (unsigned)port);
  return true;
}

bool ack_link_is_address(const char *text)
{
  struct where where;

  return split(text, &where);
}

int ack_link_init(struct ack_link *l, const char *address, uint64_t run,
                  uint64_t start_real_ns, _Atomic uint64_t *until_ns,
                  struct err *err)
{
  const struct addrinfo hints = { .ai_family = AF_UNSPEC,
                                  .ai_socktype = SOCK_STREAM };
  struct where where;
  int rc;

  memset(l, 0, sizeof(*l));
  l->fd = -1;
  l->until_ns = until_ns;
  memcpy(l->hello.magic, ACK_WIRE_HELLO, sizeof(l->hello.magic));
  l->hello.order = ACK_ORDER;
  l->hello.run = run;
  l->hello.start_real_ns = start_real_ns;
  if (!split(address, &where))
    return err_set(err, -EINVAL, "'%.200s' is no HOST:PORT", address);
  rc = getaddrinfo(where.host, where.port, &hints, &l->list);
  if (rc != 0)
    return err_set(err, -EHOSTUNREACH, "%s: %s", where.host, gai_strerror(rc));
  return 0;
}

static void hang_up(struct ack_link *l)
{
  if (l->fd >= 0)
    (void)close(l->fd);
  l->fd = -1;
}

void ack_link_done(struct ack_link *l)
{
  hang_up(l);
  if (l->list)
    freeaddrinfo(l->list);
  l->list = NULL;
}

/* Waits for POLLIN or POLLOUT; false: it has not come in time. */
static bool await(const struct ack_link *l, short events)
{
  const uint64_t quiet_ns = clock_now_ns() + ACK_WIRE_QUIET_S * NS_PER_S;
  struct pollfd p = { .fd = l->fd, .events = events };

  for (;;) {
    const uint64_t until = min_u64(quiet_ns, atomic_load(l->until_ns));
    const uint64_t now = clock_now_ns();
    const uint64_t left_ms = until > now ? (until - now) / NS_PER_MS : 0;

    if (poll(&p, 1, (int)min_u64(left_ms, SLICE_MS)) > 0)
      return true;
    if (left_ms == 0)
      return false;
  }
}

static int failed(struct ack_link *l, struct err *err)
{
  const int why = errno;
  char text[128];

  hang_up(l);
  return err_set(err, -why, "the listener cannot be reached: %s",
                 err_text(why, text, sizeof(text)));
}

static int is_quiet(struct ack_link *l, struct err *err)
{
  hang_up(l);
  return err_set(err, -ETIMEDOUT, "the listener does not answer");
}

static int send_all(struct ack_link *l, const char *at, size_t n,
                    struct err *err)
{
  while (n > 0) {
    const ssize_t sent = sock_send(l->fd, at, n, 0);

    if (sent >= 0) {
      at += sent;
      n -= (size_t)sent;
    } else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
      return failed(l, err);
    } else if (!await(l, POLLOUT)) {
      return is_quiet(l, err);
    }
  }
  return 0;
}

static int get_reply(struct ack_link *l, uint64_t number,
                     struct ack_reply *reply, struct err *err)
{
  size_t got = 0;

  while (got < sizeof(*reply)) {
    const ssize_t n = sock_recv(l->fd, (char *)reply + got,
                                sizeof(*reply) - got);

    if (n > 0) {
      got += (size_t)n;
    } else if (n == 0) {
      hang_up(l);
      return err_set(err, -ECONNRESET, "the listener has closed the link");
    } else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
      return failed(l, err);
    } else if (!await(l, POLLIN)) {
      return is_quiet(l, err);
    }
  }
  reply->text[sizeof(reply->text) - 1] = '\0';
  if (reply->magic == ACK_WIRE_REPLY && !reply->bad && reply->number == number)
    return 0;
  hang_up(l);
  if (reply->magic == ACK_WIRE_REPLY && reply->bad)
    return err_set(err, -EPERM, "the listener has refused it: %s", reply->text);
  return err_set(err, -EPROTO,
                 "what listens there is no bench ack-listen of this version");
}

static int connect_to(struct ack_link *l, const struct addrinfo *a,
                      struct err *err)
{
  const int on = 1;
  int why = 0;
  socklen_t len = sizeof(why);

  l->fd = os_stream_socket(a->ai_family);
  if (l->fd < 0)
    return failed(l, err);
  (void)setsockopt(l->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  if (connect(l->fd, a->ai_addr, a->ai_addrlen) == 0)
    return 0;
  if (errno != EINPROGRESS)
    return failed(l, err);
  if (!await(l, POLLOUT))
    return is_quiet(l, err);
  (void)getsockopt(l->fd, SOL_SOCKET, SO_ERROR, &why, &len);
  errno = why;
  return why == 0 ? 0 : failed(l, err);
}

int ack_link_open(struct ack_link *l, struct err *err)
{
  struct ack_reply reply;
  int rc = -EHOSTUNREACH;

  for (const struct addrinfo *a = l->list; a && rc < 0; a = a->ai_next)
    rc = connect_to(l, a, err);
  if (rc == 0)
    rc = send_all(l, (const char *)&l->hello, sizeof(l->hello), err);
  if (rc == 0)
    rc = get_reply(l, 0, &reply, err);
  if (rc < 0)
    return rc;
  memcpy(l->file, reply.text, sizeof(l->file));
  l->hello.again = 1;
  return 0;
}

int ack_link_deliver(struct ack_link *l, char *bytes, size_t n, uint64_t number,
                     bool last, struct err *err)
{
  const struct ack_batch head = {
    .number = number,
    .bytes = (uint32_t)(n - sizeof(head)),
    .last = last,
  };
  struct ack_reply reply;
  int rc;

  memcpy(bytes, &head, sizeof(head));
  rc = send_all(l, bytes, n, err);
  return rc == 0 ? get_reply(l, number, &reply, err) : rc;
}
