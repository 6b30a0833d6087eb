/*
 * test_loop.c - fibers that wait for each other, for sockets, moments, words
 * and other threads.
 */
#include "loop/loop.h"

#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/err.h"
#include "base/thread.h"
#include "base/wait.h"
#include "loop/fiber.h"
#include "tests/unit/tap.h"

enum {
  PAIRS = 300,
  ROUNDS = 50,
  LARGE = 1 << 20,
  LATE_ROUNDS = 8,
  STACK = 64 * 1024
};

static enum loop_engine engine_wanted;

static struct loop *new_loop(void)
{
  const struct loop_setup setup = { .stack_bytes = STACK,
                                    .engine = engine_wanted };
  struct loop *l = NULL;
  struct err err;

  MUST(loop_new(&l, &setup, &err) == 0);
  return l;
}

static void add(struct loop *l, void (*fn)(void *), void *arg)
{
  struct err err;

  MUST(loop_add(l, fn, arg, &err) == 0);
}

/* ---- turns ---- */

struct turns {
  char text[64];
  size_t len;
};

static void letter_a(void *arg)
{
  struct turns *t = arg;

  for (int i = 0; i < 3; i++) {
    t->text[t->len++] = 'a';
    fiber_yield();
  }
}

static void letter_b(void *arg)
{
  struct turns *t = arg;

  for (int i = 0; i < 3; i++) {
    t->text[t->len++] = 'b';
    if (i == 1)
      (void)fiber_allow(false); /* from here on it keeps the thread */
    fiber_yield();
  }
}

static void test_turns(void)
{
  struct loop *l = new_loop();
  struct turns t = { "", 0 };

  add(l, letter_a, &t);
  add(l, letter_b, &t);
  loop_run(l);
  OK_STR(t.text, "ababba",
         "fibers run in turns, unless they may not be parked");
  OK(fiber_here() == NULL, "outside of the loop there is no fiber");
  loop_free(l);
}

/* ---- other stacks ---- */

struct deep {
  uintptr_t here, deep;
  const struct fiber *fiber;
  int calls;
};

NOINLINE static void note_deep(void *arg)
{
  struct deep *d = arg;

  d->deep = (uintptr_t)__builtin_frame_address(0);
  d->fiber = fiber_here();
  d->calls++;
}

static void go_deep(void *arg)
{
  struct deep *d = arg;
  const struct fiber *before = fiber_here();

  d->here = (uintptr_t)__builtin_frame_address(0);
  for (int i = 0; i < 3; i++)
    loop_call_deep(note_deep, d);
  OK(d->calls == 3 && d->fiber == before && fiber_here() == before,
     "a call on the stack of the thread is one of the fiber");
}

static bool on_one_stack(const struct deep *d)
{
  return d->here - d->deep < STACK || d->deep - d->here < STACK;
}

static void test_deep(void)
{
  struct loop *l = new_loop();
  struct deep d = { 0 }, plain = { 0 };

  add(l, go_deep, &d);
  loop_run(l);
  loop_free(l);
  OK(!on_one_stack(&d), "... and leaves the fiber's stack alone");
  go_deep(&plain);
  OK(on_one_stack(&plain), "outside of fibers it is a plain call");
}

/* ---- sockets ---- */

struct pair {
  int fd[2];
  int sum;
  bool failed;
};

static void ask(void *arg)
{
  struct pair *p = arg;

  for (int i = 1; i <= ROUNDS; i++) {
    int answer = 0;

    p->failed |= loop_send(p->fd[0], &i, sizeof(i), 0) != sizeof(i);
    p->failed |= loop_recv(p->fd[0], &answer, sizeof(answer)) != sizeof(answer);
    p->sum += answer;
  }
  loop_forget(p->fd[0]);
  (void)close(p->fd[0]);
}

static void answer(void *arg)
{
  struct pair *p = arg;
  int n;

  while (loop_recv(p->fd[1], &n, sizeof(n)) == sizeof(n)) {
    n *= 2;
    p->failed |= loop_send(p->fd[1], &n, sizeof(n), 0) != sizeof(n);
  }
  loop_forget(p->fd[1]);
  (void)close(p->fd[1]);
}

