/*
 * relay.c - moves data between the two sockets of a relay, late or not at all
 * when that is asked for.
 */
#include "relay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define NS_PER_S UINT64_C(1000000000)
#define QUEUE_MAX_BYTES ((size_t)1 << 20)
#define READ_BYTES ((size_t)1 << 16)
#define SLOW_READ_BYTES ((size_t)1 << 12) /* with a rate: due evenly */

struct chunk {
  struct chunk *next;
  uint64_t due_ns;
  size_t len, sent;
  char data[];
};

struct relay *relay_new(int client_fd)
{
  struct relay *r = calloc(1, sizeof(*r));

  if (!r) {
    (void)close(client_fd);
    return NULL;
  }
  r->fd[CLIENT] = client_fd;
  r->fd[SERVER] = -1;
  return r;
}

static void close_socket(int fd, bool reset)
{
  const struct linger hard = { .l_onoff = 1, .l_linger = 0 };

  if (fd < 0)
    return;
  if (reset)
    (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
  (void)close(fd);
}

static void drop_head(struct flow *f)
{
  struct chunk *c = f->head;

  f->head = c->next;
  if (!f->head)
    f->tail = NULL;
  f->queued_bytes -= c->len;
  free(c);
}

void relay_free(struct relay *r, bool reset)
{
  if (!r)
    return;
  for (int side = CLIENT; side <= SERVER; side++) {
    close_socket(r->fd[side], reset);
    while (r->flow[side].head)
      drop_head(&r->flow[side]);
  }
  free(r);
}

void relay_set_server(struct relay *r, int fd, bool connecting)
{
  r->fd[SERVER] = fd;
  r->connecting = connecting;
}

/* May data of `side` be written to the other side, apart from its due time? */
static bool can_pass(const struct relay *r, const struct weather *w, int side)
{
  return !w->blackhole && r->fd[!side] >= 0 &&
         !(side == CLIENT && r->connecting);
}

static bool wants_read(const struct relay *r, const struct weather *w, int side)
{
  const size_t most = w->rate > 0 ? SLOW_READ_BYTES : QUEUE_MAX_BYTES;

  const struct flow *f = &r->flow[side];

  return r->fd[side] >= 0 && !(side == SERVER && r->connecting) && !f->ended &&
         f->queued_bytes < most;
}

void relay_events(const struct relay *r, const struct weather *w,
                  uint64_t now_ns, struct pollfd pfd[2], uint64_t *wake_ns)
{
  for (int side = CLIENT; side <= SERVER; side++) {
    pfd[side].fd = r->fd[side];
    pfd[side].events = wants_read(r, w, side) ? POLLIN : 0;
    pfd[side].revents = 0;
  }
  if (r->connecting)
    pfd[SERVER].events |= POLLOUT;

  for (int side = CLIENT; side <= SERVER; side++) {
    const struct flow *f = &r->flow[side];
    uint64_t due_ns = f->head ? f->head->due_ns : f->due_end_ns;

    if (!can_pass(r, w, side) || (!f->head && (!f->ended || f->passed_end)))
      continue;
    if (due_ns <= now_ns)
      pfd[!side].events |= POLLOUT;
    else if (due_ns < *wake_ns)
      *wake_ns = due_ns;
  }
  /*
   * poll() always reports a hang-up.  On a socket that we want nothing from it
   * would do so for ever: leave it out until there is something to do.
   */
  for (int side = CLIENT; side <= SERVER; side++)
    if (!pfd[side].events)
      pfd[side].fd = -1;
}

/* When has the link carried n more bytes? */
static uint64_t due_ns(struct flow *f, const struct weather *w, uint64_t now_ns,
                       size_t n)
{
  if (w->rate > 0) {
    f->free_ns = (f->free_ns > now_ns ? f->free_ns : now_ns) +
                 n * NS_PER_S / w->rate;
    now_ns = f->free_ns;
  }
  return now_ns + w->delay_ns;
}

static bool read_side(struct relay *r, const struct weather *w, uint64_t now_ns,
                      int side)
{
  struct flow *f = &r->flow[side];
  struct chunk *c = malloc(sizeof(*c) + READ_BYTES);
  struct chunk *fit;
  ssize_t n;

  if (!c)
    return false;
  n = recv(r->fd[side], c->data, w->rate > 0 ? SLOW_READ_BYTES : READ_BYTES,
           MSG_DONTWAIT);
  if (n <= 0) {
    int code = errno;

    free(c);
    if (n < 0 && (code == EAGAIN || code == EINTR))
      return true;
    f->ended = true;
    f->broken = n < 0;
    f->due_end_ns = due_ns(f, w, now_ns, 0);
    return true;
  }
  fit = realloc(c, sizeof(*c) + (size_t)n);
  if (fit)
    c = fit;
  c->next = NULL;
  c->due_ns = due_ns(f, w, now_ns, (size_t)n);
  c->len = (size_t)n;
  c->sent = 0;
  if (f->tail)
    f->tail->next = c;
  else
    f->head = c;
  f->tail = c;
  f->queued_bytes += c->len;
  return true;
}

/* Writes what is due of `side` to the other side. */
static bool pass_on(struct relay *r, uint64_t now_ns, int side,
                    uint64_t *passed)
{
  struct flow *f = &r->flow[side];

  while (f->head && f->head->due_ns <= now_ns) {
    struct chunk *c = f->head;
    ssize_t n = send(r->fd[!side], c->data + c->sent, c->len - c->sent,
                     MSG_DONTWAIT | MSG_NOSIGNAL);

    if (n < 0)
      return errno == EAGAIN || errno == EINTR;
    *passed += (uint64_t)n;
    c->sent += (size_t)n;
    if (c->sent == c->len)
      drop_head(f);
  }
  if (!f->head && f->ended && !f->passed_end && f->due_end_ns <= now_ns) {
    if (f->broken)
      return false;
    (void)shutdown(r->fd[!side], SHUT_WR); /* fails if the peer is gone */
    f->passed_end = true;
  }
  return true;
}

void relay_hurry(struct relay *r)
{
  for (int side = CLIENT; side <= SERVER; side++) {
    for (struct chunk *c = r->flow[side].head; c; c = c->next)
      c->due_ns = 0;
    r->flow[side].due_end_ns = 0;
    r->flow[side].free_ns = 0;
  }
}

static bool finish_connect(struct relay *r)
{
  int code = 0;
  socklen_t len = sizeof(code);

  r->connecting = false;
  return getsockopt(r->fd[SERVER], SOL_SOCKET, SO_ERROR, &code, &len) == 0 &&
         code == 0;
}

bool relay_step(struct relay *r, const struct weather *w, uint64_t now_ns,
                const struct pollfd pfd[2], uint64_t passed[2], bool *ret_reset)
{
  const short ready = POLLOUT | POLLERR | POLLHUP;

  *ret_reset = true; /* whatever fails below is a broken connection */
  if (r->connecting && (pfd[SERVER].revents & ready) && !finish_connect(r))
    return false;

  for (int side = CLIENT; side <= SERVER; side++)
    if (pfd[side].revents && wants_read(r, w, side) &&
        !read_side(r, w, now_ns, side))
      return false;
  for (int side = CLIENT; side <= SERVER; side++)
    if (can_pass(r, w, side) && !pass_on(r, now_ns, side, &passed[side]))
      return false;

  *ret_reset = false;
  return !(r->flow[CLIENT].passed_end && r->flow[SERVER].passed_end);
}
