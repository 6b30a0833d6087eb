/*
 * guard.c - passes on the bytes of a login, after a look at them.
 */
#include "drivers/pgsql/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/err.h"
#include "base/minmax.h"
#include "base/stream.h"
#include "drivers/pgsql/wire_io.h"

enum {
  CHUNK = 4096,
  ITERATIONS_MAX = 1000000, /* servers ask for 4096 */
  REQUEST_TLS = 80877103,
  REQUEST_GSS = 80877104,
  TLS_RECORD = 0x16, /* the first byte where TLS begins without a request */
  AUTH_OK = 0,
  AUTH_PLAIN = 3,
  AUTH_SASL = 10,
  AUTH_SASL_CONTINUE = 11,
  AUTH_SASL_FINAL = 12,
};

static bool refuse(struct pgsql_guard *g, const char *why)
{
  (void)snprintf(g->why, sizeof(g->why), "%s\n", why);
  return false;
}

static void drop(struct pgsql_guard *g)
{
  if (g->state == GUARD_OFF)
    return;
  (void)close(g->real);
  (void)close(g->ours);
  g->state = GUARD_OFF;
}

/* ---- in place of the connection ---- */

static bool has_pair(int pair[2])
{
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
    return false;
  for (int i = 0; i < 2; i++) {
    (void)fcntl(pair[i], F_SETFD, FD_CLOEXEC);
    (void)fcntl(pair[i], F_SETFL, O_NONBLOCK);
  }
  return true;
}

/* libpq has just been connected, and has sent nothing. */
static bool begin(struct pgsql_guard *g, int fd)
{
  int pair[2] = { -1, -1 };
  char text[128];

  g->real = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (g->real >= 0 && has_pair(pair) && dup2(pair[1], fd) == fd) {
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    (void)close(pair[1]);
    g->ours = pair[0];
    g->state = GUARD_REQUEST;
    g->type = 0;
    g->have = g->pass = 0;
    g->scram = g->proven = false;
    return true;
  }
  (void)snprintf(g->why, sizeof(g->why), "could not create socket: %s\n",
                 err_text(errno, text, sizeof(text)));
  for (int i = 0; i < 2; i++) {
    if (pair[i] >= 0)
      (void)close(pair[i]);
  }
  if (g->real >= 0)
    (void)close(g->real);
  return false;
}

static bool is_new(const struct pgsql_guard *g, PGconn *conn)
{
  return g->state == GUARD_OFF && PQstatus(conn) == CONNECTION_MADE &&
         !PQsslInUse(conn) && !PQgssEncInUse(conn);
}

int pgsql_guard_fd(const struct pgsql_guard *g, PGconn *conn)
{
  return g->state == GUARD_OFF ? PQsocket(conn) : g->real;
}

void pgsql_guard_end(struct pgsql_guard *g, PGconn *conn)
{
  const int fd = PQsocket(conn);

  if (g->state == GUARD_OFF)
    return;
  if (fd >= 0 && dup2(g->real, fd) == fd)
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
  drop(g);
}

/* ---- to libpq ---- */

/* The pair has room for all that a login consists of; whoever sends more loses
 * the connection. */
static bool give(struct pgsql_guard *g, const void *bytes, size_t n)
{
  return send(g->ours, bytes, n, MSG_NOSIGNAL) == (ssize_t)n;
}

static void give_end(struct pgsql_guard *g)
{
  (void)shutdown(g->ours, SHUT_WR);
}

/* How many bytes have come, of `n`; 0: none yet, or never: libpq sees the end.
 */
static size_t take(struct pgsql_guard *g, void *to, size_t n)
{
  const ssize_t got = recv(g->real, to, n, MSG_DONTWAIT);

  if (got == 0 || (got < 0 && !sock_is_early(errno)))
    give_end(g);
  return got > 0 ? (size_t)got : 0;
}

static bool has_too_many_hashes(struct pgsql_guard *g, size_t size)
{
  const char *at;
  unsigned long long n;

  g->message[min_u64(size, GUARD_MESSAGE - 1)] = '\0';
  at = strstr((const char *)g->message + WIRE_HEAD + 4, ",i=");
  n = at ? strtoull(at + 3, NULL, 10) : 0;
  if (n <= ITERATIONS_MAX)
    return false;
  (void)snprintf(g->why, sizeof(g->why),
                 "the server asks for %llu iterations of SCRAM, more than %d "
                 "are refused\n",
                 n, ITERATIONS_MAX);
  return true;
}

