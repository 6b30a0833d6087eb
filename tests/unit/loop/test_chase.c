/*
 * test_chase.c - answers that are taken right after their requests.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "loop/chase.h"
#include "loop/fiber.h"
#include "loop/loop.h"
#include "tests/unit/tap.h"

enum {
  STACK = 64 * 1024,
  ANSWERS = 8, /* to each client */
  ROW = 3,
};

#define TURN_NS (3600 * NS_PER_S)

/* ---- when it is tried ---- */

static void test_hope(void)
{
  unsigned tries = 0, asked = 0;
  struct chase c;

  chase_init(&c, 2, TURN_NS);
  OK(chase_try(&c, 0) && chase_try(&c, 1) && !chase_try(&c, 2),
     "a task takes a limited number of answers in a row");
  while (chase_try(&c, 0) && ++tries < 100000)
    chase_in_vain(&c);
  OK(tries == CHASE_HOPE_MAX / 2, "it is given up when it is in vain");
  for (tries = 0; asked < 10 * CHASE_PROBE; asked++)
    tries += chase_try(&c, 0);
  OK(tries == 10, "and tried again now and then");
  chase_found(&c, 0);
  OK(chase_try(&c, 0), "an answer brings it back");
  for (int i = 0; i < CHASE_GAIN; i++)
    chase_in_vain(&c);
  for (tries = asked = 0; asked < CHASE_PROBE; asked++)
    tries += chase_try(&c, 0);
  OK(tries == 1, "for as many looks as that is worth");
}

static void test_turn(void)
{
  struct chase c;

  chase_init(&c, 2, TURN_NS);
  chase_found(&c, TURN_NS);
  OK(chase_try(&c, 0), "it goes on for some time between two looks");
  chase_found(&c, TURN_NS + 1);
  OK(!chase_try(&c, 0), "and ends after that");
  chase_turn(&c);
  OK(chase_try(&c, 0), "until the loop has looked");
  c.off = true;
  OK(!chase_try(&c, 0), "or nobody wants it");
}

/* ---- in a loop ---- */

/* A send() that has woken a server returns when that has answered, or has died:
 * it has taken the processor.  Only in tests that say so. */
static bool server_is_quick;
static int server_dies = -1; /* its socket */

ssize_t send(int fd, const void *p, size_t n, int flags)
{
  struct iovec bytes = { (void *)(uintptr_t)p, n };
  const struct msghdr message = { .msg_iov = &bytes, .msg_iovlen = 1 };
  const ssize_t sent = sendmsg(fd, &message, flags);
  struct pollfd answer = { fd, POLLIN, 0 };

  if (sent > 0 && server_is_quick)
    MUST(poll(&answer, 1, -1) == 1);
  if (server_dies >= 0)
    MUST(close(server_dies) == 0);
  return sent;
}

/* Who got an answer, one after another. */
struct answers {
  char log[2 * ANSWERS + 1];
  int n;
  uint64_t moves;
};

struct client {
  struct answers *all;
  int fd, peer;
  char name;
  bool failed;
  int error;
  pthread_t server;
};

static void *serve(void *arg)
{
  const struct client *c = arg;
  char request;

  while (read(c->peer, &request, 1) == 1)
    MUST(write(c->peer, "a", 1) == 1);
  return NULL;
}

static void ask_again(void *arg)
{
  struct client *c = arg;

  for (int i = 0; i < ANSWERS; i++) {
    const uint64_t moves = fiber_moves();
    char text[8];

    if (loop_send(c->fd, "q", 1, 0) != 1 ||
        loop_recv(c->fd, text, sizeof(text)) != 1)
      c->failed = true;
    c->all->moves += fiber_moves() - moves;
    c->all->log[c->all->n++] = c->name;
  }
  loop_forget(c->fd);
}

static void connect_pair(struct client *c, struct answers *all, char name)
{
  int fd[2];

  MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0);
  *c = (struct client){ .all = all, .fd = fd[0], .peer = fd[1], .name = name };
}

static void close_both(struct client *c)
{
  (void)close(c->fd);
  (void)close(c->peer);
}

static struct loop *loop_with(enum loop_engine engine, unsigned row_max)
{
  const struct loop_setup setup = { .stack_bytes = STACK,
                                    .engine = engine,
                                    .row_max = row_max,
                                    .row_turn_ns = TURN_NS };
  struct loop *l = NULL;
  struct err err;

  return loop_new(&l, &setup, &err) == 0 ? l : NULL;
}