static void test_pairs(void)
{
  static struct pair pairs[PAIRS];
  struct loop *l = new_loop();
  bool right = true;

  for (int turn = 0; turn < 2; turn++) { /* the second has the same numbers */
    memset(pairs, 0, sizeof(pairs));
    for (int i = 0; i < PAIRS; i++) {
      MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, pairs[i].fd) == 0);
      add(l, ask, &pairs[i]);
      add(l, answer, &pairs[i]);
    }
    loop_run(l);
    for (int i = 0; i < PAIRS; i++)
      right &= !pairs[i].failed && pairs[i].sum == ROUNDS * (ROUNDS + 1);
  }
  OK(right, "hundreds of pairs talk at once, and see the end of the other");
  loop_free(l);
}

struct stream {
  int fd[2];
  uint64_t sent, got;
  bool wrong;
};

static void send_much(void *arg)
{
  static unsigned char bytes[LARGE];
  struct stream *s = arg;

  for (size_t i = 0; i < LARGE; i++)
    bytes[i] = (unsigned char)(i * 7);
  while (s->sent < LARGE) {
    const ssize_t n = loop_send(s->fd[0], bytes + s->sent, LARGE - s->sent, 0);

    if (n <= 0)
      break;
    s->sent += (uint64_t)n;
  }
  loop_forget(s->fd[0]);
  (void)close(s->fd[0]);
}

static void receive_much(void *arg)
{
  struct stream *s = arg;
  unsigned char some[4096];
  ssize_t n;

  while ((n = loop_recv(s->fd[1], some, s->got % 2 ? 100 : sizeof(some))) > 0) {
    for (ssize_t i = 0; i < n; i++)
      s->wrong |= some[i] != (unsigned char)((s->got + (uint64_t)i) * 7);
    s->got += (uint64_t)n;
    if (s->got % 3 == 0)
      fiber_yield();
  }
  loop_forget(s->fd[1]);
  (void)close(s->fd[1]);
}

static void test_stream(void)
{
  struct loop *l = new_loop();
  struct stream s = { .fd = { -1, -1 } };

  MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, s.fd) == 0);
  add(l, send_much, &s);
  add(l, receive_much, &s);
  loop_run(l);
  OK(s.sent == LARGE && s.got == LARGE && !s.wrong,
     "more than fits into a socket arrives, and in order");
  loop_free(l);
}

static void wait_readable(void *arg)
{
  struct pair *p = arg;

  p->sum = loop_wait_fd(p->fd[1], POLLIN) && loop_wait_fd(p->fd[1], POLLOUT);
  loop_forget(p->fd[1]);
}

static void write_one(void *arg)
{
  struct pair *p = arg;

  fiber_yield();
  p->failed = write(p->fd[0], "x", 1) != 1;
}

static void test_wait_fd(void)
{
  struct loop *l = new_loop();
  struct pair p = { .sum = 0 };

  MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, p.fd) == 0);
  add(l, wait_readable, &p);
  add(l, write_one, &p);
  loop_run(l);
  OK(p.sum == 1 && !p.failed, "a fiber waits until it can read, and write");
  (void)close(p.fd[0]);
  (void)close(p.fd[1]);
  loop_free(l);
}

/* A socket that another thread shuts down ends the wait. */
static void *cut(void *arg)
{
  struct pair *p = arg;

  (void)shutdown(p->fd[0], SHUT_RDWR);
  return NULL;
}

static void wait_for_end(void *arg)
{
  struct pair *p = arg;
  pthread_t thread;
  char c;

  MUST(pthread_create(&thread, NULL, cut, p) == 0);
  p->sum = (int)loop_recv(p->fd[0], &c, 1);
  MUST(pthread_join(thread, NULL) == 0);
  loop_forget(p->fd[0]);
}

static void test_cut(void)
{
  struct loop *l = new_loop();
  struct pair p = { .sum = 7 };

  MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, p.fd) == 0);
  add(l, wait_for_end, &p);
  loop_run(l);
  OK(p.sum == 0, "a socket that is shut down elsewhere ends the wait");
  (void)close(p.fd[0]);
  (void)close(p.fd[1]);
  loop_free(l);
}

