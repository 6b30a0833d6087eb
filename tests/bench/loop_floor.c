/*
 * loop_floor.c - the cheapest client of a database with many connections: each
 * sends a prepared point select, receives the answer, and does it again.  It
 * reads no answer: what remains is the cost of waiting.
 *
 * usage: loop_floor HOW CONNECTIONS THREADS SECONDS mysql SOCKET USER DATABASE
 *        loop_floor HOW CONNECTIONS THREADS SECONDS pgsql "host=... port=..."
 *
 * HOW: `block` for a thread for each connection; `epoll` or `io_uring` for
 * fibers on THREADS threads, in the order of arrival; `own` for fibers that go
 * on as clients of the program do; `plain` for as many loops with nothing but
 * epoll, recv() and send(), which have no part in the program's own loop.
 *
 * Prints queries per second, microseconds of processor time for each query (in
 * all, and those of the kernel), and how many answers came in a turn of a loop.
 */
#include <errno.h>
#include <fcntl.h>
#include <libpq-fe.h>
#include <mysql.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/thread.h"
#include "loop/loop.h"

enum {
  MAX_CLIENTS = 4096,
  ROOM = 512, /* for a request, and for an answer */
  ROWS = 10000,
  STACK = 16 * 1024,
};

struct client {
  int fd;
  unsigned char request[ROOM];
  char answer[ROOM];
  size_t request_len, answer_len;
  size_t got;        /* of the answer: without fibers */
  unsigned char *id; /* in the request */
  bool big_endian;
  uint64_t random;
  uint64_t end_ns;
  uint64_t queries;
};

struct carrier {
  enum loop_engine engine;
  struct client *clients;
  unsigned n;
  struct loop *loop; /* owned */
  uint64_t turns, arrived, slept;
};

static _Noreturn void die(const char *what, const char *why)
{
  (void)fprintf(stderr, "loop_floor: %s: %s\n", what, why);
  exit(1);
}

static void put(struct client *c, const void *bytes, size_t n)
{
  memcpy(c->request + c->request_len, bytes, n);
  c->request_len += n;
}

/* COM_STMT_EXECUTE, one parameter, BIGINT. */
static void open_mysql(struct client *c, char **to)
{
  static const char select[] = "SELECT c FROM sbtest1 WHERE id=?";
  unsigned char packet[4 + 21] = { 21, 0, 0, 0, 0x17 };
  MYSQL *mysql = mysql_init(NULL);
  MYSQL_STMT *st;
  uint32_t id;

  if (!mysql_real_connect(mysql, NULL, to[1], NULL, to[2], 0, to[0], 0))
    die("mysql_real_connect", mysql_error(mysql));
  st = mysql_stmt_init(mysql);
  if (!st || mysql_stmt_prepare(st, select, sizeof(select) - 1) != 0)
    die("mysql_stmt_prepare", mysql_error(mysql));
  id = (uint32_t)st->stmt_id;
  memcpy(packet + 5, &id, 4);
  packet[10] = 1; /* once */
  packet[15] = 1; /* types follow; no NULLs */
  packet[16] = 8; /* LONGLONG; the value comes after the type */
  packet[18] = 1;
  packet[0] = 22;
  put(c, packet, sizeof(packet));
  put(c, "", 1);
  c->id = c->request + 18;
  c->fd = (int)mysql_get_socket(mysql);
}

/* Bind of one binary int4, Execute, Sync. */
static void open_pgsql(struct client *c, char **to)
{
  static const char bind[] =
    "B\0\0\0\x19\0s\0\0\1\0\1\0\1\0\0\0\4\0\0\0\1\0\1\0\1";
  static const char execute[] = "E\0\0\0\x9\0\0\0\0\0";
  static const char sync[] = "S\0\0\0\4";
  PGconn *conn = PQconnectdb(to[0]);
  PGresult *res;

  if (PQstatus(conn) != CONNECTION_OK)
    die("PQconnectdb", PQerrorMessage(conn));
  res = PQprepare(conn, "s", "SELECT c FROM sbtest1 WHERE id=$1::int4", 0,
                  NULL);
  if (PQresultStatus(res) != PGRES_COMMAND_OK)
    die("PQprepare", PQerrorMessage(conn));
  put(c, bind, sizeof(bind) - 1);
  put(c, execute, sizeof(execute) - 1);
  put(c, sync, sizeof(sync) - 1);
  c->id = c->request + 18;
  c->big_endian = true;
  c->fd = PQsocket(conn);
}

