/*
 * test_gather.c - sleeps until several answers have come.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/sock.h"
#include "loop/gather.h"
#include "loop/loop.h"
#include "tests/unit/tap.h"

enum {
  STACK = 64 * 1024,
  CLIENTS = 32,
  AWAITED = CLIENTS - CLIENTS / GATHER_SPARED,
};

#define LONG_NS (3600 * NS_PER_S)

/* ---- for how many ---- */

static void test_wish(void)
{
  struct gather g = { .longest_ns = LONG_NS };

  OK(gather_wish(&g, 100) == 1, "not if it is not allowed");
  g.allowed = true;
  OK(gather_wish(&g, GATHER_LEAST - 1) == 1, "not for a few answers");
  OK(gather_wish(&g, 16) == 14 && gather_wish(&g, 100) == 88,
     "else for most of those that are due");
  g.longest_ns = 0;
  OK(gather_wish(&g, 100) == 1, "and only if there is a time for it");
}

#define QUICK_NS (NS_PER_MS / 2)
#define LATE_NS NS_PER_MS

static void test_limit(void)
{
  struct gather g = { .longest_ns = LATE_NS, .allowed = true };

  gather_ended(&g, 88, 40, LATE_NS);
  OK(gather_wish(&g, 100) == 30, "with fewer, if that took too long");
  gather_ended(&g, 30, 30, QUICK_NS);
  OK(gather_wish(&g, 100) == 31, "then with more again");
  gather_ended(&g, 14, 16, QUICK_NS);
  OK(gather_wish(&g, 100) == 31, "if that was the limit");
  gather_ended(&g, 31, 20, QUICK_NS);
  OK(gather_wish(&g, 100) == 31, "something else may end it");
  for (int i = 0; i < 200; i++)
    gather_ended(&g, gather_wish(&g, 100), gather_wish(&g, 100), QUICK_NS);
  OK(gather_wish(&g, 100) == 88 && gather_wish(&g, 16) == 14,
     "never with more than most");
}

/* Sleeps until it is tried again. */
static unsigned rest_of(struct gather *g)
{
  unsigned n = 0;

  while (gather_wish(g, 100) == 1)
    n++;
  return n;
}

static void test_slow(void)
{
  struct gather g = { .longest_ns = LATE_NS, .allowed = true };
  unsigned n = 0;

  gather_ended(&g, 88, GATHER_RATE, LATE_NS);
  OK(rest_of(&g) == 0, "it goes on while answers come quickly");
  gather_ended(&g, 88, GATHER_RATE - 1, LATE_NS);
  OK(rest_of(&g) == GATHER_REST, "where they are slow, it rests");
  gather_ended(&g, 2, 2, QUICK_NS);
  OK(rest_of(&g) == 2 * GATHER_REST, "longer each time");
  for (int i = 0; i < 20; i++) {
    gather_ended(&g, 88, 0, LATE_NS);
    n = rest_of(&g);
  }
  OK(n == GATHER_REST_MAX, "but not for ever");
  gather_ended(&g, 14, 14, QUICK_NS);
  gather_ended(&g, 88, 0, LATE_NS);
  OK(rest_of(&g) == GATHER_REST, "until they are quick again");
  gather_ended(&g, 88, 0, GATHER_TELLS_NS - 1);
  OK(rest_of(&g) == 0, "a moment tells nothing");
}

/* ---- in a loop ---- */

/* Instead of the program's: where the other ends of all sockets are. */
static bool peers_are_here;

bool sock_is_local(int fd)
{
  return fd >= 0 && peers_are_here;
}

struct service {
  const struct loop_counts *loop;
  int fd[CLIENTS], peer[CLIENTS];
  unsigned at_first;  /* so many answers, ... */
  _Atomic unsigned n; /* ...until as many clients have gone on */
  uint64_t took_ns;   /* from the first answer to the last of these */
  unsigned lags;
  uint64_t least_lag_ns; /* of the first AWAITED ones */
};

static void answer(const struct service *s, unsigned from, unsigned to)
{
  for (unsigned i = from; i < to; i++)
    MUST(write(s->peer[i], "a", 1) == 1);
}