/* ---- words and moments ---- */

struct words {
  _Atomic uint32_t word;
  uint64_t asked_ns, came_ns;
  int woken;
};

static void wait_moment(void *arg)
{
  struct words *w = arg;

  w->asked_ns = clock_now_ns() + 5 * NS_PER_MS;
  while (clock_now_ns() < w->asked_ns)
    loop_wait_while(&w->word, 0, w->asked_ns);
  w->came_ns = clock_now_ns();
}

static void wait_word(void *arg)
{
  struct words *w = arg;

  while (atomic_load(&w->word) == 0)
    loop_wait_while(&w->word, 0, clock_now_ns() + 600 * NS_PER_S);
  w->woken++;
}

static void *change_word(void *arg)
{
  struct words *w = arg;

  atomic_store(&w->word, 1);
  loop_wake_all(&w->word);
  return NULL;
}

static void test_words(void)
{
  struct loop *l = new_loop();
  struct words moment = { .word = 0 }, word = { .word = 0 };
  pthread_t thread;

  add(l, wait_moment, &moment);
  loop_run(l);
  OK(moment.came_ns >= moment.asked_ns, "a moment is not too early");
  for (int i = 0; i < 100; i++)
    add(l, wait_word, &word);
  MUST(pthread_create(&thread, NULL, change_word, &word) == 0);
  loop_run(l);
  MUST(pthread_join(thread, NULL) == 0);
  OK(word.woken == 100, "a word that changes wakes all that wait for it");
  loop_free(l);
}

/* ---- connections in order ---- */

enum {
  CONNECTS = 5,
  AT_A_TIME = 2,
};

struct connects {
  _Atomic uint32_t go;
  int now, most, order[CONNECTS], n;
  bool wrong;
};

struct connecting {
  struct connects *all;
  int number;
};

static void connect_in_turn(void *arg)
{
  const struct connecting *c = arg;
  struct connects *all = c->all;

  loop_set_connects(AT_A_TIME);
  loop_begin_connect();
  all->order[all->n++] = c->number;
  if (++all->now > all->most)
    all->most = all->now;
  while (atomic_load(&all->go) == 0)
    loop_wait_while(&all->go, 0, WAIT_FOREVER);
  fiber_yield();
  all->now--;
  loop_end_connect();
}

static void let_connect(void *arg)
{
  struct connects *all = arg;

  fiber_yield();
  all->wrong = all->n != AT_A_TIME;
  atomic_store(&all->go, 1);
  loop_wake_all(&all->go);
}

static void test_connects(void)
{
  struct loop *l = new_loop();
  struct connects all = { .n = 0 };
  struct connecting c[CONNECTS];

  for (int i = 0; i < CONNECTS; i++) {
    c[i] = (struct connecting){ &all, i };
    add(l, connect_in_turn, &c[i]);
  }
  add(l, let_connect, &all);
  loop_run(l);
  for (int i = 0; i < CONNECTS; i++)
    all.wrong |= all.order[i] != i;
  OK(!all.wrong && all.n == CONNECTS && all.most == AT_A_TIME,
     "fibers connect in order, some at a time");
  loop_begin_connect();
  loop_end_connect();
  loop_free(l);
}

/* ---- aside ---- */

struct aside {
  pthread_t loop_thread;
  enum loop_aside kind;
  _Atomic int there;
  _Atomic uint32_t gate;
  int done;
};

static void meet(void *arg)
{
  struct aside *a = arg;

  if (pthread_equal(pthread_self(), a->loop_thread))
    return;
  if (atomic_fetch_add(&a->there, 1) == 2) {
    atomic_store(&a->gate, 1);
    wait_wake_all(&a->gate);
  }
  while (atomic_load(&a->gate) == 0)
    wait_while(&a->gate, 0, WAIT_FOREVER);
}

static void go_aside(void *arg)
{
  struct aside *a = arg;

  loop_aside(meet, a, a->kind);
  a->done++;
}

