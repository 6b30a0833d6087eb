#include "ack/link.h"

#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ack/format.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/minmax.h"
#include "base/os/os.h"
#include "base/parse.h"
#include "base/stream.h"

#define PREFIX "tcp:"
#define TOKEN_FILE ",token-file="

enum {
  PART_BYTES = 1 << 16, /* must be sent within ACK_WIRE_QUIET_S */
};

struct where {
  char host[256], port[8];
  const char *token_file; /* "": none */
};

/* False: not an address. */
static bool link_split(const char *text, struct where *ret)
{
  const char *token = strstr(text, TOKEN_FILE);
  const size_t end = token ? (size_t)(token - text) : strlen(text);
  const bool v6 = text[0] == '[';
  char digits[sizeof(ret->port)] = "";
  size_t len = end;
  int64_t port;

  ret->token_file = token ? token + strlen(TOKEN_FILE) : "";
  while (len > 0 && text[len] != ':')
    len--;
  if (len == 0 || end - len > sizeof(digits) ||
      (token && ret->token_file[0] == '\0'))
    return false;
  memcpy(digits, text + len + 1, end - len - 1);

  if (v6) {
    if (len < 3 || text[len - 1] != ']')
      return false;
    text++;
    len -= 2;
  }
  if (len == 0 || len >= sizeof(ret->host) ||
      (!v6 && memchr(text, ':', len) != NULL) || digits[0] < '0' ||
      digits[0] > '9' || parse_int(digits, &port) < 0 || port < 1 ||
      port > UINT16_MAX)
    return false;
  memcpy(ret->host, text, len);
  ret->host[len] = '\0';
  (void)snprintf(ret->port, sizeof(ret->port), "%u", (unsigned)port);
  return true;
}

const char *ack_link_address(const char *where)
{
  const size_t len = strlen(PREFIX);

  return strncmp(where, PREFIX, len) == 0 ? where + len : NULL;
}

bool ack_link_is_place(const char *where)
{
  const char *address = ack_link_address(where);
  struct where parts;

  return !address || link_split(address, &parts);
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
  l->hello.version = ACK_WIRE_VERSION;
  if (!link_split(address, &where))
    return err_set(err, -EINVAL, "'%.200s' is not HOST:PORT", address);
  rc = ack_token_read(&l->token, where.token_file, err);
  if (rc < 0)
    return rc;
  rc = getaddrinfo(where.host, where.port, &hints, &l->list);
  if (rc != 0)
    return err_set(err, -EHOSTUNREACH, "%s: %s", where.host, gai_strerror(rc));
  return 0;
}

static void link_hang_up(struct ack_link *l)
{
  if (l->fd >= 0)
    (void)close(l->fd);
  l->fd = -1;
}

void ack_link_done(struct ack_link *l)
{
  link_hang_up(l);
  if (l->list)
    freeaddrinfo(l->list);
  l->list = NULL;
  explicit_bzero(&l->token, sizeof(l->token));
}

static int link_failed(struct ack_link *l, int rc, struct err *err)
{
  char text[128];

  link_hang_up(l);
  if (rc == -ETIMEDOUT)
    return err_set(err, rc, "the listener does not answer");
  if (rc == -EPIPE)
    return err_set(err, -ECONNRESET, "the listener has closed the link");
  return err_set(err, rc, "the listener cannot be reached: %s",
                 err_text(-rc, text, sizeof(text)));
}

static struct stream_limit limit_of(const struct ack_link *l)
{
  return (struct stream_limit){
    .until_ns = clock_now_ns() + ACK_WIRE_QUIET_S * NS_PER_S,
    .sooner_ns = l->until_ns,
  };
}

static int send_all(struct ack_link *l, const char *at, size_t n,
                    struct err *err)
{
  int rc = 0;