/* The answer has come when the server, after its first bytes, is silent. */
static size_t learn(struct client *c)
{
  struct pollfd p = { c->fd, POLLIN, 0 };
  size_t len = 0;

  if (send(c->fd, c->request, c->request_len, MSG_NOSIGNAL) < 0)
    die("send", "failed");
  while (poll(&p, 1, len == 0 ? 30000 : 300) == 1) {
    const ssize_t n = recv(c->fd, c->answer + len, ROOM - len, 0);

    if (n <= 0)
      die("recv", "the server has closed the connection");
    len += (size_t)n;
  }
  if (len < 120) /* shorter than the column: an error, no row */
    die("answer", len > 13 ? c->answer + 13 : "none");
  return len;
}

/* Another row of the table. */
static void choose(struct client *c)
{
  uint32_t id;

  c->random = c->random * UINT64_C(6364136223846793005) + 1442695040888963407u;
  id = 1 + (uint32_t)(c->random >> 33) % ROWS;
  if (c->big_endian)
    id = __builtin_bswap32(id);
  memcpy(c->id, &id, sizeof(id));
}

/* A client: the same code for a thread and for a fiber. */
static void run_client(void *arg)
{
  struct client *c = arg;

  do {
    size_t got = 0;

    choose(c);
    if (loop_send(c->fd, c->request, c->request_len, 0) < 0)
      die("send", "failed");
    while (got < c->answer_len) {
      const ssize_t n = loop_recv(c->fd, c->answer, ROOM);

      if (n <= 0)
        die("recv", "the server has closed the connection");
      got += (size_t)n;
    }
    c->queries++;
  } while (clock_now_ns() < c->end_ns);
  loop_forget(c->fd);
}

/* For a thread of its own: without the poll() of loop_recv(). */
static void *run_blocked(void *arg)
{
  struct client *c = arg;

  do {
    size_t got = 0;

    choose(c);
    if (send(c->fd, c->request, c->request_len, MSG_NOSIGNAL) < 0)
      die("send", "failed");
    while (got < c->answer_len) {
      const ssize_t n = recv(c->fd, c->answer, ROOM, 0);

      if (n <= 0)
        die("recv", "the server has closed the connection");
      got += (size_t)n;
    }
    c->queries++;
  } while (clock_now_ns() < c->end_ns);
  return NULL;
}

static void *run_loop(void *arg)
{
  struct carrier *c = arg;
  const struct loop_setup setup = {
    .stack_bytes = STACK,
    .engine = c->engine,
  };
  struct loop *l;
  struct err err;

  if (loop_new(&l, &setup, &err) < 0)
    die("loop", err.text);
  for (unsigned i = 0; i < c->n; i++)
    if (loop_add(l, run_client, &c->clients[i], &err) < 0)
      die("loop", err.text);
  loop_run(l);
  c->turns = atomic_load(&loop_counts(l)->turns);
  c->arrived = atomic_load(&loop_counts(l)->arrived);
  c->slept = atomic_load(&loop_counts(l)->slept);
  c->loop = l;
  return NULL;
}

static void ask(struct client *c)
{
  choose(c);
  c->got = 0;
  if (send(c->fd, c->request, c->request_len, MSG_NOSIGNAL) < 0)
    die("send", "failed");
}

/* Receives what has come.  False: this client has reached its end. */
static bool go_on(struct client *c)
{
  const ssize_t n = recv(c->fd, c->answer, ROOM, MSG_DONTWAIT);

  if (n < 0 && errno == EAGAIN)
    return true;
  if (n <= 0)
    die("recv", "the server has closed the connection");
  c->got += (size_t)n;
  if (c->got < c->answer_len)
    return true;
  c->queries++;
  if (clock_now_ns() >= c->end_ns)
    return false;
  ask(c);
  return true;
}