static void test_rows(enum loop_engine engine, unsigned row_max,
                      enum loop_way way, const char *first)
{
  const unsigned parked = way == LOOP_AT_ONCE ? ANSWERS / (row_max + 1)
                                              : ANSWERS;
  struct loop *l = loop_with(engine, row_max);
  struct answers all = { .n = 0 };
  struct client of[2];
  struct err err;

  MUST(l != NULL);
  loop_set_way(l, LOOP_GATHERED); /* and what was once is no matter */
  loop_set_way(l, way);
  server_is_quick = true;
  for (int i = 0; i < 2; i++) {
    connect_pair(&of[i], &all, (char)('a' + i));
    MUST(pthread_create(&of[i].server, NULL, serve, &of[i]) == 0);
    MUST(loop_add(l, ask_again, &of[i], &err) == 0);
  }
  loop_run(l);
  server_is_quick = false;
  OK(!of[0].failed && !of[1].failed && all.n == 2 * ANSWERS,
     loop_engine_name(l));
  all.log[strlen(first)] = '\0';
  OK_STR(all.log, first, "some answers in a row, then it is another's turn");
  OK(atomic_load(&loop_counts(l)->at_once) == 2 * (ANSWERS - parked) &&
       atomic_load(&loop_counts(l)->arrived) == 2 * parked,
     "they are counted apart from those that were waited for");
  OK(all.moves == 2 * ANSWERS, "each answer is a move");
  loop_free(l);
  for (int i = 0; i < 2; i++) {
    MUST(shutdown(of[i].fd, SHUT_RDWR) == 0);
    MUST(pthread_join(of[i].server, NULL) == 0);
    close_both(&of[i]);
  }
}

/* ---- nothing is there, or nobody ---- */

static void ask_once(void *arg)
{
  struct client *c = arg;
  char text[8];

  errno = 0;
  if (loop_send(c->fd, "q", 1, 0) < 0)
    c->failed = true;
  else
    c->all->n = (int)loop_recv(c->fd, text, sizeof(text));
  c->error = errno;
  loop_forget(c->fd);
}

static void answer_it(void *arg)
{
  struct client *c = arg;
  char request[8];

  if (loop_recv(c->peer, request, sizeof(request)) == 1)
    (void)loop_send(c->peer, "aa", 2, 0);
  loop_forget(c->peer);
}

/* A loop with a client that asks once. */
static struct loop *loop_of_one(enum loop_engine engine, struct client *c,
                                struct answers *all)
{
  struct loop *l = loop_with(engine, ROW);
  struct err err;

  MUST(l != NULL);
  *all = (struct answers){ .n = 99 };
  connect_pair(c, all, 'a');
  MUST(loop_add(l, ask_once, c, &err) == 0);
  return l;
}

static void test_in_vain(enum loop_engine engine)
{
  struct answers all;
  struct client c;
  struct loop *l = loop_of_one(engine, &c, &all);
  struct err err;

  MUST(loop_add(l, answer_it, &c, &err) == 0);
  loop_run(l);
  OK(all.n == 2 && !c.failed, "an answer that comes later is waited for");
  OK(atomic_load(&loop_counts(l)->at_once) == 0, "and counts as such");
  loop_free(l);
  close_both(&c);
}

static void test_gone(enum loop_engine engine)
{
  struct answers all;
  struct client c;
  struct loop *l = loop_of_one(engine, &c, &all);

  (void)close(c.peer);
  c.peer = -1;
  loop_run(l);
  OK(c.failed || all.n <= 0, "the loss of a server is seen");
  loop_free(l);
  close_both(&c);
}

/* It leaves a request unread, which is a reset, not an end. */
static void test_dies(enum loop_engine engine)
{
  struct answers all;
  struct client c;
  struct loop *l = loop_of_one(engine, &c, &all);

  server_dies = c.peer;
  loop_run(l);
  server_dies = c.peer = -1;
  OK(all.n == -1 && c.error == ECONNRESET, "and the reason is that of its end");
  loop_free(l);
  close_both(&c);
}

static void test_engine(enum loop_engine engine)
{
  test_rows(engine, 0, LOOP_AT_ONCE, "");
  test_rows(engine, ROW, LOOP_AT_ONCE, "aaabbb");
  test_rows(engine, ROW, LOOP_TOGETHER, "");
  test_in_vain(engine);
  test_gone(engine);
  test_dies(engine);
}

int main(void)
{
  struct loop *l;

  test_hope();
  test_turn();
  test_engine(LOOP_EPOLL);
  l = loop_with(LOOP_URING, 0);
  if (l) { /* the system allows io_uring */
    loop_free(l);
    test_engine(LOOP_URING);
  }
  return TAP_EXIT();
}
