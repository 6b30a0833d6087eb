/*
 * test_link.c - sockets that are opened by fibers and by threads, a queue that
 * is full, and time limits.
 */
#include "drivers/wire/link.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "loop/loop.h"
#include "tests/unit/tap.h"

enum {
  STACK = 64 * 1024,
  QUEUE = 4,
};

/* A server that accepts when it is told to. */
static struct {
  struct sockaddr_storage at;
  socklen_t len;
  int fd;
} server;

static struct wire_buffer in;
static int rc, second_rc;
static int client = -1;

static uint64_t within_s(unsigned s)
{
  return clock_now_ns() + s * NS_PER_S;
}

static const struct sockaddr *address(void)
{
  return (const struct sockaddr *)(const void *)&server.at;
}

static void serve(int family)
{
  struct sockaddr_in four = { .sin_family = AF_INET };
  struct sockaddr_un here = { .sun_family = AF_UNIX };

  server.len = sizeof(four);
  four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (family == AF_INET) {
    memcpy(&server.at, &four, sizeof(four));
  } else {
    memcpy(&server.at, &here, sizeof(here));
    server.len = sizeof(sa_family_t); /* the system finds a name */
  }
  server.fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  MUST(server.fd >= 0 && bind(server.fd, address(), server.len) == 0 &&
       listen(server.fd, 0) == 0);
  server.len = sizeof(server.at);
  MUST(getsockname(server.fd, (struct sockaddr *)(void *)&server.at,
                   &server.len) == 0);
}

/* In a fiber of a loop, or right here. */
static void run(enum loop_engine engine, bool in_fiber, void (*one)(void *),
                void (*other)(void *))
{
  const struct loop_setup setup = { .stack_bytes = STACK, .engine = engine };
  struct loop *l = NULL;
  struct err err;

  if (!in_fiber) {
    one(NULL);
    return;
  }
  MUST(loop_new(&l, &setup, &err) == 0 && loop_add(l, one, NULL, &err) == 0);
  MUST(!other || loop_add(l, other, NULL, &err) == 0);
  loop_run(l);
  loop_free(l);
}

static void leave(void)
{
  if (client >= 0) {
    loop_forget(client);
    (void)close(client);
  }
  client = -1;
}

static void echo_once(void *arg)
{
  (void)arg;
  rc = wire_open(&client, address(), server.len, within_s(1000));
  if (rc == 0) {
    const int peer = accept(server.fd, NULL, NULL);
    char text[8];

    MUST(peer >= 0);
    rc = wire_send_until(client, "ask", 3, within_s(1000));
    second_rc = wire_receive_until(client, &in, 8, clock_now_ns() + NS_PER_MS);
    MUST(read(peer, text, sizeof(text)) == 3 && memcmp(text, "ask", 3) == 0);
    MUST(write(peer, "reply", 5) == 5);
    rc |= wire_receive_until(client, &in, 2, within_s(1000));
    rc |= wire_receive_until(client, &in, 8, within_s(1000));
    MUST(close(peer) == 0);
    leave();
  }
}

static void test_echo(enum loop_engine engine, bool in_fiber, int family)
{
  wire_buffer_clear(&in);
  serve(family);
  run(engine, in_fiber, echo_once, NULL);
  OK(rc == 0 && in.end == 5 && memcmp(in.bytes, "reply", 5) == 0,
     "a question, and an answer in two pieces");
  OK(second_rc == -ETIMEDOUT, "before it, a wait that had a limit");
  MUST(close(server.fd) == 0);
}

static void open_closed(void *arg)
{
  (void)arg;
  rc = wire_open(&client, address(), server.len, within_s(1000));
  leave();
}

static void hear_end(void *arg)
{
  int peer;

  (void)arg;
  MUST(wire_open(&client, address(), server.len, within_s(1000)) == 0);
  peer = accept(server.fd, NULL, NULL);
  MUST(peer >= 0 && close(peer) == 0);
  rc = wire_receive_until(client, &in, 8, within_s(1000));
  leave();
}

static void test_end(enum loop_engine engine, bool in_fiber)
{
  serve(AF_INET);
  run(engine, in_fiber, hear_end, NULL);
  OK(rc == -EPIPE, "a peer that hangs up");
  MUST(close(server.fd) == 0);
  run(engine, in_fiber, open_closed, NULL);
  OK(rc == -ECONNREFUSED, "no server");
}

/* ---- a queue that is full ---- */

static void open_late(void *arg)
{
  (void)arg;
  rc = wire_open(&client, address(), server.len, clock_now_ns() + NS_PER_MS);
  second_rc = wire_open(&client, address(), server.len, within_s(1000));
  leave();
}

static void accept_later(void *arg)
{
  _Atomic uint32_t never = 0;
  const uint64_t at = clock_now_ns() + 5 * NS_PER_MS;

  (void)arg;
  loop_wait_while(&never, 0, at);
  for (struct pollfd p = { .fd = server.fd, .events = POLLIN };
       poll(&p, 1, 0) > 0;)
    MUST(close(accept(server.fd, NULL, NULL)) == 0);
}

static void test_full(enum loop_engine engine)
{
  int waiting[QUEUE], n = 0;

  serve(AF_UNIX);
  while (n < QUEUE) {
    waiting[n] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    MUST(waiting[n] >= 0);
    if (connect(waiting[n++], address(), server.len) < 0)
      break;
  }
  MUST(errno == EAGAIN);
  run(engine, true, open_late, accept_later);
  OK(rc == -ETIMEDOUT && second_rc == 0,
     "a queue that is full is tried again until it has room");
  while (n > 0)
    (void)close(waiting[--n]);
  MUST(close(server.fd) == 0);
}

static bool opens(enum loop_engine engine)
{
  const struct loop_setup setup = { .stack_bytes = STACK, .engine = engine };
  struct loop *l = NULL;
  struct err err;

  if (loop_new(&l, &setup, &err) < 0)
    return false;
  loop_free(l);
  return true;
}

static void test_loop(enum loop_engine engine)
{
  if (!opens(engine)) {
    printf("# the system does not allow this engine\n");
    return;
  }
  test_echo(engine, true, AF_INET);
  test_echo(engine, true, AF_UNIX);
  test_end(engine, true);
  test_full(engine);
}

int main(void)
{
  test_echo(LOOP_EPOLL, false, AF_INET);
  test_end(LOOP_EPOLL, false);
  test_loop(LOOP_EPOLL);
  test_loop(LOOP_URING);
  wire_buffer_done(&in);
  return TAP_EXIT();
}
