/*
 * login.c - a login of libpq, within a time limit, and guarded.
 *
 * libpq sends the password in plain text to whoever asks, accepts a login
 * without the server's proof, and computes as many SCRAM hashes as a server
 * wants.  Therefore, until the login ends or TLS begins, libpq has one end of a
 * socket pair, and requests for passwords are passed on after a look.  TLS
 * hides the number of hashes, so everything after the request runs in a thread,
 * which is left behind when the time is over.
 */
#include "drivers/pgsql/login.h"

#include <errno.h>
#include <fcntl.h>
#include <libpq-fe.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "base/sock.h"
#include "base/stream.h"
#include "base/wait.h"
#include "drivers/pgsql/bytes.h"
#include "drivers/pgsql/session.h"

enum pgsql_guard_state {
  GUARD_OFF,
  GUARD_REQUEST,
  GUARD_LETTER,
  GUARD_LOGIN,
  GUARD_OVER, /* libpq still has to read the last message */
};

enum {
  GUARD_MESSAGE = 2048 /* libpq refuses longer requests */
};

struct pgsql_guard {
  bool cleartext; /* set by the caller: plain text is allowed */

  enum pgsql_guard_state state;
  int real; /* owned: the connection */
  int ours; /* owned: the other end of libpq's socket */
  size_t have,
    pass; /* bytes of a message that are kept, and that pass unseen */
  bool scram, proven; /* a login with SCRAM; the server has proven itself */
  char type;
  uint8_t message[GUARD_MESSAGE];
  char why[256]; /* a line */
};

enum {
  CHUNK = 4096,
  ITERATIONS_MAX = 1000000, /* servers ask for 4096 */
  REQUEST_TLS = 80877103,
  REQUEST_GSS = 80877104,
  TLS_RECORD = 0x16, /* first byte of TLS without a request */
  AUTH_OK = 0,
  AUTH_PLAIN = 3,
  AUTH_SASL = 10,
  AUTH_SASL_CONTINUE = 11,
  AUTH_SASL_FINAL = 12,
};

static bool guard_refuse(struct pgsql_guard *g, const char *why)
{
  (void)snprintf(g->why, sizeof(g->why), "%s\n", why);
  return false;
}

static void guard_drop(struct pgsql_guard *g)
{
  if (g->state == GUARD_OFF)
    return;
  (void)close(g->real);
  (void)close(g->ours);
  g->state = GUARD_OFF;
}

static bool guard_has_pair(int pair[2])
{
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
    return false;
  for (int i = 0; i < 2; i++) {
    (void)fcntl(pair[i], F_SETFD, FD_CLOEXEC);
    (void)fcntl(pair[i], F_SETFL, O_NONBLOCK);
  }
  return true;
}

