/*
 * test_engines.c - what a loop promises of sockets, whatever engine it has.
 */
#include "loop/loop.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "loop/fiber.h"
#include "tests/unit/tap.h"

enum {
  CHUNK = 1000,
  CHUNKS = 1000, /* more than a socket holds */
  STACK = 64 * 1024,
};

static enum loop_engine engine_wanted;

static int try_loop(enum loop_engine engine, struct loop **l, struct err *err)
{
  const struct loop_setup setup = { .stack_bytes = STACK, .engine = engine };

  return loop_new(l, &setup, err);
}

static struct loop *new_loop(void)
{
  struct loop *l = NULL;
  struct err err;

  MUST(try_loop(engine_wanted, &l, &err) == 0);
  return l;
}

/* A socket and its peer, and what fibers have seen. */
struct ends {
  int fd, peer;
  struct loop *loop;
  ssize_t sent, got, after;
  int error;
  char text[16];
  bool wrong;
};

static void end(int fd)
{
  loop_forget(fd);
  (void)close(fd);
}

/* Run one fiber, or two, over a pair of sockets. */
static void run(struct ends *e, void (*one)(void *), void (*other)(void *))
{
  struct err err;
  int fd[2];

  MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0);
  e->fd = fd[0];
  e->peer = fd[1];
  e->loop = new_loop();
  MUST(loop_add(e->loop, one, e, &err) == 0);
  if (other)
    MUST(loop_add(e->loop, other, e, &err) == 0);
  loop_run(e->loop);
}

/* ---- sends ---- */

static void send_chunks(void *arg)
{
  static unsigned char bytes[CHUNKS * CHUNK];
  struct ends *e = arg;

  for (size_t i = 0; i < sizeof(bytes); i++)
    bytes[i] = (unsigned char)(i * 7 + i / CHUNK);
  for (size_t i = 0; i < sizeof(bytes); i += CHUNK)
    for (size_t done = 0; done < CHUNK;) {
      const ssize_t n = loop_send(e->fd, bytes + i + done, CHUNK - done, 0);

      MUST(n > 0);
      done += (size_t)n;
      e->sent += n;
    }
  (void)loop_recv(e->fd, e->text, 1); /* `bytes` are in use until then */
  end(e->fd);
}

static void receive_chunks(void *arg)
{
  struct ends *e = arg;
  unsigned char some[700];

  while (e->got < CHUNKS * CHUNK) {
    const ssize_t n = loop_recv(e->peer, some, sizeof(some));

    if (n <= 0)
      break;
    for (ssize_t i = 0; i < n; i++) {
      const size_t at = (size_t)(e->got + i);

      e->wrong |= some[i] != (unsigned char)(at * 7 + at / CHUNK);
    }
    e->got += n;
    fiber_yield();
  }
  end(e->peer);
}

static void test_order(void)
{
  struct ends e = { .got = 0 };

  run(&e, send_chunks, receive_chunks);
  OK(e.sent == CHUNKS * CHUNK && e.got == CHUNKS * CHUNK && !e.wrong,
     "small sends to a slow peer arrive in order");
  loop_free(e.loop);
}

static void say_and_end(void *arg)
{
  struct ends *e = arg;

  e->sent = loop_send(e->fd, "bye", 3, 0);
  end(e->fd);
}

static void test_last_words(void)
{
  struct ends e = { .got = 0 };

  run(&e, say_and_end, NULL);
  e.got = recv(e.peer, e.text, sizeof(e.text), 0);
  OK(e.sent == 3 && e.got == 3 && strcmp(e.text, "bye") == 0,
     "what was sent before the socket is forgotten arrives");
  (void)close(e.peer);
  loop_free(e.loop);
}

static void fill_and_end(void *arg)
{
  struct ends *e = arg;

  while (send(e->fd, e->text, sizeof(e->text), MSG_DONTWAIT) > 0)
    e->sent++;
  /* With epoll, it would wait as long as the peer does not read. */
  e->after = engine_wanted == LOOP_URING ? loop_send(e->fd, "more", 4, 0) : 4;
  end(e->fd);
}

static void test_give_up(void)
{
  struct ends e = { .got = 0 };

  run(&e, fill_and_end, NULL);
  OK(e.sent > 0 && e.after == 4,
     "a socket whose peer does not read can be forgotten");
  (void)close(e.peer);
  loop_free(e.loop);
}

/* ---- failures ---- */

