/*
 * test_errand.c - loops send requests for each other.
 */
#include "loop/errand.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/sock.h"
#include "base/wait.h"
#include "loop/fiber.h"
#include "loop/inside.h"
#include "tests/unit/loopback.h"
#include "tests/unit/tap.h"

enum {
  STACK = 64 * 1024,
  CLIENTS = 20,
  REQUESTS = 200,  /* of each client */
  LONG = 5000,     /* bytes of an answer that comes in pieces */
  NEVER = 1000000, /* requests until the next probe */
};

/* Two loops: that of the test, and its mate in a thread of its own, which has
 * one fiber. */
struct both {
  struct loop *own, *mate;
  struct loop_mates *mates;
  void (*fiber)(void *arg); /* of the mate */
  pthread_t thread;
  _Atomic uint32_t ready, over;
};

static struct loop *new_loop(void)
{
  const struct loop_setup setup = { .stack_bytes = STACK,
                                    .engine = LOOP_URING };
  struct loop *l = NULL;
  struct err err;

  if (loop_new(&l, &setup, &err) < 0)
    return NULL;
  loop_set_way(l, LOOP_TOGETHER);
  return l;
}

static void get_ready(struct both *b)
{
  atomic_store(&b->ready, 1);
  wait_wake_all(&b->ready);
}

static void stay(void *arg)
{
  struct both *b = arg;

  get_ready(b);
  loop_wait_while(&b->over, 0, WAIT_FOREVER);
  fiber_yield(); /* so the last look of the loop is no sleep */
}

static void *run_mate(void *arg)
{
  struct both *b = arg;
  struct err err;

  b->mate = new_loop();
  MUST(b->mate && loop_join(b->mate, b->mates, 1, &err) == 0);
  MUST(loop_add(b->mate, b->fiber, b, &err) == 0);
  loop_run(b->mate);
  return NULL;
}

static void begin_with(struct both *b, void (*fiber)(void *arg))
{
  struct err err;

  *b = (struct both){ .own = new_loop(),
                      .mates = loop_mates_new(2),
                      .fiber = fiber };
  MUST(b->own && b->mates && loop_join(b->own, b->mates, 0, &err) == 0);
  MUST(pthread_create(&b->thread, NULL, run_mate, b) == 0);
  while (atomic_load(&b->ready) == 0)
    wait_while(&b->ready, 0, WAIT_FOREVER);
}

static void begin(struct both *b)
{
  begin_with(b, stay);
}

static void let_mate_end(struct both *b)
{
  atomic_store(&b->over, 1);
  loop_wake(b->mate);
}

static void free_both(struct both *b)
{
  loop_free(b->own);
  loop_free(b->mate);
  loop_mates_free(b->mates);
}

static void end(struct both *b)
{
  let_mate_end(b);
  (void)pthread_join(b->thread, NULL);
  free_both(b);
}

static uint64_t errands_of(const struct both *b)
{
  return atomic_load(&loop_counts(b->own)->errands);
}

/* ---- a client, and its server ---- */

struct client {
  struct both *both;
  int fd, peer;
  pthread_t server;
  unsigned number, right;
  ssize_t got;
  int error;
  uint64_t sent_ns, came_ns;
  _Atomic uint32_t asked; /* the server has a request */
};

static void connect_to(struct client *c, struct both *b)
{
  int fd[2];

  *c = (struct client){ .both = b };
  MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0);
  c->fd = fd[0];
  c->peer = fd[1];
}

static void hang_up(struct client *c)
{
  loop_forget(c->fd);
  (void)close(c->fd);
}

/* The mate sends the next requests. */
static void live_with_mate(struct client *c)
{
  struct loop_fd *s = loop_fd(c->both->own, c->fd);

  MUST(s);
  loop_place(c->both->own, s, c->fd);
  s->home.at = 1;
  s->home.left = NEVER;
}

static void *echo(void *arg)
{
  const struct client *c = arg;
  char text[64];
  ssize_t n;

  while ((n = recv(c->peer, text, sizeof(text), 0)) > 0)
    MUST(send(c->peer, text, (size_t)n, MSG_NOSIGNAL) == n);
  (void)close(c->peer);
  return NULL;
}