/* Without those of io_uring. */
static int threads_here(void)
{
  DIR *dir = opendir("/proc/self/task");
  const struct dirent *d;
  int n = 0;

  MUST(dir != NULL);
  while ((d = readdir(dir)) != NULL) {
    char path[300], name[32] = "";
    FILE *f;

    (void)snprintf(path, sizeof(path), "/proc/self/task/%s/comm", d->d_name);
    f = fopen(path, "r");
    if (f && fgets(name, sizeof(name), f) && strncmp(name, "iou-", 4) != 0)
      n++;
    if (f)
      (void)fclose(f);
  }
  (void)closedir(dir);
  return n;
}

static void test_aside(enum loop_aside kind, int stay)
{
  const uint64_t until_ns = clock_now_ns() + 20 * NS_PER_S;
  const int before = threads_here();
  struct loop *l = new_loop();
  struct aside a = { .loop_thread = pthread_self(), .kind = kind };

  for (int i = 0; i < 3; i++)
    add(l, go_aside, &a);
  loop_run(l);
  OK(atomic_load(&a.there) == 3 && a.done == 3,
     "three fibers block at once in other threads");
  while (threads_here() != before + stay && clock_now_ns() < until_ns)
    (void)sched_yield();
  OK(threads_here() == before + stay, "threads that stay afterwards");
  add(l, go_aside, &a);
  loop_run(l);
  OK(a.done == 4 && atomic_load(&a.there) == 4 &&
       threads_here() == before + stay,
     "have more work");
  go_aside(&a);
  OK(a.done == 5 && atomic_load(&a.there) == 4,
     "outside of fibers it is a call");
  loop_free(l);
}

/* ---- the thread blocks where it has to ---- */

static void blocked(void *arg)
{
  struct pair *p = arg;
  char c;

  (void)fiber_allow(false);
  p->failed = write(p->fd[0], "x", 1) != 1;
  p->sum = (int)loop_recv(p->fd[1], &c, 1);
  loop_forget(p->fd[1]);
}

static void test_blocked(void)
{
  struct loop *l = new_loop();
  struct pair p = { .sum = 0 };

  MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, p.fd) == 0);
  add(l, blocked, &p);
  loop_run(l);
  OK(p.sum == 1 && atomic_load(&loop_counts(l)->blocked) == 1,
     "a wait that has to block the thread is counted");
  (void)close(p.fd[0]);
  (void)close(p.fd[1]);
  loop_free(l);
}

static void count_lag(void *ctx, uint64_t ns)
{
  uint64_t *n = ctx;

  *n += ns < 600 * NS_PER_S;
}

static void test_lag(void)
{
  struct loop *l = new_loop();
  static struct pair p;
  uint64_t n = 0;

  loop_on_lag(l, count_lag, &n);
  MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, p.fd) == 0);
  add(l, ask, &p);
  add(l, answer, &p);
  loop_run(l);
  OK(n > 0, "the time between an arrival and its fiber is measured");
  loop_free(l);
}

/* A fiber that keeps its thread, though the answer of another one is there. */
struct hog {
  struct pair *p;
  uint64_t kept_ns; /* at least, with the answer there */
};

static void wait_for_hog(void *arg)
{
  const struct hog *h = arg;
  char c;

  h->p->failed = loop_recv(h->p->fd[1], &c, 1) != 1;
  loop_forget(h->p->fd[1]);
}

static void keep_thread(void *arg)
{
  struct hog *h = arg;
  uint64_t from;

  fiber_yield(); /* the loop looks once, and finds nothing */
  h->p->failed |= write(h->p->fd[0], "x", 1) != 1;
  from = clock_now_ns();
  while ((h->kept_ns = clock_now_ns() - from) < 3 * NS_PER_MS)
    continue;
}

static void keep_longest(void *ctx, uint64_t ns)
{
  uint64_t *longest = ctx;

  if (ns > *longest)
    *longest = ns;
}