static void ask_the_dead(void *arg)
{
  struct ends *e = arg;

  MUST(write(e->peer, "bye", 3) == 3 && close(e->peer) == 0);
  e->sent = loop_send(e->fd, "select", 6, 0);
  e->error = errno;
  e->got = loop_recv(e->fd, e->text, sizeof(e->text));
  e->after = loop_recv(e->fd, e->text + 8, 1);
  end(e->fd);
}

static void test_dead_peer(void)
{
  struct ends e = { .got = 0 };

  run(&e, ask_the_dead, NULL);
  OK(e.sent == 6 || e.error == EPIPE, "a send to a dead peer fails, or later");
  OK(e.got == 3 && strcmp(e.text, "bye") == 0 && e.after <= 0,
     "what the peer said before is still received, then its end");
  loop_free(e.loop);
}

/* The peer stays connected and sends nothing.  The last page is unreadable. */
static void send_badly(struct ends *e, size_t good)
{
  unsigned char *p = mmap(NULL, good + 4096, PROT_READ,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  size_t done = 0;

  MUST(p != MAP_FAILED && mprotect(p + good, 4096, PROT_NONE) == 0);
  errno = 0;
  do {
    e->got = loop_send(e->fd, p + done, good + 100 - done, 0);
    done += e->got > 0 ? (size_t)e->got : 0;
  } while (e->got > 0 && done < good + 100);
  if (e->got > 0)
    e->got = loop_recv(e->fd, e->text, 1);
  e->error = errno;
  MUST(munmap(p, good + 4096) == 0);
  end(e->fd);
}

static void send_nothing(void *arg)
{
  send_badly(arg, 0);
}

static void make_room(void *arg)
{
  static unsigned char bytes[64 * 1024];
  const struct ends *e = arg;

  MUST(loop_recv(e->peer, bytes, sizeof(bytes)) > 0);
}

/* Half of the buffer is copied at once. */
static void send_a_part(void *arg)
{
  const struct ends *e = arg;
  const int bytes = 32 * 1024; /* doubled by the kernel */

  MUST(setsockopt(e->fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes)) == 0);
  send_badly(arg, 60 * 1024);
}

static void test_failed_send(void)
{
  struct ends e = { .got = 0 };

  run(&e, send_nothing, NULL);
  OK(e.got == -1 && e.error == EFAULT,
     "a send that fails ends the wait for its answer");
  (void)close(e.peer);
  loop_free(e.loop);

  run(&e, send_a_part, make_room);
  OK(e.got == -1 && (e.error == EFAULT || e.error == EPIPE),
     "so does a send that fails after a part");
  (void)close(e.peer);
  loop_free(e.loop);
}

/* ---- limits ---- */

static void receive_in_time(void *arg)
{
  struct ends *e = arg;

  loop_limit(clock_now_ns() + NS_PER_MS);
  e->got = loop_recv(e->fd, e->text, 1);
  e->error = errno;
  e->sent = loop_wait_fd(e->fd, POLLIN) ? 1 : -errno;
  /* What comes later is not lost, whatever was under way. */
  MUST(write(e->peer, "late", 4) == 4);
  loop_limit(clock_now_ns() + 1000 * NS_PER_S);
  e->after = loop_recv(e->fd, e->text, sizeof(e->text));
  loop_limit(0);
}

static void send_in_time(void *arg)
{
  struct ends *e = arg;

  while (send(e->fd, e->text, sizeof(e->text), MSG_DONTWAIT) > 0)
    ;
  loop_limit(clock_now_ns() + NS_PER_MS);
  e->sent = loop_wait_fd(e->fd, POLLOUT) ? 1 : -errno;
  while (recv(e->peer, e->text, sizeof(e->text), MSG_DONTWAIT) > 0)
    ;
  loop_limit(clock_now_ns() + 1000 * NS_PER_S);
  e->got = loop_wait_fd(e->fd, POLLOUT);
  loop_limit(0);
}

/* The second send waits until the first one is under way. */
static void send_after_another(void *arg)
{
  struct ends *e = arg;

  while (send(e->fd, e->text, sizeof(e->text), MSG_DONTWAIT) > 0)
    ;
  loop_limit(clock_now_ns() + NS_PER_MS);
  e->sent = loop_send(e->fd, "one", 3, 0);
  loop_settle(e->fd);
  e->got = loop_send(e->fd, "two", 3, 0);
  e->error = errno;
  loop_limit(0);
  loop_forget(e->fd);
}