  while (rc == 0 && n > 0) {
    const size_t part = min_u64(n, PART_BYTES);
    const struct stream_limit limit = limit_of(l);

    rc = stream_send(l->fd, at, part, &limit);
    at += part;
    n -= part;
  }
  return rc < 0 ? link_failed(l, rc, err) : 0;
}

/* A slow link is not silence: waits on while the system still sends data. */
static int link_receive(struct ack_link *l, char *at, size_t room,
                        size_t *ret_n)
{
  uint64_t quiet_ns = clock_now_ns() + ACK_WIRE_QUIET_S * NS_PER_S;
  int before = INT_MAX;

  for (;;) {
    const struct stream_limit limit = {
      .until_ns = min_u64(quiet_ns, clock_now_ns() + NS_PER_S),
      .sooner_ns = l->until_ns,
    };
    const int rc = stream_receive(l->fd, at, room, ret_n, &limit);
    const uint64_t now = clock_now_ns();
    int unsent = 0;

    if (rc != -ETIMEDOUT || now >= atomic_load(l->until_ns))
      return rc;
    if (os_unsent(l->fd, &unsent) == 0 && unsent < before) {
      quiet_ns = now + ACK_WIRE_QUIET_S * NS_PER_S;
      before = unsent;
    } else if (now >= quiet_ns) {
      return rc;
    }
  }
}

static int link_get_reply(struct ack_link *l, uint64_t number,
                          struct ack_reply *reply, struct err *err)
{
  size_t got = 0;

  while (got < sizeof(*reply)) {
    size_t n = 0;
    const int rc = link_receive(l, (char *)reply + got, sizeof(*reply) - got,
                                &n);

    if (rc < 0)
      return link_failed(l, rc, err);
    got += n;
  }
  reply->text[sizeof(reply->text) - 1] = '\0';
  if (reply->magic == ACK_WIRE_REPLY && !reply->bad &&
      (reply->number == number ||
       (number == 0 && reply->number == ACK_WIRE_CHALLENGE)))
    return 0;
  link_hang_up(l);
  if (reply->magic == ACK_WIRE_REPLY && number == 0 &&
      reply->bad == ACK_WIRE_COMPLETE)
    return err_set(err, -EALREADY, "the listener has refused it: %s",
                   reply->text);
  if (reply->magic == ACK_WIRE_REPLY && reply->bad)
    return err_set(err, -EPERM, "the listener has refused it: %s", reply->text);
  return err_set(err, -EPROTO,
                 "what listens there is no bench ack-listen of this version");
}

static int connect_to(struct ack_link *l, const struct addrinfo *a,
                      struct err *err)
{
  const struct stream_limit limit = limit_of(l);
  const int rc = stream_open(&l->fd, a->ai_addr, a->ai_addrlen, &limit);

  return rc < 0 ? link_failed(l, rc, err) : 0;
}

static int link_prove(struct ack_link *l, struct ack_reply *reply,
                      struct err *err)
{
  uint8_t nonce[ACK_WIRE_NONCE];
  struct ack_proof proof;
  int rc;

  if (reply->number != ACK_WIRE_CHALLENGE)
    return 0;
  if (l->token.len == 0) {
    link_hang_up(l);
    return err_set(err, -EPERM,
                   "the listener asks for its token: add " TOKEN_FILE
                   "FILE to the address");
  }
  memcpy(nonce, reply->text, sizeof(nonce));
  ack_token_prove(&l->token, &l->hello, nonce, &proof);
  rc = send_all(l, (const char *)&proof, sizeof(proof), err);
  if (rc == 0)
    rc = link_get_reply(l, 0, reply, err);
  if (rc == 0 && reply->number != 0) {
    link_hang_up(l);
    rc = err_set(err, -EPROTO, "the listener asks for its token twice");
  }
  return rc;
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
    rc = link_get_reply(l, 0, &reply, err);
  if (rc == 0)
    rc = link_prove(l, &reply, err);
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
  return rc == 0 ? link_get_reply(l, number, &reply, err) : rc;
}
