/*
 * socket_floor.c - the cheapest client of a database that there can be: it
 * sends the same prepared point select again and again, in one send(), and
 * receives as many bytes as the first answer had.  It reads no answer, draws no
 * number and measures no latency: what remains is the kernel's.
 *
 * usage: socket_floor recv|poll THREADS SECONDS mysql SOCKET USER DATABASE
 *        socket_floor recv|poll THREADS SECONDS pgsql "host=... port=..."
 *
 * A thread waits for the answer in recv(), or in poll() before recv().
 *
 * Prints the queries, and the microseconds of processor time for each of them:
 * in all, and those of the kernel.
 */
#define _GNU_SOURCE
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
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

enum {
  MAX_THREADS = 256,
  ROOM = 4096, /* for a request, and for an answer */
};

struct client {
  int fd;
  char request[ROOM], answer[ROOM];
  size_t request_len, answer_len;
  double seconds;
  bool polls;
  uint64_t queries;
  pthread_barrier_t *start;
};

static void die(const char *what, const char *why)
{
  (void)fprintf(stderr, "socket_floor: %s: %s\n", what, why);
  exit(1);
}

static void put(struct client *c, const void *bytes, size_t n)
{
  if (c->request_len + n > ROOM)
    die("request", "too long");
  memcpy(c->request + c->request_len, bytes, n);
  c->request_len += n;
}

/* COM_STMT_EXECUTE, one parameter, BIGINT 1. */
static void open_mysql(struct client *c, char **to)
{
  static const char select[] = "SELECT c FROM sbtest1 WHERE id=?";
  unsigned char packet[4 + 22] = { 22, 0, 0, 0, 0x17 };
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
  packet[16] = 8; /* LONGLONG */
  packet[18] = 1; /* the value */
  put(c, packet, sizeof(packet));
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
  c->fd = PQsocket(conn);
}

static void send_request(const struct client *c)
{
  if (send(c->fd, c->request, c->request_len, MSG_NOSIGNAL) !=
      (ssize_t)c->request_len)
    die("send", "failed");
}

/* The answer has come when the server, after its first bytes, is silent. */
static void learn(struct client *c)
{
  struct pollfd p = { c->fd, POLLIN, 0 };

  send_request(c);
  while (poll(&p, 1, c->answer_len == 0 ? 30000 : 300) == 1) {
    const ssize_t n = recv(c->fd, c->answer + c->answer_len,
                           ROOM - c->answer_len, 0);

    if (n <= 0)
      die("recv", "the server has closed the connection");
    c->answer_len += (size_t)n;
  }
  if (c->answer_len < 120) /* shorter than the column: an error, no row */
    die("answer", c->answer_len > 13 ? c->answer + 13 : "none");
}

static double now_s(void)
{
  struct timespec ts;

  (void)clock_gettime(CLOCK_MONOTONIC, &ts);
  return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void *run(void *arg)
{
  struct client *c = arg;
  struct pollfd p = { c->fd, POLLIN, 0 };
  double end;

  (void)pthread_barrier_wait(c->start);
  end = now_s() + c->seconds;
  do {
    for (int i = 0; i < 100; i++) {
      size_t got = 0;

      send_request(c);
      while (got < c->answer_len) {
        ssize_t n;

        if (c->polls)
          (void)poll(&p, 1, -1);
        n = recv(c->fd, c->answer, ROOM, 0);
        if (n <= 0)
          die("recv", "the server has closed the connection");
        got += (size_t)n;
      }
      c->queries++;
    }
  } while (now_s() < end);
  return NULL;
}

static double seconds_of(const struct timeval *t)
{
  return (double)t->tv_sec + (double)t->tv_usec / 1e6;
}

int main(int argc, char **argv)
{
  static struct client clients[MAX_THREADS];
  static pthread_t threads[MAX_THREADS];
  const bool is_mysql = argc > 4 && strcmp(argv[4], "mysql") == 0;
  struct rusage before, after;
  pthread_barrier_t start;
  uint64_t queries = 0;
  double user, kernel;
  int n;

  if (argc != (is_mysql ? 8 : 6) || (n = atoi(argv[2])) < 1 || n > MAX_THREADS)
    die("usage", "see the top of socket_floor.c");
  (void)pthread_barrier_init(&start, NULL, (unsigned)n);
  for (int i = 0; i < n; i++) {
    (is_mysql ? open_mysql : open_pgsql)(&clients[i], argv + 5);
    (void)fcntl(clients[i].fd, F_SETFL, O_RDWR); /* libpq does not block */
    learn(&clients[i]);
    clients[i].seconds = atof(argv[3]);
    clients[i].polls = strcmp(argv[1], "poll") == 0;
    clients[i].start = &start;
  }
  (void)getrusage(RUSAGE_SELF, &before);
  for (int i = 0; i < n; i++)
    if (pthread_create(&threads[i], NULL, run, &clients[i]) != 0)
      die("pthread_create", "failed");
  for (int i = 0; i < n; i++) {
    (void)pthread_join(threads[i], NULL);
    queries += clients[i].queries;
  }
  (void)getrusage(RUSAGE_SELF, &after);
  user = seconds_of(&after.ru_utime) - seconds_of(&before.ru_utime);
  kernel = seconds_of(&after.ru_stime) - seconds_of(&before.ru_stime);
  printf("%llu queries, %.2f us each, %.2f of the kernel\n",
         (unsigned long long)queries, (user + kernel) * 1e6 / (double)queries,
         kernel * 1e6 / (double)queries);
  return 0;
}