static void ask_often(void *arg)
{
  struct client *c = arg;

  live_with_mate(c);
  for (unsigned i = 0; i < REQUESTS; i++) {
    unsigned question[2] = { c->number, i }, answer[2] = { 0 };

    if (loop_send(c->fd, question, sizeof(question), 0) == sizeof(question) &&
        loop_recv(c->fd, answer, sizeof(answer)) == sizeof(answer) &&
        memcmp(question, answer, sizeof(answer)) == 0)
      c->right++;
  }
  hang_up(c);
}

static void test_answers(void)
{
  static struct client clients[CLIENTS];
  unsigned right = 0;
  struct both b;
  struct err err;

  begin(&b);
  for (unsigned i = 0; i < CLIENTS; i++) {
    connect_to(&clients[i], &b);
    clients[i].number = i;
    MUST(pthread_create(&clients[i].server, NULL, echo, &clients[i]) == 0);
    MUST(loop_add(b.own, ask_often, &clients[i], &err) == 0);
  }
  loop_run(b.own);
  for (unsigned i = 0; i < CLIENTS; i++) {
    (void)pthread_join(clients[i].server, NULL);
    right += clients[i].right;
  }
  OK(right == CLIENTS * REQUESTS, "each request gets its own answer");
  OK(errands_of(&b) > 0, "the mate received some of them");
  end(&b);
}

/* One client with that code, which is connected; its server, if it has one,
 * runs in a thread. */
static void run_connected(struct client *c, void (*fn)(void *),
                          void *(*server)(void *))
{
  struct both *b = c->both;
  struct err err;

  if (server)
    MUST(pthread_create(&c->server, NULL, server, c) == 0);
  MUST(loop_add(b->own, fn, c, &err) == 0);
  loop_run(b->own);
  if (server)
    (void)pthread_join(c->server, NULL);
}

static void run_one(struct client *c, struct both *b, void (*fn)(void *),
                    void *(*server)(void *))
{
  connect_to(c, b);
  run_connected(c, fn, server);
}

/* The same when there is no mate any more. */
static void test_alone(void)
{
  struct client c;
  struct both b;

  begin(&b);
  let_mate_end(&b);
  (void)pthread_join(b.thread, NULL);
  run_one(&c, &b, ask_often, echo);
  OK(c.right == REQUESTS, "a loop runs the errands of a mate that has ended");
  OK(errands_of(&b) == 0, "which are none then");
  free_both(&b);
}

/* The thread of the mate does something else. */
static void hold_up(void *arg)
{
  struct both *b = arg;

  get_ready(b);
  while (atomic_load(&b->over) == 0)
    (void)sched_yield();
}

static void ask_later(void *arg)
{
  const struct client *c = arg;
  const struct both *b = c->both;
  const uint64_t looked_ns = atomic_load(&loop_counts(b->mate)->looked_ns);

  while (b->own->now_ns <= looked_ns + ERRAND_HELD_UP_NS)
    fiber_yield();
  ask_often(arg);
}

static void test_held_up(void)
{
  struct client c;
  struct both b;

  begin_with(&b, hold_up);
  run_one(&c, &b, ask_later, echo);
  OK(c.right == REQUESTS, "and those of a mate that is held up");
  end(&b);
}

static void *answer_at_length(void *arg)
{
  const struct client *c = arg;
  static char text[LONG];

  memset(text, 'x', sizeof(text));
  MUST(recv(c->peer, text, 1, 0) == 1);
  MUST(send(c->peer, text, sizeof(text), MSG_NOSIGNAL) == LONG);
  return NULL;
}

static void take_pieces(void *arg)
{
  struct client *c = arg;
  char piece[300];
  ssize_t n;

  live_with_mate(c);
  MUST(loop_send(c->fd, "?", 1, 0) == 1);
  while (c->got < LONG && (n = loop_recv(c->fd, piece, sizeof(piece))) > 0)
    c->got += n;
  hang_up(c);
}

static void test_pieces(void)
{
  struct client c;
  struct both b;

  begin(&b);
  run_one(&c, &b, take_pieces, answer_at_length);
  OK(c.got == LONG, "an answer that comes in pieces is whole");
  OK(errands_of(&b) == 1, "only the first one is an errand");
  (void)close(c.peer);
  end(&b);
}

