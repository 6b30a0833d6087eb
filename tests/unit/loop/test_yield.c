/*
 * test_yield.c - before a loop sleeps, it lends its processor to others.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "loop/loop.h"
#include "tests/unit/tap.h"

enum {
  CLIENTS = 2,
  STACK = 64 * 1024,
};

/* The servers of a test answer while they have the processor. */
static struct {
  int lent;
  int fd[CLIENTS]; /* of the requests that they have got */
  int n;
} servers;

static void answer_all(void)
{
  while (servers.n > 0)
    MUST(write(servers.fd[--servers.n], "a", 1) == 1);
}

/* Instead of the system's. */
int sched_yield(void);
int sched_yield(void)
{
  servers.lent++;
  answer_all();
  return 0;
}

struct clients {
  struct loop *loop;
  int fd[CLIENTS], peer[CLIENTS];
  int next; /* to begin */
  int got;
  _Atomic uint32_t done;
};

static void client(void *arg)
{
  struct clients *c = arg;
  const int i = c->next++;
  char answer;

  servers.fd[servers.n++] = c->peer[i];
  c->got += loop_recv(c->fd[i], &answer, 1) == 1;
  loop_forget(c->fd[i]);
  if (c->got < CLIENTS)
    return;
  atomic_store(&c->done, 1);
  loop_wake(c->loop);
}

/* Servers that got no processor answer after a second. */
static void answer_late(void *arg)
{
  struct clients *c = arg;
  const uint64_t late_ns = clock_now_ns() + NS_PER_S;

  while (atomic_load(&c->done) == 0 && clock_now_ns() < late_ns)
    loop_wait_while(&c->done, 0, late_ns);
  answer_all();
}

static bool new_loop(struct clients *c, enum loop_engine engine)
{
  const struct loop_setup setup = { .stack_bytes = STACK, .engine = engine };
  struct err err;

  memset(&servers, 0, sizeof(servers));
  *c = (struct clients){ .loop = NULL };
  return loop_new(&c->loop, &setup, &err) == 0;
}

static void add(struct clients *c, void (*fn)(void *arg))
{
  struct err err;

  MUST(loop_add(c->loop, fn, c, &err) == 0);
}

static void open_pair(struct clients *c, int i)
{
  int fd[2];

  MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0);
  c->fd[i] = fd[0];
  c->peer[i] = fd[1];
}

static void close_pair(const struct clients *c, int i)
{
  (void)close(c->fd[i]);
  (void)close(c->peer[i]);
}

static void test_many(enum loop_engine engine)
{
  struct clients c;

  MUST(new_loop(&c, engine));
  for (int i = 0; i < CLIENTS; i++) {
    open_pair(&c, i);
    add(&c, client);
  }
  add(&c, answer_late);
  loop_run(c.loop);
  OK(c.got == CLIENTS && servers.lent == 1 &&
       atomic_load(&loop_counts(c.loop)->slept) == 0,
     "a loop that lends its processor gets the answers without a sleep");
  OK(atomic_load(&loop_counts(c.loop)->arrived) == CLIENTS,
     "and counts each of them");
  for (int i = 0; i < CLIENTS; i++)
    close_pair(&c, i);
  loop_free(c.loop);
}

static void *answer_elsewhere(void *arg)
{
  const struct clients *c = arg;
  char request;

  MUST(read(c->peer[0], &request, 1) == 1 && write(c->peer[0], "a", 1) == 1);
  return NULL;
}

static void ask_alone(void *arg)
{
  struct clients *c = arg;
  char answer;

  MUST(loop_send(c->fd[0], "q", 1, 0) == 1);
  c->got += loop_recv(c->fd[0], &answer, 1) == 1;
  loop_forget(c->fd[0]);
}

static void test_one(enum loop_engine engine)
{
  struct clients c;
  pthread_t thread;

  MUST(new_loop(&c, engine));
  open_pair(&c, 0);
  add(&c, ask_alone);
  MUST(pthread_create(&thread, NULL, answer_elsewhere, &c) == 0);
  loop_run(c.loop);
  MUST(pthread_join(thread, NULL) == 0);
  OK(c.got == 1 && servers.lent == 0, "with one connection, it sleeps at once");
  close_pair(&c, 0);
  loop_free(c.loop);
}

int main(void)
{
  struct clients c;

  test_many(LOOP_EPOLL);
  test_one(LOOP_EPOLL);
  if (new_loop(&c, LOOP_URING)) {
    loop_free(c.loop);
    test_many(LOOP_URING);
    test_one(LOOP_URING);
  } else {
    printf("# the system does not allow io_uring\n");
  }
  return TAP_EXIT();
}