static void test_limits(void)
{
  struct ends e = { .got = 0 };

  run(&e, receive_in_time, NULL);
  OK(e.got == -1 && e.error == ETIMEDOUT && e.sent == -ETIMEDOUT,
     "a wait for a peer that says nothing ends at its limit");
  OK(e.after == 4 && memcmp(e.text, "late", 4) == 0,
     "what it says then is received");
  (void)close(e.fd);
  (void)close(e.peer);
  loop_free(e.loop);
  e = (struct ends){ .got = 0 };
  run(&e, send_in_time, NULL);
  OK(e.sent == -ETIMEDOUT && e.got == 1, "so does one for room");
  (void)close(e.fd);
  (void)close(e.peer);
  loop_free(e.loop);
  e = (struct ends){ .got = 0 };
  run(&e, send_after_another, NULL);
  OK(e.got == -1 && e.error == ETIMEDOUT, "and one for an earlier send");
  (void)close(e.fd);
  (void)close(e.peer);
  loop_free(e.loop);
}

/* ---- a thread that has to block ---- */

static void *echo(void *arg)
{
  const struct ends *e = arg;
  char c;

  MUST(read(e->peer, &c, 1) == 1 && write(e->peer, &c, 1) == 1);
  return NULL;
}

static void ask_and_block(void *arg)
{
  struct ends *e = arg;
  pthread_t thread;

  MUST(pthread_create(&thread, NULL, echo, e) == 0);
  e->sent = loop_send(e->fd, "x", 1, 0);
  (void)fiber_allow(false);
  e->got = loop_recv(e->fd, e->text, 1);
  (void)fiber_allow(true);
  MUST(pthread_join(thread, NULL) == 0);
  end(e->fd);
}

static void read_aside(void *arg)
{
  struct ends *e = arg;

  e->got = read(e->peer, e->text, 1);
}

static void send_and_go_aside(void *arg)
{
  struct ends *e = arg;

  e->sent = loop_send(e->fd, "y", 1, 0);
  loop_aside(read_aside, e, LOOP_ASIDE_CALL);
  end(e->fd);
}

static void test_block(void)
{
  struct ends e = { .got = 0 };

  run(&e, ask_and_block, NULL);
  OK(e.got == 1 && e.text[0] == 'x',
     "what was sent is under way before the thread blocks");
  OK(atomic_load(&loop_counts(e.loop)->blocked) == 1, "and that is counted");
  (void)close(e.peer);
  loop_free(e.loop);
  run(&e, send_and_go_aside, NULL);
  OK(e.got == 1 && e.text[0] == 'y', "and before something runs aside");
  (void)close(e.peer);
  loop_free(e.loop);
}

/* ---- counts ---- */

static void ask_ten_times(void *arg)
{
  struct ends *e = arg;

  for (int i = 0; i < 10; i++) {
    MUST(loop_send(e->fd, "q", 1, 0) == 1);
    e->got += loop_recv(e->fd, e->text, 1);
  }
  end(e->fd);
}

static void answer_all(void *arg)
{
  struct ends *e = arg;
  char c;

  while (loop_recv(e->peer, &c, 1) == 1)
    MUST(loop_send(e->peer, "a", 1, 0) == 1);
  end(e->peer);
}

static void test_counts(void)
{
  struct ends e = { .got = 0 };
  const struct loop_counts *n;

  run(&e, ask_ten_times, answer_all);
  n = loop_counts(e.loop);
  OK(e.got == 10 && atomic_load(&n->arrived) >= 20 &&
       atomic_load(&n->arrived) <= 24,
     "each arrival that ends a wait is counted once");
  OK(atomic_load(&n->slept) <= atomic_load(&n->turns) &&
       atomic_load(&n->turns) >= 10 && atomic_load(&n->blocked) == 0,
     "so are the turns");
  loop_free(e.loop);
}

/* Containers forbid io_uring. */
static bool opens(enum loop_engine engine)
{
  struct loop *l = NULL;
  struct err err;

  if (try_loop(engine, &l, &err) < 0)
    return false;
  loop_free(l);
  return true;
}

static void test_all(void)
{
  test_order();
  test_last_words();
  test_give_up();
  test_dead_peer();
  test_failed_send();
  test_limits();
  test_block();
  test_counts();
}

int main(void)
{
  engine_wanted = LOOP_EPOLL;
  test_all();
  engine_wanted = LOOP_URING;
  if (opens(LOOP_URING))
    test_all();
  else
    printf("# the system does not allow io_uring\n");
  return TAP_EXIT();
}
