/*
 * trip.c - one visit on its way.
 */
#include "drivers/wire/trip.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "drivers/wire/dial.h"
#include "loop/loop.h"

void trip_begin(struct trip *t, struct visit *v)
{
  *t = (struct trip){ .v = v, .fd = -1, .at_ns = clock_now_ns() };
}

void trip_end_step(struct trip *t)
{
  const uint64_t now = clock_now_ns();

  t->v->took_ns[t->step] = now > t->at_ns ? now - t->at_ns : 1;
  t->at_ns = now;
}

enum visit_rc trip_cannot(struct trip *t, const char *why)
{
  (void)snprintf(t->v->why_not, sizeof(t->v->why_not), "%.127s", why);
  return VISIT_CANNOT;
}

/* ---- the socket ---- */

int trip_connect_path(struct trip *t, const char *path)
{
  struct sockaddr_un to = { .sun_family = AF_UNIX };
  const size_t n = strlen(path);
  socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n);

  if (n >= sizeof(to.sun_path))
    return -ENAMETOOLONG;
  memcpy(to.sun_path, path, n);
  if (to.sun_path[0] == '@')
    to.sun_path[0] = '\0'; /* its length ends it */
  else
    len++;
  return dial_open(&t->fd, (const struct sockaddr *)(const void *)&to, len,
                   t->v->until_ns);
}

static uint64_t share_of_time(uint64_t until_ns, size_t n)
{
  const uint64_t now = clock_now_ns();

  return now + (until_ns > now ? until_ns - now : 0) / n;
}

int trip_connect_address(struct trip *t, const struct wire_addresses *of,
                         size_t i, unsigned port)
{
  struct sockaddr_in6 six = { .sin6_family = AF_INET6 };
  struct sockaddr_in four = { .sin_family = AF_INET };
  const struct sockaddr *to = (const struct sockaddr *)(const void *)&four;
  socklen_t len = sizeof(four);

  four.sin_port = six.sin6_port = htons((uint16_t)port);
  if (inet_pton(AF_INET, of->text[i], &four.sin_addr) != 1) {
    if (inet_pton(AF_INET6, of->text[i], &six.sin6_addr) != 1)
      return -EINVAL;
    to = (const struct sockaddr *)(const void *)&six;
    len = sizeof(six);
  }
  return dial_open(&t->fd, to, len, share_of_time(t->v->until_ns, of->n - i));
}

static void close_socket(struct trip *t)
{
  if (t->fd < 0)
    return;
  loop_forget(t->fd);
  (void)close(t->fd);
  t->fd = -1;
}

/* ---- bytes ---- */

int trip_send(struct trip *t)
{
  const int rc = t->out.end > 0
                   ? dial_send(t->fd, t->out.bytes, t->out.end, t->v->until_ns)
                   : 0;

  wire_buffer_clear(&t->out);
  return rc;
}

int trip_receive(struct trip *t, size_t most)
{
  wire_buffer_cut(&t->in, 0, t->in.pos);
  t->in.pos = 0;
  return dial_receive(t->fd, &t->in, most, t->v->until_ns);
}

int trip_talk(struct trip *t, greet_take *take, void *greet, enum greet_rc *ret)
{
  enum greet_rc rc;

  do {
    const int sent = trip_send(t);
    /* Who hangs up may have said why, without listening. */
    const int heard = sent == -ETIMEDOUT ? sent
                                         : trip_receive(t, GREET_MESSAGE_MAX);

    if (heard < 0)
      return sent < 0 ? sent : heard;
    rc = take(greet, &t->in, &t->out);
  } while (rc == GREET_MORE);
  *ret = rc;
  return 0;
}

/* ---- the end ---- */

void trip_part(struct trip *t)
{
  (void)send(t->fd, t->out.bytes, t->out.end, MSG_NOSIGNAL | MSG_DONTWAIT);
  close_socket(t);
}

void trip_done(struct trip *t)
{
  close_socket(t);
  wire_buffer_done(&t->in);
  wire_buffer_done(&t->out);
}