static void *run_plain(void *arg)
{
  struct carrier *c = arg;
  const int queue = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event ready[64];
  unsigned left = c->n;

  if (queue < 0)
    die("epoll_create1", "failed");
  for (unsigned i = 0; i < c->n; i++) {
    struct epoll_event e = { .events = EPOLLIN, .data.ptr = &c->clients[i] };

    if (epoll_ctl(queue, EPOLL_CTL_ADD, c->clients[i].fd, &e) < 0)
      die("epoll_ctl", "failed");
    ask(&c->clients[i]);
  }
  while (left > 0) {
    const int n = epoll_wait(queue, ready, 64, -1);

    c->turns++;
    for (int i = 0; i < n; i++) {
      c->arrived++;
      left -= !go_on(ready[i].data.ptr);
    }
  }
  (void)close(queue);
  return NULL;
}

static double seconds_of(const struct timeval *t)
{
  return (double)t->tv_sec + (double)t->tv_usec / 1e6;
}

static struct client clients[MAX_CLIENTS];
static struct carrier carriers[MAX_CLIENTS];
static pthread_t threads[MAX_CLIENTS];

int main(int argc, char **argv)
{
  const bool is_mysql = argc > 5 && strcmp(argv[5], "mysql") == 0;
  struct rusage before, after;
  struct carrier sum = { 0 };
  uint64_t queries = 0;
  unsigned n, n_threads;
  bool blocks, plain;
  double user, kernel, seconds;

  if (argc != (is_mysql ? 9 : 7))
    die("usage", "see the top of loop_floor.c");
  n = (unsigned)atoi(argv[2]);
  blocks = strcmp(argv[1], "block") == 0;
  plain = strcmp(argv[1], "plain") == 0;
  n_threads = blocks ? n : (unsigned)atoi(argv[3]);
  seconds = atof(argv[4]);
  if (n < 1 || n > MAX_CLIENTS || n_threads < 1 || n_threads > n)
    die("usage", "too many connections or threads");
  for (unsigned i = 0; i < n; i++) {
    (is_mysql ? open_mysql : open_pgsql)(&clients[i], argv + 6);
    if (blocks)
      (void)fcntl(clients[i].fd, F_SETFL, O_RDWR); /* libpq does not block */
    clients[i].answer_len = i == 0 ? learn(&clients[i]) : clients[0].answer_len;
    clients[i].random = i * 77 + 1;
  }
  (void)getrusage(RUSAGE_SELF, &before);
  for (unsigned i = 0; i < n; i++)
    clients[i].end_ns = clock_now_ns() + (uint64_t)(seconds * 1e9);
  for (unsigned i = 0; i < n_threads; i++) {
    const unsigned first = n * i / n_threads;

    carriers[i].engine = strcmp(argv[1], "own") == 0     ? LOOP_AUTO
                         : strcmp(argv[1], "epoll") == 0 ? LOOP_EPOLL
                                                         : LOOP_URING;
    carriers[i].clients = clients + first;
    carriers[i].n = n * (i + 1) / n_threads - first;
    if (pthread_create(&threads[i], NULL,
                       blocks  ? run_blocked
                       : plain ? run_plain
                               : run_loop,
                       blocks ? (void *)&clients[i] : (void *)&carriers[i]))
      die("pthread_create", "failed");
  }
  for (unsigned i = 0; i < n_threads; i++) {
    (void)pthread_join(threads[i], NULL);
    sum.turns += carriers[i].turns;
    sum.arrived += carriers[i].arrived;
    sum.slept += carriers[i].slept;
  }
  for (unsigned i = 0; i < n_threads; i++)
    loop_free(carriers[i].loop);
  for (unsigned i = 0; i < n; i++)
    queries += clients[i].queries;
  (void)getrusage(RUSAGE_SELF, &after);
  user = seconds_of(&after.ru_utime) - seconds_of(&before.ru_utime);
  kernel = seconds_of(&after.ru_stime) - seconds_of(&before.ru_stime);
  printf("%-8s %5u clients %8.0f per s %7.2f us each %6.2f of the kernel",
         argv[1], n, (double)queries / seconds,
         (user + kernel) * 1e6 / (double)queries,
         kernel * 1e6 / (double)queries);
  if (!blocks)
    printf(" %6.2f per turn %5.2f slept per turn",
           (double)sum.arrived / (double)sum.turns,
           (double)sum.slept / (double)sum.turns);
  printf("\n");
  return 0;
}