/* ---- what fails ---- */

static void ask_the_dead(void *arg)
{
  struct client *c = arg;
  char answer[8];

  live_with_mate(c);
  MUST(loop_send(c->fd, "?", 1, 0) == 1);
  c->got = loop_recv(c->fd, answer, sizeof(answer));
  c->error = errno;
  c->came_ns = fiber_here()->came_ns;
  hang_up(c);
}

static void test_dead(void)
{
  struct client c;
  struct both b;

  begin(&b);
  connect_to(&c, &b);
  (void)close(c.peer);
  run_connected(&c, ask_the_dead, NULL);
  OK(c.got == -1 && c.error == EPIPE,
     "a request that cannot be sent fails as it does without a mate");
  end(&b);
}

static void *read_and_hang_up(void *arg)
{
  struct client *c = arg;
  char request;

  c->right = recv(c->peer, &request, 1, 0) == 1;
  (void)close(c->peer);
  return NULL;
}

static void test_lost(void)
{
  struct client c;
  struct both b;

  begin(&b);
  run_one(&c, &b, ask_the_dead, read_and_hang_up);
  OK(c.right == 1 && c.got == 0,
     "so does a server that hangs up before its answer");
  end(&b);
}

/* ---- a task that does not wait for its answer ---- */

static void *note_request(void *arg)
{
  struct client *c = arg;
  char request;

  MUST(recv(c->peer, &request, 1, 0) == 1);
  atomic_store(&c->asked, 1);
  loop_wake(c->both->own);
  MUST(send(c->peer, "!", 1, MSG_NOSIGNAL) == 1);
  return NULL;
}

static void ask_and_do_else(void *arg)
{
  struct client *c = arg;
  char answer;

  live_with_mate(c);
  MUST(loop_send(c->fd, "?", 1, 0) == 1);
  loop_wait_while(&c->asked, 0, WAIT_FOREVER);
  c->got = loop_recv(c->fd, &answer, 1);
  hang_up(c);
}

static void test_else(void)
{
  struct client c;
  struct both b;

  begin(&b);
  run_one(&c, &b, ask_and_do_else, note_request);
  OK(c.got == 1, "the server gets the request of a task that waits for "
                 "something else");
  OK(errands_of(&b) == 0, "from its own loop");
  (void)close(c.peer);
  end(&b);
}

static void ask_and_end(void *arg)
{
  struct client *c = arg;

  live_with_mate(c);
  MUST(loop_send(c->fd, "?", 1, 0) == 1);
  hang_up(c);
}

static void test_farewell(void)
{
  struct client c;
  struct both b;

  begin(&b);
  run_one(&c, &b, ask_and_end, read_and_hang_up);
  OK(c.right == 1, "and that of a task that hangs up");
  end(&b);
}

/* ---- the end of a mate ---- */

/* The mate has no fibers any more when the answer is sent. */
static void *answer_late(void *arg)
{
  struct client *c = arg;
  char request;

  MUST(recv(c->peer, &request, 1, 0) == 1);
  let_mate_end(c->both);
  while (atomic_load(&loop_counts(c->both->mate)->alive) > 0)
    (void)sched_yield();
  c->sent_ns = clock_now_ns();
  MUST(send(c->peer, "!", 1, MSG_NOSIGNAL) == 1);
  return NULL;
}

static void test_end(void)
{
  struct client c;
  struct both b;

  begin(&b);
  run_one(&c, &b, ask_the_dead, answer_late);
  OK(c.got == 1 && errands_of(&b) == 1,
     "a loop whose fibers have ended brings what it has begun to an end");
  OK(c.came_ns >= c.sent_ns, "and knows that the answer ended its sleep");
  (void)close(c.peer);
  end(&b);
}

/* ---- probes ---- */

/* The peer is a fiber of the same loop: it answers only when others wait. */
static void answer_three(void *arg)
{
  const struct client *c = arg;
  char request;

  for (int i = 0; i < 3; i++) {
    MUST(loop_recv(c->peer, &request, 1) == 1);
    MUST(loop_send(c->peer, "!", 1, 0) == 1);
  }
  loop_forget(c->peer);
  (void)close(c->peer);
}