/* A whole request for a password. */
static bool judge(struct pgsql_guard *g, size_t size)
{
  switch (get_u32(g->message + WIRE_HEAD)) {
  case AUTH_OK:
    return !g->scram || g->proven ||
           refuse(g, "the server has left out a step of the login");
  case AUTH_PLAIN:
    return g->cleartext ||
           refuse(g, "the server asks for the password in plain text, and the "
                     "connection has no TLS: use --pgsql-sslmode=require, or "
                     "allow it with --pgsql-cleartext=on");
  case AUTH_SASL:
    g->scram = true;
    return true;
  case AUTH_SASL_CONTINUE:
    return !has_too_many_hashes(g, size);
  case AUTH_SASL_FINAL:
    g->proven = true;
    return true;
  default:
    return true;
  }
}

/* A head has come, and of requests all; false: it is refused. */
static bool pass_message(struct pgsql_guard *g, size_t size)
{
  if (g->type == 'R' && !judge(g, size))
    return false;
  if (!give(g, g->message, g->have))
    give_end(g);
  g->pass = size - g->have;
  g->have = 0;
  return true;
}

/* One piece of a message.  *ret_more: there may be another. */
static bool look_at_message(struct pgsql_guard *g, bool *ret_more)
{
  size_t size = WIRE_HEAD, n;

  if (g->have >= WIRE_HEAD)
    size = message_size(g->message);
  n = take(g, g->message + g->have, size - g->have);
  g->have += n;
  *ret_more = n > 0;
  if (g->have < WIRE_HEAD)
    return true;
  g->type = (char)g->message[0];
  size = message_size(g->message);
  if (g->type == 'R' && (size < WIRE_HEAD + 4 || size >= GUARD_MESSAGE))
    return refuse(g, "the server sent a message of an unreasonable length");
  if (g->type == 'R' && g->have < size)
    return true;
  return size >= WIRE_HEAD ? pass_message(g, size)
                           : pass_message(g, g->have); /* libpq gives up */
}

static bool look_at_messages(struct pgsql_guard *g)
{
  uint8_t bytes[CHUNK];
  bool more = true;

  while (more && g->state == GUARD_LOGIN) {
    if (g->pass == 0) {
      if (!look_at_message(g, &more))
        return false;
    } else {
      const size_t n = take(g, bytes, min_u64(g->pass, sizeof(bytes)));

      more = n > 0 && give(g, bytes, n);
      if (n > 0 && !more)
        give_end(g);
      g->pass -= n;
    }
    if (g->pass == 0 && g->have == 0 && g->type == 'Z')
      g->state = GUARD_OVER;
  }
  return true;
}

/* TLS begins with what is passed on now: see pgsql_guard_pass_on(). */
static void look_at_letter(struct pgsql_guard *g)
{
  char letter;

  if (take(g, &letter, 1) == 0)
    return;
  if (!give(g, &letter, 1))
    give_end(g);
  g->state = letter == 'N' ? GUARD_REQUEST : GUARD_OVER;
  if (letter == 'E') {
    g->message[0] = (uint8_t)letter;
    g->state = GUARD_LOGIN;
    g->type = letter;
    g->pass = SIZE_MAX; /* an error, and nothing else */
  }
}

bool pgsql_guard_look(struct pgsql_guard *g, PGconn *conn)
{
  if (is_new(g, conn))
    return begin(g, PQsocket(conn));
  if (g->state == GUARD_LETTER)
    look_at_letter(g);
  return g->state != GUARD_LOGIN || look_at_messages(g);
}

/* ---- from libpq ---- */

static void note_request(struct pgsql_guard *g, const uint8_t *bytes, size_t n)
{
  const uint32_t code = n >= 8 ? get_u32(bytes + 4) : 0;

  if (code == REQUEST_TLS || code == REQUEST_GSS)
    g->state = GUARD_LETTER;
  else
    g->state = bytes[0] == TLS_RECORD ? GUARD_OVER : GUARD_LOGIN;
}

void pgsql_guard_pass_on(struct pgsql_guard *g, PGconn *conn, uint64_t until_ns)
{
  const struct stream_limit limit = { .until_ns = until_ns };
  uint8_t bytes[CHUNK];
  int unread = 0;
  ssize_t n;

  if (g->state == GUARD_OFF)
    return;
  while ((n = recv(g->ours, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0) {
    if (g->state == GUARD_REQUEST)
      note_request(g, bytes, (size_t)n);
    /* Who hangs up may have said why: what was received decides. */
    (void)stream_send(g->real, bytes, (size_t)n, &limit);
  }
  if (n == 0) /* libpq has closed its end, and may try another server */
    drop(g);
  else if (g->state == GUARD_OVER &&
           ioctl(PQsocket(conn), FIONREAD, &unread) == 0 && unread == 0)
    pgsql_guard_end(g, conn);
}
