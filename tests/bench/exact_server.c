/*
 * exact_server.c - a PostgreSQL server that takes known times: it answers each
 * `SELECT 1` after a time that its kind defines, and notes when it was asked
 * and when it answered.  Everything else is answered at once.
 *
 * usage: exact_server SOCKET constant|bimodal|stall
 *
 * constant: 2 ms.  bimodal: 1 ms, and every 50th request of a connection 20 ms.
 * stall: 2 ms, and for 0.9 s after the first second nobody is answered.  At
 * SIGTERM it prints count, p50, p99 and the longest time in milliseconds, as
 * measured by itself.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define MS UINT64_C(1000000)

enum {
  REQUESTS_MAX = 1 << 22,
  MESSAGE_MAX = 4096,
  SSL_REQUEST = 80877103,
};

struct server {
  const char *kind;
  _Atomic uint64_t first_ns; /* of the first request */
  _Atomic uint32_t n;
  uint64_t *took_ns; /* [REQUESTS_MAX] */
};

struct session {
  struct server *server;
  int fd;
};

static uint64_t now_ns(void)
{
  struct timespec t;

  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000 * MS + (uint64_t)t.tv_nsec;
}

static void sleep_until(uint64_t ns)
{
  const struct timespec t = { (time_t)(ns / (1000 * MS)),
                              (long)(ns % (1000 * MS)) };

  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) != 0)
    continue;
}

static int receive(int fd, void *p, size_t n)
{
  return recv(fd, p, n, MSG_WAITALL) == (ssize_t)n ? 0 : -1;
}

static uint32_t number(const unsigned char *p)
{
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 |
         p[3];
}

/* Returns the length after it. */
static size_t add(unsigned char *to, size_t at, char type, const void *p,
                  uint32_t n)
{
  const uint32_t all = n + 4;
  const unsigned char head[] = {
    (unsigned char)type, (unsigned char)(all >> 24), (unsigned char)(all >> 16),
    (unsigned char)(all >> 8), (unsigned char)all
  };

  memcpy(to + at, head, sizeof(head));
  memcpy(to + at + sizeof(head), p, n);
  return at + sizeof(head) + n;
}

#define ADD(to, at, type, text) add(to, at, type, text, sizeof(text) - 1)

static int greet(int fd)
{
  unsigned char in[MESSAGE_MAX], out[512];
  uint32_t n;
  size_t at;

  for (;;) {
    if (receive(fd, in, 4) < 0)
      return -1;
    n = number(in) - 4;
    if (n < 4 || n > sizeof(in) || receive(fd, in, n) < 0)
      return -1;
    if (number(in) != SSL_REQUEST)
      break;
    if (send(fd, "N", 1, 0) != 1)
      return -1;
  }
  at = ADD(out, 0, 'R', "\0\0\0\0");
  at = ADD(out, at, 'S', "server_version\00015.0\0");
  at = ADD(out, at, 'S', "client_encoding\0UTF8\0");
  at = ADD(out, at, 'S', "standard_conforming_strings\0on\0");
  at = ADD(out, at, 'K', "\0\0\0\1\0\0\0\1");
  at = ADD(out, at, 'Z', "I");
  return send(fd, out, at, MSG_NOSIGNAL) == (ssize_t)at ? 0 : -1;
}

/* When the answer to request `i` of a session is due. */
static uint64_t due_ns(struct server *s, uint64_t i, uint64_t asked_ns)
{
  uint64_t first_ns = 0, from_ns, due = asked_ns + 2 * MS;

  if (strcmp(s->kind, "bimodal") == 0)
    return asked_ns + (i % 50 == 49 ? 20 : 1) * MS;
  if (strcmp(s->kind, "stall") != 0)
    return due;
  if (atomic_compare_exchange_strong(&s->first_ns, &first_ns, asked_ns))
    first_ns = asked_ns;
  from_ns = first_ns + 1000 * MS;
  return due >= from_ns && due < from_ns + 900 * MS ? from_ns + 900 * MS : due;
}