static void test_lag_of_others(void)
{
  struct loop *l = new_loop();
  struct pair p = { .sum = 0 };
  struct hog h = { .p = &p };
  uint64_t longest = 0;

  MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, p.fd) == 0);
  loop_on_lag(l, keep_longest, &longest);
  add(l, wait_for_hog, &h);
  add(l, keep_thread, &h);
  loop_run(l);
  OK(!p.failed && longest >= h.kept_ns,
     "the time in which another fiber has run counts");
  (void)close(p.fd[0]);
  (void)close(p.fd[1]);
  loop_free(l);
}

/* A loop whose thread shares its only CPU. */
struct late {
  int fd[2];
  cpu_set_t cpu;
  bool failed, known;
  uint64_t lag_ns, queue_ns;
};

/* A thread that answers at once, and keeps the CPU of the loop busy. */
static void *spin_on_cpu(void *arg)
{
  struct late *p = arg;
  char c = 'x';

  MUST(sched_setaffinity(0, sizeof(p->cpu), &p->cpu) == 0);
  for (int i = 0; i < LATE_ROUNDS; i++) {
    MUST(send(p->fd[0], &c, 1, 0) == 1);
    while (recv(p->fd[0], &c, 1, MSG_DONTWAIT) != 1)
      continue;
  }
  return NULL;
}

static void echo(void *arg)
{
  struct late *p = arg;
  char c;

  for (int i = 0; i < LATE_ROUNDS; i++) {
    p->failed |= loop_recv(p->fd[1], &c, 1) != 1;
    p->failed |= loop_send(p->fd[1], &c, 1, 0) != 1;
  }
  loop_forget(p->fd[1]);
}

static void add_up(void *ctx, uint64_t ns)
{
  *(uint64_t *)ctx += ns;
}

/* The thread of a loop gets its CPU only when the other one has used its
 * share. */
static void *echo_late(void *arg)
{
  struct late *p = arg;
  const struct sched_param least = { 0 };
  struct loop *l = new_loop();
  uint64_t before = 0, after = 0;
  pthread_t other;

  MUST(sched_setaffinity(0, sizeof(p->cpu), &p->cpu) == 0);
  MUST(pthread_create(&other, NULL, spin_on_cpu, p) == 0);
  MUST(sched_setscheduler(0, SCHED_IDLE, &least) == 0);
  loop_on_lag(l, add_up, &p->lag_ns);
  add(l, echo, p);
  p->known = thread_queue_ns(&before);
  loop_run(l);
  p->known = p->known && thread_queue_ns(&after);
  p->queue_ns = after - before;
  (void)pthread_join(other, NULL);
  loop_free(l);
  return NULL;
}

static void test_lag_of_cpu(void)
{
  struct late p = { .failed = false };
  pthread_t thread;
  cpu_set_t all;
  int cpu = 0;

  MUST(sched_getaffinity(0, sizeof(all), &all) == 0);
  while (!CPU_ISSET(cpu, &all))
    cpu++;
  CPU_SET(cpu, &p.cpu);
  MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, p.fd) == 0);
  MUST(pthread_create(&thread, NULL, echo_late, &p) == 0);
  (void)pthread_join(thread, NULL);
  printf("# lag of %.2f ms, %.2f ms on the run queue\n", (double)p.lag_ns / 1e6,
         (double)p.queue_ns / 1e6);
#ifdef __SANITIZE_THREAD__ /* its own waits for a CPU are most of the time */
  p.known = false;
#endif
  /* On a busy machine it also waits for a CPU between an answer and the next
   * wait.  Without these waits the lag is a few milliseconds. */
  OK(!p.failed && (!p.known || 5 * p.lag_ns >= p.queue_ns),
     "the time in which the thread of the loop had no CPU counts");
  (void)close(p.fd[0]);
  (void)close(p.fd[1]);
}

static void test_all(void)
{
  test_turns();
  test_deep();
  test_pairs();
  test_stream();
  test_wait_fd();
  test_cut();
  test_words();
  test_connects();
  test_aside(LOOP_ASIDE_CALL, 3);
  test_aside(LOOP_ASIDE_CONNECT, 1);
  test_blocked();
  test_lag();
  test_lag_of_others();
  test_lag_of_cpu();
}

/* Containers forbid io_uring. */
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