static bool guard_begin(struct pgsql_guard *g, int fd)
{
  int pair[2] = { -1, -1 };
  char text[128];

  g->real = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (g->real >= 0 && guard_has_pair(pair) && dup2(pair[1], fd) == fd) {
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

static bool guard_is_new(const struct pgsql_guard *g, PGconn *conn)
{
  return g->state == GUARD_OFF && PQstatus(conn) == CONNECTION_MADE &&
         !PQsslInUse(conn) && !PQgssEncInUse(conn);
}

static int pgsql_guard_fd(const struct pgsql_guard *g, PGconn *conn)
{
  return g->state == GUARD_OFF ? PQsocket(conn) : g->real;
}

/* libpq gets its connection back, if it is open. */
static void pgsql_guard_end(struct pgsql_guard *g, PGconn *conn)
{
  const int fd = PQsocket(conn);

  if (g->state == GUARD_OFF)
    return;
  if (fd >= 0 && dup2(g->real, fd) == fd)
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
  guard_drop(g);
}

/* The pair has room for any login; a larger one breaks. */
static bool guard_give(struct pgsql_guard *g, const void *bytes, size_t n)
{
  return send(g->ours, bytes, n, MSG_NOSIGNAL) == (ssize_t)n;
}

static void guard_give_end(struct pgsql_guard *g)
{
  (void)shutdown(g->ours, SHUT_WR);
}

/* Bytes received, up to `n`; 0: none yet, or never (libpq sees the end). */
static size_t guard_take(struct pgsql_guard *g, void *to, size_t n)
{
  const ssize_t got = recv(g->real, to, n, MSG_DONTWAIT);

  if (got == 0 || (got < 0 && !sock_is_early(errno)))
    guard_give_end(g);
  return got > 0 ? (size_t)got : 0;
}

static bool guard_has_too_many_hashes(struct pgsql_guard *g, size_t size)
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

static bool guard_judge(struct pgsql_guard *g, size_t size)
{
  switch (get_u32(g->message + WIRE_HEAD)) {
  case AUTH_OK:
    return !g->scram || g->proven ||
           guard_refuse(g, "the server has left out a step of the login");
  case AUTH_PLAIN:
    return g->cleartext ||
           guard_refuse(
             g, "the server asks for the password in plain text, and the "
                "connection has no TLS: use --pgsql-sslmode=require, or "
                "allow it with --pgsql-cleartext=on");
  case AUTH_SASL:
    g->scram = true;
    return true;
  case AUTH_SASL_CONTINUE:
    return !guard_has_too_many_hashes(g, size);
  case AUTH_SASL_FINAL:
    g->proven = true;
    return true;
  default:
    return true;
  }
}

/* A head has come, or a whole request.  False: refused. */
static bool guard_pass_message(struct pgsql_guard *g, size_t size)
{
  if (g->type == 'R' && !guard_judge(g, size))
    return false;
  if (!guard_give(g, g->message, g->have))
    guard_give_end(g);
  g->pass = size - g->have;
  g->have = 0;
  return true;
}

static bool guard_look_at_message(struct pgsql_guard *g, bool *ret_more)
{
  size_t size = WIRE_HEAD, n;

  if (g->have >= WIRE_HEAD)
    size = message_size(g->message);
  n = guard_take(g, g->message + g->have, size - g->have);
  g->have += n;
  *ret_more = n > 0;
  if (g->have < WIRE_HEAD)
    return true;
  g->type = (char)g->message[0];
  size = message_size(g->message);
  if (g->type == 'R' && (size < WIRE_HEAD + 4 || size >= GUARD_MESSAGE))
    return guard_refuse(g,
                        "the server sent a message of an unreasonable length");
  if (g->type == 'R' && g->have < size)
    return true;
  return size >= WIRE_HEAD ? guard_pass_message(g, size)
                           : guard_pass_message(g, g->have);
}

static bool guard_look_at_messages(struct pgsql_guard *g)
{
  uint8_t bytes[CHUNK];
  bool more = true;

  while (more && g->state == GUARD_LOGIN) {
    if (g->pass == 0) {
      if (!guard_look_at_message(g, &more))
        return false;
    } else {
      const size_t n = guard_take(g, bytes, min_u64(g->pass, sizeof(bytes)));

      more = n > 0 && guard_give(g, bytes, n);
      if (n > 0 && !more)
        guard_give_end(g);
      g->pass -= n;
    }
    if (g->pass == 0 && g->have == 0 && g->type == 'Z')
      g->state = GUARD_OVER;
  }
  return true;
}

/* After S or G, encryption begins: see pgsql_guard_pass_on(). */
static void guard_look_at_letter(struct pgsql_guard *g)
{
  char letter;

  if (guard_take(g, &letter, 1) == 0)
    return;
  if (!guard_give(g, &letter, 1))
    guard_give_end(g);
  g->state = letter == 'N' ? GUARD_REQUEST : GUARD_OVER;
  if (letter == 'E') {
    g->message[0] = (uint8_t)letter;
    g->state = GUARD_LOGIN;
    g->type = letter;
    g->pass = SIZE_MAX;
  }
}

/* Before libpq continues.  False: see g->why. */
static bool pgsql_guard_look(struct pgsql_guard *g, PGconn *conn)
{
  if (guard_is_new(g, conn))
    return guard_begin(g, PQsocket(conn));
  if (g->state == GUARD_LETTER)
    guard_look_at_letter(g);
  return g->state != GUARD_LOGIN || guard_look_at_messages(g);
}

static void guard_note_request(struct pgsql_guard *g, const uint8_t *bytes,
                               size_t n)
{
  const uint32_t code = n >= 8 ? get_u32(bytes + 4) : 0;

  if (code == REQUEST_TLS || code == REQUEST_GSS)
    g->state = GUARD_LETTER;
  else
    g->state = bytes[0] == TLS_RECORD ? GUARD_OVER : GUARD_LOGIN;
}

/* After libpq has continued: passes on what it has sent. */
static void pgsql_guard_pass_on(struct pgsql_guard *g, PGconn *conn,
                                uint64_t until_ns)
{
  const struct stream_limit limit = { .until_ns = until_ns };
  uint8_t bytes[CHUNK];
  int unread = 0;
  ssize_t n;

  if (g->state == GUARD_OFF)
    return;
  while ((n = recv(g->ours, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0) {
    if (g->state == GUARD_REQUEST)
      guard_note_request(g, bytes, (size_t)n);
    /* A peer that hangs up may have sent the reason: read on. */
    (void)stream_send(g->real, bytes, (size_t)n, &limit);
  }
  if (n == 0) /* libpq has closed its end, and may try another server */
    guard_drop(g);
  else if (g->state == GUARD_OVER &&
           ioctl(PQsocket(conn), FIONREAD, &unread) == 0 && unread == 0)
    pgsql_guard_end(g, conn);
}

/* Left behind.  Static: the code that shuts libraries down has no other way to
 * find out. */
static atomic_int left_behind;

bool pgsql_login_is_busy(void)
{
  return atomic_load_explicit(&left_behind, memory_order_acquire) > 0;
}

static void login_say_late(PGconn *conn, char *text, size_t size)
{
  const char *host = PQhost(conn);

  (void)snprintf(text, size,
                 "connection to server %s \"%s\", port %s failed: "
                 "timeout expired\n",
                 pgsql_is_socket(host) ? "on socket" : "at", host,
                 PQport(conn));
}

/* False: out of time. */
static bool login_wait_for(const struct pgsql_guard *g, PGconn *conn,
                           PostgresPollingStatusType status, uint64_t until_ns)
{
  struct pollfd fds[] = {
    { .fd = PQsocket(conn),
      .events = status == PGRES_POLLING_READING ? POLLIN : POLLOUT },
    { .fd = pgsql_guard_fd(g, conn), .events = POLLIN },
  };
  const nfds_t n = status == PGRES_POLLING_READING ? 2 : 1;

  for (;;) {
    const uint64_t now = clock_now_ns();
    int rc;

    if (now >= until_ns)
      return false;
    rc = poll(fds, n, (int)((until_ns - now) / NS_PER_MS + 1));
    if (rc > 0 || (rc < 0 && errno != EINTR))
      return true;
  }
}

/* With `in_thread` to the end, otherwise up to the request for a password:
 * PGRES_POLLING_READING.  PGRES_POLLING_ACTIVE: out of time, or refused. */
static PostgresPollingStatusType login_steps(struct pgsql_guard *g,
                                             PGconn *conn, uint64_t until_ns,
                                             PostgresPollingStatusType status,
                                             bool in_thread)
{
  while (status == PGRES_POLLING_WRITING || status == PGRES_POLLING_READING) {
    if (!in_thread && status == PGRES_POLLING_READING &&
        PQconnectionUsedPassword(conn))
      return status;
    if (!login_wait_for(g, conn, status, until_ns) ||
        !pgsql_guard_look(g, conn))
      return PGRES_POLLING_ACTIVE;
    status = PQconnectPoll(conn);
    pgsql_guard_pass_on(g, conn, until_ns);
  }
  return status;
}

enum {
  WORKING,
  ENDED,
  ABANDONED
};

struct login {
  _Atomic uint32_t state; /* futex; changed with release */
  PGconn *conn;
  struct pgsql_guard guard;
  uint64_t until_ns;
  PostgresPollingStatusType status;
};

static void *login_thread(void *arg)
{
  struct login *l = arg;
  uint32_t now = WORKING;

  l->status = login_steps(&l->guard, l->conn, l->until_ns,
                          PGRES_POLLING_READING, true);
  if (atomic_compare_exchange_strong(&l->state, &now, ENDED)) {
    wait_wake_all(&l->state);
    return NULL;
  }
  pgsql_guard_end(&l->guard, l->conn);
  PQfinish(l->conn);
  free(l);
  (void)atomic_fetch_sub_explicit(&left_behind, 1, memory_order_release);
  return NULL;
}

/* False: the thread owns the login. */
static bool login_await(struct login *l, pthread_t thread)
{
  /* The thread watches the time, except while it computes. */
  const uint64_t late_ns = l->until_ns + 100 * NS_PER_MS;
  const struct sched_param none = { 0 };
  uint32_t now = WORKING;

  while (atomic_load(&l->state) == WORKING && clock_now_ns() < late_ns)
    wait_while(&l->state, WORKING, late_ns);
  if (atomic_load(&l->state) == WORKING) {
    (void)pthread_setschedparam(thread, SCHED_IDLE, &none);
    (void)atomic_fetch_add_explicit(&left_behind, 1, memory_order_relaxed);
    if (atomic_compare_exchange_strong(&l->state, &now, ABANDONED)) {
      (void)pthread_detach(thread);
      return false;
    }
    (void)atomic_fetch_sub_explicit(&left_behind, 1, memory_order_relaxed);
  }
  (void)pthread_join(thread, NULL);
  return true;
}

static void login_drop_notice(void *arg, const PGresult *notice)
{
  (void)arg, (void)notice;
}

/* As login_steps().  *conn becomes NULL if the thread owns it. */
static PostgresPollingStatusType login_rest(struct pgsql_guard *g,
                                            PGconn **conn, uint64_t until_ns)
{
  struct login *l = mem_new(1, sizeof(*l));
  PostgresPollingStatusType status = PGRES_POLLING_ACTIVE;
  pthread_t thread;

  if (l) {
    *l = (struct login){ .conn = *conn, .guard = *g, .until_ns = until_ns };
    (void)PQsetNoticeReceiver(*conn, login_drop_notice, NULL);
  }
  if (!l || pthread_create(&thread, NULL, login_thread, l) != 0) {
    status = login_steps(g, *conn, until_ns, PGRES_POLLING_READING, true);
  } else if (login_await(l, thread)) {
    *g = l->guard;
    status = l->status;
  } else {
    g->state = GUARD_OFF;
    *conn = NULL;
    return status;
  }
  free(l);
  return status;
}

enum pgsql_login pgsql_library_log_in(PGconn **conn, bool cleartext,
                                      uint64_t until_ns, char *text,
                                      size_t size)
{
  PostgresPollingStatusType status = PGRES_POLLING_FAILED;
  struct pgsql_guard guard = { .cleartext = cleartext };

  if (PQstatus(*conn) != CONNECTION_BAD)
    status = login_steps(&guard, *conn, until_ns, PGRES_POLLING_WRITING, false);
  login_say_late(*conn, text, size);
  if (status == PGRES_POLLING_READING)
    status = login_rest(&guard, conn, until_ns);
  pgsql_guard_end(&guard, *conn);
  if (guard.why[0]) {
    (void)snprintf(text, size, "%s", guard.why);
    return PGSQL_LOGIN_REFUSED;
  }
  if (status == PGRES_POLLING_ACTIVE)
    return PGSQL_LOGIN_LATE;
  return status == PGRES_POLLING_OK ? PGSQL_LOGIN_DONE : PGSQL_LOGIN_FAILED;
}
