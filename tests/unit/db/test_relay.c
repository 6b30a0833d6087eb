/*
 * test_relay.c - the relay of --rtt: order, ends, resets, many connections,
 * delays, and servers that it refuses.
 */
#include "db/relay.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "db/env.h"
#include "tests/unit/loopback.h"
#include "tests/unit/tap.h"

enum {
  MANY = 500,
  BLOCK = 4096,     /* numbers sent at a time */
  AHEAD = 32 << 20, /* bytes sent before any is read: more than sockets hold */
};

#define RTT_NS (4 * NS_PER_MS)

static struct db_process process;
static struct db_env env = { .process = &process };
static struct session session = { .env = &env };

static void must_send(int fd, const void *bytes, size_t n)
{
  const char *p = bytes;

  for (ssize_t sent; n > 0; n -= (size_t)sent, p += sent) {
    sent = send(fd, p, n, MSG_NOSIGNAL);
    MUST(sent > 0);
  }
}

/* False: the end comes first. */
static bool receive(int fd, void *to, size_t n)
{
  char *p = to;

  for (ssize_t got; n > 0; n -= (size_t)got, p += got) {
    got = recv(fd, p, n, 0);
    if (got <= 0)
      return false;
  }
  return true;
}

/* Echoes, and sends the number of bytes at the end. */
static void *serve(void *arg)
{
  const int fd = (int)(intptr_t)arg;
  uint64_t total = 0;
  char bytes[4096];
  ssize_t n;

  while ((n = recv(fd, bytes, sizeof(bytes), 0)) > 0) {
    total += (uint64_t)n;
    must_send(fd, bytes, (size_t)n);
  }
  must_send(fd, &total, sizeof(total));
  (void)close(fd);
  return NULL;
}

static pthread_t serve_next(int listener)
{
  const int fd = accept(listener, NULL, NULL);
  pthread_t thread;

  MUST(fd >= 0 &&
       pthread_create(&thread, NULL, serve, (void *)(intptr_t)fd) == 0);
  return thread;
}

static uint64_t within_a_minute(void)
{
  return clock_now_ns() + 60 * NS_PER_S;
}

static int listen_here(char ret_port[8])
{
  int fd;
  const struct sockaddr_in at = loopback_listen(&fd);

  MUST(listen(fd, MANY) == 0);
  (void)snprintf(ret_port, 8, "%u", ntohs(at.sin_port));
  return fd;
}

static const struct relay_place *place_of(int listener, const char *port)
{
  const struct relay_place *at;
  struct err err;

  MUST(relay_to_host(env_relay(&session), "127.0.0.1", port, within_a_minute(),
                     &at, &err) == 0);
  (void)close(accept(listener, NULL, NULL)); /* does the server answer? */
  return at;
}