static bool exchange(const struct client *c)
{
  char answer;

  return loop_send(c->fd, "?", 1, 0) == 1 && loop_recv(c->fd, &answer, 1) == 1;
}

static void look_for_home(void *arg)
{
  struct client *c = arg;
  const struct loop *l = c->both->own;

  MUST(exchange(c)); /* no probe: the loop does not know yet where that is */
  MUST(send(c->peer, "!", 1, 0) == 1);
  MUST(exchange(c));
  OK(l->fds[c->fd].home.at == 0 && l->fds[c->fd].home.left == HOME_EVERY,
     "an answer that is there at once is at home here");
  l->fds[c->fd].home.left = 0;
  MUST(exchange(c));
  OK(l->fds[c->fd].home.misses == 1, "one that has to be awaited is not");
  hang_up(c);
}

static void test_probes(void)
{
  struct client c;
  struct both b;
  struct err err;

  begin(&b);
  connect_to(&c, &b);
  MUST(loop_add(b.own, answer_three, &c, &err) == 0);
  MUST(loop_add(b.own, look_for_home, &c, &err) == 0);
  loop_run(b.own);
  end(&b);
}

static void ask_mate(void *arg)
{
  struct client *c = arg;
  struct loop_fd *s;
  char answer;

  live_with_mate(c);
  s = &c->both->own->fds[c->fd];
  s->home.left = 0;
  s->home.misses = 1;
  MUST(send(c->peer, "!", 1, 0) == 1);
  MUST(loop_send(c->fd, "?", 1, 0) == 1);
  c->got = loop_recv(c->fd, &answer, 1);
  s = &c->both->own->fds[c->fd];
  OK(c->got == 1 && s->home.at == 1 && s->home.misses == 0,
     "a mate probes, too");
  hang_up(c);
}

static void test_probe_of_mate(void)
{
  struct client c;
  struct both b;

  begin(&b);
  run_one(&c, &b, ask_mate, NULL);
  OK(errands_of(&b) == 1, "on an errand");
  (void)close(c.peer);
  end(&b);
}

static void connect_by_tcp(struct client *c, struct both *b)
{
  int listener;
  const struct sockaddr_in at = loopback_listen(&listener);

  *c = (struct client){ .both = b };
  c->fd = socket(AF_INET, SOCK_STREAM, 0);
  MUST(c->fd >= 0);
  MUST(connect(c->fd, (const struct sockaddr *)&at, sizeof(at)) == 0);
  c->peer = accept(listener, NULL, NULL);
  MUST(c->peer >= 0);
  (void)close(listener);
}

/* The server resets the connection, which only one call is told. */
static void reset(struct client *c)
{
  MUST(send(c->fd, "?", 1, 0) == 1 && sock_wait(c->peer, POLLIN));
  (void)close(c->peer); /* with something unread */
  MUST(sock_wait(c->fd, POLLIN));
}

static void ask_by_probe(void *arg)
{
  struct client *c = arg;
  char answer;

  live_with_mate(c);
  reset(c);
  c->both->own->fds[c->fd].home.left = 0;
  MUST(loop_send(c->fd, "?", 1, 0) == 1);
  c->got = loop_recv(c->fd, &answer, 1);
  c->error = errno;
  hang_up(c);
}

static void test_probe_of_dead(void)
{
  struct client c;
  struct both b;

  begin(&b);
  connect_by_tcp(&c, &b);
  run_connected(&c, ask_by_probe, NULL);
  OK(c.got == -1 && c.error == ECONNRESET,
     "a probe that finds an error does not lose it");
  end(&b);
}

int main(void)
{
  struct loop *l = new_loop();

  if (!l) {
    printf("1..0 # SKIP the system does not allow io_uring\n");
    return 0;
  }
  loop_free(l);
  test_answers();
  test_alone();
  test_held_up();
  test_pieces();
  test_dead();
  test_lost();
  test_else();
  test_farewell();
  test_end();
  test_probes();
  test_probe_of_mate();
  test_probe_of_dead();
  return TAP_EXIT();
}
