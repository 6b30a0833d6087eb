/*
 * handshake.c - our own login, for all protocols.
 */
#include "drivers/wire/handshake.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/clock.h"
#include "base/err.h"
#include "drivers/wire/link.h"

void handshake_begin(struct handshake *h, struct visit *v)
{
  h->v = v;
  h->link = (struct wire_link){ .fd = -1 };
  h->at_ns = clock_now_ns();
}

void handshake_end_step(struct handshake *h)
{
  const uint64_t now = clock_now_ns();

  h->v->took_ns[h->step] += now > h->at_ns ? now - h->at_ns : 1;
  h->at_ns = now;
}

enum visit_rc handshake_cannot(struct handshake *h, const char *why)
{
  (void)snprintf(h->v->why_not, sizeof(h->v->why_not), "%.127s", why);
  return VISIT_CANNOT;
}

static enum visit_rc handshake_to_path(struct handshake *h)
{
  struct sockaddr_un to = { .sun_family = AF_UNIX };
  const size_t n = strlen(h->path);
  socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n);
  int rc;

  if (n >= sizeof(to.sun_path))
    return handshake_cannot(h, "the path of the socket is too long");
  memcpy(to.sun_path, h->path, n);
  if (to.sun_path[0] == '@')
    to.sun_path[0] = '\0'; /* abstract: ended by its length */
  else
    len++;
  rc = wire_open(&h->link.fd, (const struct sockaddr *)(const void *)&to, len,
                 h->v->until_ns);
  return rc < 0 ? h->protocol->unreachable(h, rc) : VISIT_DONE;
}

/* Each of `n` remaining addresses has its share of the time. */
static enum visit_rc handshake_to_address(struct handshake *h, size_t n)
{
  struct sockaddr_in6 six = { .sin6_family = AF_INET6 };
  struct sockaddr_in four = { .sin_family = AF_INET };
  const struct sockaddr *to = (const struct sockaddr *)(const void *)&four;
  const uint64_t now = clock_now_ns(), until_ns = h->v->until_ns;
  socklen_t len = sizeof(four);
  int rc;

  four.sin_port = six.sin6_port = htons((uint16_t)h->port);
  if (inet_pton(AF_INET, h->address, &four.sin_addr) != 1) {
    if (inet_pton(AF_INET6, h->address, &six.sin6_addr) != 1)
      return handshake_cannot(h, "the address has a zone");
    to = (const struct sockaddr *)(const void *)&six;
    len = sizeof(six);
  }
  rc = wire_open(&h->link.fd, to, len,
                 now + (until_ns > now ? until_ns - now : 0) / n);
  return rc < 0 ? h->protocol->unreachable(h, rc) : VISIT_DONE;
}

static enum visit_rc handshake_to_host(struct handshake *h)
{
  struct wire_addresses found = { 0 };
  enum visit_rc rc = VISIT_FAILED;
  struct err err;

  h->step = VISIT_RESOLVE;
  if (wire_resolve(h->host, h->v->until_ns, &found, &err) < 0)
    return h->protocol->unresolved(h, err.text);
  if (strcmp(found.text[0], h->host) != 0)
    handshake_end_step(h);
  h->step = VISIT_CONNECT;
  for (size_t i = 0; i < found.n && rc == VISIT_FAILED; i++) {
    memcpy(h->address, found.text[i], sizeof(h->address));
    h->untried = found.n - i - 1;
    rc = handshake_to_address(h, h->untried + 1);
  }
  return rc;
}

enum visit_rc handshake_open(struct handshake *h)
{
  enum visit_rc rc;

  h->step = VISIT_CONNECT;
  rc = h->path ? handshake_to_path(h) : handshake_to_host(h);
  if (rc != VISIT_DONE)
    return rc;
  handshake_end_step(h);
  rc = h->protocol->start(h);
  return rc == VISIT_DONE ? handshake_talk(h, VISIT_LOGIN, true) : rc;
}

int handshake_encrypt(struct handshake *h, struct tls_context *c)
{
  int rc;

  h->link.tls = wire_tls_new(c, h->host);
  if (!h->link.tls)
    return -ENOMEM;
  rc = wire_tls_shake(h->link.tls, h->link.fd, h->v->until_ns);
  if (rc == 0 && wire_tls_about(h->link.tls).resumed)
    h->step = VISIT_TLS_RESUMED;
  return rc;
}

int handshake_send(struct handshake *h)
{
  int rc = 0;

  if (h->out.end > 0 && h->link.tls)
    rc = wire_tls_send_until(h->link.tls, h->link.fd, h->out.bytes, h->out.end,
                             h->v->until_ns);
  else if (h->out.end > 0)
    rc = wire_send_until(h->link.fd, h->out.bytes, h->out.end, h->v->until_ns);
  wire_buffer_clear(&h->out);
  return rc;
}

int handshake_receive(struct handshake *h, size_t most)
{
  wire_buffer_cut(&h->in, 0, h->in.pos);
  h->in.pos = 0;
  if (h->link.tls)
    return wire_tls_receive_until(h->link.tls, h->link.fd, &h->in, most,
                                  h->v->until_ns);
  return wire_receive_until(h->link.fd, &h->in, most, h->v->until_ns);
}

enum visit_rc handshake_talk(struct handshake *h, enum visit_step step,
                             bool appended)
{
  const struct handshake_protocol *p = h->protocol;
  enum handshake_rc rc;

  h->step = step;
  if (!appended)
    return p->broken(h, -ENOMEM);
  do {
    const int sent = handshake_send(h);
    const int heard = sent == -ETIMEDOUT
                        ? sent
                        : handshake_receive(h, HANDSHAKE_MESSAGE_MAX);

    if (heard < 0)
      return p->broken(h, sent < 0 ? sent : heard);
    rc = p->take(h);
  } while (rc == HANDSHAKE_MORE);
  if (rc == HANDSHAKE_LATE)
    return p->broken(h, -ETIMEDOUT);
  if (rc != HANDSHAKE_READY)
    return p->refused(h, rc);
  handshake_end_step(h);
  return VISIT_DONE;
}

void handshake_part(struct handshake *h)
{
  wire_part(&h->link, h->out.bytes, h->out.end);
}

void handshake_done(struct handshake *h)
{
  wire_close(&h->link);
  wire_buffer_done(&h->in);
  wire_buffer_done(&h->out);
}