static int connect_to(const struct relay_place *at)
{
  struct sockaddr_in to = { .sin_family = AF_INET,
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

  to.sin_port = htons((uint16_t)atoi(at->port));
  MUST(fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0);
  return fd;
}

static void *send_ahead(void *arg)
{
  const int fd = *(int *)arg;
  uint32_t block[BLOCK];

  for (uint32_t i = 0; i < AHEAD / sizeof(i); i++) {
    block[i % BLOCK] = i;
    if (i % BLOCK == BLOCK - 1)
      must_send(fd, block, sizeof(block));
  }
  (void)shutdown(fd, SHUT_WR);
  return NULL;
}

static void check_order(int listener, const struct relay_place *at)
{
  int fd = connect_to(at);
  const pthread_t server = serve_next(listener);
  pthread_t sender;
  uint32_t block[BLOCK];
  bool in_order = true;
  uint64_t total = 0;
  char more;

  MUST(pthread_create(&sender, NULL, send_ahead, &fd) == 0);
  for (uint32_t i = 0; i < AHEAD / sizeof(i) && in_order; i++) {
    if (i % BLOCK == 0)
      in_order = receive(fd, block, sizeof(block));
    in_order = in_order && block[i % BLOCK] == i;
  }
  OK(in_order, "all bytes come back in order");
  OK(receive(fd, &total, sizeof(total)) && total == AHEAD,
     "after the client's end, the server can still send");
  OK(recv(fd, &more, 1, 0) == 0, "then its end comes");
  (void)pthread_join(sender, NULL);
  (void)pthread_join(server, NULL);
  (void)close(fd);
}

static void check_delay(int listener, const struct relay_place *at)
{
  const uint64_t begin_ns = clock_now_ns();
  const int fd = connect_to(at);
  const pthread_t server = serve_next(listener);
  uint64_t sent_ns;
  char byte = 'a';

  OK(clock_now_ns() - begin_ns >= RTT_NS * 3 / 2,
     "a connection takes three trips to the server");
  for (int i = 0; i < 5; i++) {
    sent_ns = clock_now_ns();
    must_send(fd, &byte, 1);
    OK(receive(fd, &byte, 1) && clock_now_ns() - sent_ns >= RTT_NS,
       "an answer takes a round trip at least");
  }
  OK(relay_round_trip_ns(process.relay) >= RTT_NS, "and this is measured");
  (void)close(fd);
  (void)pthread_join(server, NULL);
}

static void check_many(int listener, const struct relay_place *at)
{
  static int client[MANY], server[MANY];
  bool right = true;
  int number;

  for (int i = 0; i < MANY; i++) {
    client[i] = connect_to(at);
    must_send(client[i], &i, sizeof(i));
  }
  for (int i = 0; i < MANY; i++)
    MUST((server[i] = accept(listener, NULL, NULL)) >= 0);
  for (int i = 0; i < MANY; i++) {
    right = right && receive(server[i], &number, sizeof(number));
    must_send(server[i], &number, sizeof(number));
  }
  for (int i = 0; i < MANY; i++)
    right = right && receive(client[i], &number, sizeof(number)) && number == i;
  OK(right, "each of many connections has its own bytes");
  for (int i = 0; i < MANY; i++) {
    (void)close(client[i]);
    right = right && recv(server[i], &number, sizeof(number), 0) == 0;
    (void)close(server[i]);
  }
  OK(right, "and its own end");
}

static void reset(int fd)
{
  const struct linger now = { .l_onoff = 1 };

  (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
  (void)close(fd);
}

static void check_reset(int listener, const struct relay_place *at)
{
  char bytes[5] = "last";
  int fd = connect_to(at), far = accept(listener, NULL, NULL);
  struct pollfd p = { .fd = fd, .events = POLLIN };

  must_send(far, bytes, 4);
  OK(poll(&p, 1, -1) == 1, "the last bytes of a server arrive");
  reset(far);
  OK(receive(fd, bytes, 4) && recv(fd, bytes, 1, 0) < 0 && errno == ECONNRESET,
     "and its reset behind them");
  (void)close(fd);
  fd = connect_to(at);
  far = accept(listener, NULL, NULL);
  reset(fd);
  OK(recv(far, bytes, 1, 0) < 0 && errno == ECONNRESET,
     "a client's reset reaches the server");
  (void)close(far);
}

static void check_refusals(void)
{
  const struct relay_place *at;
  char port[8];
  struct err err;
  const int fd = listen_here(port);

  /* RFC 5737 */
  OK(relay_to_host(env_relay(&session), "192.0.2.1", port, within_a_minute(),
                   &at, &err) == -EADDRNOTAVAIL &&
       !at && strstr(err.text, "192.0.2.1"),
     "a server elsewhere is refused");
  (void)close(fd);
  OK(relay_to_host(env_relay(&session), "127.0.0.1", port, within_a_minute(),
                   &at, &err) == -ECONNREFUSED &&
       !at,
     "nobody listens: the reason is that of a connection without the relay");
  OK(relay_to_path(env_relay(&session), "/nonexist/socket", within_a_minute(),
                   &at, &err) == -ENOENT,
     "likewise for a path");
  session.apart = true;
  OK(relay_to_host(env_relay(&session), "192.0.2.1", port, 0, &at, &err) == 0 &&
       !at,
     "a monitor's session goes without");
  session.apart = false;
}

static void check_path(void)
{
  char name[] = "/tmp/bench-test-XXXXXX", text[8] = "";
  const struct relay_place *at = NULL, *again = NULL;
  struct sockaddr_un here = { .sun_family = AF_UNIX }, via = here;
  const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0),
            fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct stat st;
  struct err err;
  int far;

  MUST(listener >= 0 && fd >= 0 && mkdtemp(name));
  (void)snprintf(here.sun_path, sizeof(here.sun_path), "%s/socket", name);
  MUST(bind(listener, (struct sockaddr *)&here, sizeof(here)) == 0 &&
       listen(listener, 1) == 0);
  MUST(relay_to_path(env_relay(&session), here.sun_path, within_a_minute(), &at,
                     &err) == 0);
  (void)close(accept(listener, NULL, NULL));
  OK(stat(at->folder, &st) == 0 && (st.st_mode & 07777) == 0700,
     "no other user gets into the folder of a Unix socket");
  OK_STR(strrchr(at->path, '/'), "/socket", "whose name is the server's");
  OK(relay_to_path(env_relay(&session), here.sun_path, 0, &again, &err) == 0 &&
       again == at,
     "a server has one place");
  (void)snprintf(via.sun_path, sizeof(via.sun_path), "%s", at->path);
  MUST(connect(fd, (struct sockaddr *)&via, sizeof(via)) == 0);
  MUST((far = accept(listener, NULL, NULL)) >= 0);
  must_send(fd, "quit", 4);
  (void)close(fd);
  relay_stop(process.relay);
  OK(receive(far, text, 4) && strcmp(text, "quit") == 0 &&
       recv(far, text, 1, 0) == 0,
     "a stop waits for bytes under way");
  OK(stat(at->folder, &st) < 0 && errno == ENOENT, "the folder is gone");
  OK(relay_to_path(env_relay(&session), here.sun_path, 0, &again, &err) == 0 &&
       again == at,
     "a thread left behind can still ask");
  (void)close(far);
  (void)close(listener);
  (void)unlink(here.sun_path);
  (void)rmdir(name);
}

int main(void)
{
  const struct relay_place *at;
  char port[8];
  struct err err;
  int listener;

  process.set.rtt_s = (double)RTT_NS / (double)NS_PER_S;
  MUST(process_init(&process, &err) == 0);
  listener = listen_here(port);
  at = place_of(listener, port);
  OK(strcmp(at->port, port) != 0 && !*at->path, "a place at the same address");
  check_delay(listener, at);
  check_order(listener, at);
  check_many(listener, at);
  check_reset(listener, at);
  check_refusals();
  check_path();
  (void)close(listener);
  OK(process_done(&process), "all ends");
  return TAP_EXIT();
}