static void *serve(void *arg)
{
  struct session *me = arg;
  struct server *s = me->server;
  unsigned char head[5], in[MESSAGE_MAX], out[512];
  uint64_t requests = 0;
  size_t rows;
  size_t at = ADD(out, 0, 'T',
                  "\0\1x\0\0\0\0\0\0\0\0\0\0\x19\xff\xff\xff\xff\xff\xff\0\0");

  at = ADD(out, at, 'D', "\0\1\0\0\0\0011");
  at = ADD(out, at, 'C', "SELECT 1\0");
  rows = ADD(out, at, 'Z', "I");
  while (greet(me->fd) == 0) {
    while (receive(me->fd, head, sizeof(head)) == 0) {
      const uint64_t asked_ns = now_ns();
      const uint32_t n = number(head + 1) - 4;

      if (head[0] == 'X' || n > sizeof(in) || receive(me->fd, in, n) < 0)
        break;
      if (head[0] != 'Q')
        continue;
      if (strncmp((char *)in, "SELECT 1", 8) == 0) {
        const uint32_t place = atomic_fetch_add(&s->n, 1) % REQUESTS_MAX;

        sleep_until(due_ns(s, requests++, asked_ns));
        s->took_ns[place] = now_ns() - asked_ns;
      }
      if (send(me->fd, out, rows, MSG_NOSIGNAL) < 0)
        break;
    }
    break;
  }
  (void)close(me->fd);
  free(me);
  return NULL;
}

static int by_size(const void *a, const void *b)
{
  const uint64_t *x = a, *y = b;

  return (*x > *y) - (*x < *y);
}

static void *accept_all(void *arg)
{
  struct session *listener = arg;

  for (;;) {
    struct session *me = malloc(sizeof(*me));
    pthread_t thread;

    if (!me)
      return NULL;
    me->server = listener->server;
    me->fd = accept(listener->fd, NULL, NULL);
    if (me->fd < 0 || pthread_create(&thread, NULL, serve, me) != 0)
      return NULL;
    (void)pthread_detach(thread);
  }
}

static int listen_at(const char *path)
{
  struct sockaddr_un at = { .sun_family = AF_UNIX };
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);

  (void)snprintf(at.sun_path, sizeof(at.sun_path), "%s", path);
  if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0 ||
      listen(fd, 128) < 0) {
    perror(path);
    exit(1);
  }
  return fd;
}

int main(int argc, char **argv)
{
  const struct sched_param first = { .sched_priority = 10 };
  static struct server s;
  struct session listener = { .server = &s };
  pthread_t thread;
  sigset_t term;
  uint32_t n;
  int number_of_signal;

  if (argc != 3) {
    fprintf(stderr, "usage: exact_server SOCKET constant|bimodal|stall\n");
    return 1;
  }
  s.kind = argv[2];
  s.took_ns = calloc(REQUESTS_MAX, sizeof(*s.took_ns));
  listener.fd = listen_at(argv[1]);
  (void)sigemptyset(&term);
  (void)sigaddset(&term, SIGTERM);
  (void)pthread_sigmask(SIG_BLOCK, &term, NULL);
  /* Other programs do not delay its answers, if it is allowed to do that. */
  if (sched_setscheduler(0, SCHED_FIFO, &first) < 0)
    perror("warning: no real-time priority");
  if (!s.took_ns || pthread_create(&thread, NULL, accept_all, &listener) != 0)
    return 1;
  (void)sigwait(&term, &number_of_signal);
  n = atomic_load(&s.n);
  qsort(s.took_ns, n, sizeof(*s.took_ns), by_size);
  if (n > 0)
    printf("%u %.2f %.2f %.2f\n", n, (double)s.took_ns[n / 2] / 1e6,
           (double)s.took_ns[n - 1 - n / 100] / 1e6,
           (double)s.took_ns[n - 1] / 1e6);
  return 0;
}