static void *serve(void *arg)
{
  struct service *s = arg;
  uint64_t began_ns;
  char request;

  for (unsigned i = 0; i < CLIENTS; i++)
    MUST(read(s->peer[i], &request, 1) == 1);
  while (atomic_load(&s->loop->slept) == 0)
    (void)sched_yield();
  answer(s, 0, 1);
  began_ns = clock_now_ns();
  for (unsigned i = 1; i < s->at_first; i++) {
    s->took_ns = clock_now_ns() - began_ns;
    answer(s, i, i + 1);
  }
  while (atomic_load(&s->n) < s->at_first)
    (void)sched_yield();
  answer(s, s->at_first, CLIENTS);
  return NULL;
}

struct client {
  struct service *of;
  int fd;
};

static void ask(void *arg)
{
  struct client *c = arg;
  char text;

  MUST(loop_send(c->fd, "q", 1, 0) == 1);
  MUST(loop_recv(c->fd, &text, 1) == 1);
  atomic_fetch_add(&c->of->n, 1);
  loop_forget(c->fd);
}

static void note_lag(void *ctx, uint64_t ns)
{
  struct service *s = ctx;

  if (s->lags < AWAITED && (s->lags == 0 || ns < s->least_lag_ns))
    s->least_lag_ns = ns;
  s->lags++;
}

static struct loop *new_loop(enum loop_engine engine, uint64_t gather_ns)
{
  const struct loop_setup setup = { .stack_bytes = STACK,
                                    .engine = engine,
                                    .gather_ns = gather_ns };
  struct loop *l = NULL;
  struct err err;

  return loop_new(&l, &setup, &err) == 0 ? l : NULL;
}

/* All clients ask once.  Returns how often the loop slept for several. */
static unsigned gathers_of(struct loop *l, struct service *s, unsigned at_first)
{
  struct client clients[CLIENTS];
  pthread_t server;
  unsigned n;
  struct err err;

  MUST(l != NULL);
  *s = (struct service){ .loop = loop_counts(l), .at_first = at_first };
  for (unsigned i = 0; i < CLIENTS; i++) {
    int pair[2];

    MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    s->fd[i] = pair[0];
    s->peer[i] = pair[1];
    clients[i] = (struct client){ s, pair[0] };
    MUST(loop_add(l, ask, &clients[i], &err) == 0);
  }
  loop_on_lag(l, note_lag, s);
  MUST(pthread_create(&server, NULL, serve, s) == 0);
  loop_run(l);
  MUST(pthread_join(server, NULL) == 0);
  n = (unsigned)atomic_load(&loop_counts(l)->gathers);
  loop_free(l);
  for (unsigned i = 0; i < CLIENTS; i++) {
    (void)close(s->fd[i]);
    (void)close(s->peer[i]);
  }
  return n;
}

static struct loop *gathering_loop(enum loop_engine engine, uint64_t gather_ns)
{
  struct loop *l = new_loop(engine, gather_ns);

  if (l)
    loop_set_way(l, LOOP_GATHERED);
  return l;
}

static void test_engine(enum loop_engine engine)
{
  struct service s;

  peers_are_here = true;
  OK(gathers_of(gathering_loop(engine, LONG_NS), &s, AWAITED) >= 1 &&
       s.n == CLIENTS,
     "a loop sleeps until several answers have come");
  OK(s.lags == CLIENTS, "each has its lag");
  OK(gathers_of(new_loop(engine, LONG_NS), &s, 1) == 0 && s.n == CLIENTS,
     "not if it is not allowed");
  OK(gathers_of(gathering_loop(engine, 0), &s, 1) == 0,
     "nor without a time for it");
  peers_are_here = false;
  OK(gathers_of(gathering_loop(engine, LONG_NS), &s, 1) == 0,
     "nor for servers on other machines");
  peers_are_here = true;
  OK(gathers_of(gathering_loop(engine, NS_PER_MS), &s, 3) >= 1 &&
       s.n == CLIENTS,
     "it does not sleep long if they do not come");
}

static void test_uring(void)
{
  struct service s;

  test_engine(LOOP_URING);
  OK(gathers_of(gathering_loop(LOOP_URING, LONG_NS), &s, AWAITED) == 1,
     "io_uring wakes the thread once");
  OK(s.took_ns > 0 && s.least_lag_ns >= s.took_ns,
     "the lag includes how long an answer was held back");
}

int main(void)
{
  struct loop *l;

  test_wish();
  test_limit();
  test_slow();
  test_engine(LOOP_EPOLL);
  l = new_loop(LOOP_URING, 0);
  if (l) { /* the system allows io_uring */
    loop_free(l);
    test_uring();
  }
  return TAP_EXIT();
}
