/*
 * login.c - the steps of a login, within a time limit.
 *
 * With SCRAM the server says how many hashes the client has to compute, and
 * libpq computes as many: two thousand million take it half an hour.  An
 * unreasonable number is refused if it can be seen, which is not possible under
 * TLS or if it comes in pieces.  Therefore everything after the request for a
 * password runs in a thread in these cases.  The thread is left behind when the
 * time is over.
 */
#include "drivers/pgsql/login.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/wait.h"
#include "drivers/pgsql/session.h"

enum {
  ITERATIONS_MAX = 1000000, /* servers ask for 4096 */
  PEEK_SIZE = 2048,         /* libpq refuses longer requests */
  REQUEST_HEAD = 9,         /* kind, length, type of the request */
  REQUEST_SASL_CONTINUE = 11,
};

/*
 * The number of logins left behind.  Libraries must not be shut down while they
 * run, and the code that does that has no other way to know.
 */
static atomic_int left_behind;

bool pgsql_login_is_busy(void)
{
  return atomic_load_explicit(&left_behind, memory_order_acquire) > 0;
}

/* ---- the steps ---- */

static void say_late(PGconn *conn, char *text, size_t size)
{
  const char *host = PQhost(conn);

  (void)snprintf(text, size,
                 "connection to server %s \"%s\", port %s failed: "
                 "timeout expired\n",
                 pgsql_is_socket(host) ? "on socket" : "at", host,
                 PQport(conn));
}

/* Polls until the library has what it waits for; false: out of time. */
static bool wait_for(PGconn *conn, PostgresPollingStatusType status,
                     uint64_t until_ns)
{
  struct pollfd fd = { .fd = PQsocket(conn),
                       .events = status == PGRES_POLLING_READING ? POLLIN
                                                                 : POLLOUT };

  for (;;) {
    const uint64_t now = clock_now_ns();
    int rc;

    if (now >= until_ns)
      return false;
    rc = poll(&fd, 1, (int)((until_ns - now) / NS_PER_MS + 1));
    if (rc > 0 || (rc < 0 && errno != EINTR))
      return true;
  }
}

/* Returns the number of hashes in what the socket has; 0: there is none. */
static unsigned long long iterations_asked(PGconn *conn)
{
  char bytes[PEEK_SIZE + 1];
  const char *at;
  ssize_t n;

  if (PQsslInUse(conn))
    return 0;
  n = recv(PQsocket(conn), bytes, PEEK_SIZE, MSG_PEEK | MSG_DONTWAIT);
  if (n <= REQUEST_HEAD || bytes[0] != 'R' ||
      bytes[REQUEST_HEAD - 1] != REQUEST_SASL_CONTINUE)
    return 0;
  bytes[n] = '\0';
  at = strstr(bytes + REQUEST_HEAD, ",i=");
  return at ? strtoull(at + 3, NULL, 10) : 0;
}

/*
 * Takes one step after another.  With `in_thread`, up to the end; otherwise, up
 * to the moment when a password is asked for: PGRES_POLLING_READING.
 * PGRES_POLLING_ACTIVE: out of time.
 */
static PostgresPollingStatusType steps(PGconn *conn, uint64_t until_ns,
                                       PostgresPollingStatusType status,
                                       bool in_thread)
{
  while (status == PGRES_POLLING_WRITING || status == PGRES_POLLING_READING) {
    if (!in_thread && status == PGRES_POLLING_READING &&
        PQconnectionUsedPassword(conn))
      return status;
    if (!wait_for(conn, status, until_ns))
      return PGRES_POLLING_ACTIVE;
    status = PQconnectPoll(conn);
  }
  return status;
}

/* ---- in a thread ---- */

enum {
  WORKING,
  ENDED,    /* the result is there */
  ABANDONED /* the thread owns everything */
};

struct login {
  _Atomic uint32_t state; /* futex; changed with release */
  PGconn *conn;
  uint64_t until_ns;
  PostgresPollingStatusType status;
};

static void *login_thread(void *arg)
{
  struct login *l = arg;
  uint32_t now = WORKING;

  l->status = steps(l->conn, l->until_ns, PGRES_POLLING_READING, true);
  if (atomic_compare_exchange_strong(&l->state, &now, ENDED)) {
    wait_wake_all(&l->state);
    return NULL;
  }
  PQfinish(l->conn);
  free(l);
  (void)atomic_fetch_sub_explicit(&left_behind, 1, memory_order_release);
  return NULL;
}

/* Returns false if the thread now owns the login. */
static bool await(struct login *l, pthread_t thread)
{
  /* The thread watches the time itself, except when it computes. */
  const uint64_t late_ns = l->until_ns + 100 * NS_PER_MS;
  const struct sched_param none = { 0 };
  uint32_t now = WORKING;

  while (atomic_load(&l->state) == WORKING && clock_now_ns() < late_ns)
    wait_while(&l->state, WORKING, late_ns);
  if (atomic_load(&l->state) == WORKING) {
    /* The result of its computation is not needed any more. */
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

static void drop_notice(void *arg, const PGresult *notice)
{
  (void)arg, (void)notice;
}

/* Does the rest, like steps().  *conn becomes NULL if it is left behind. */
static PostgresPollingStatusType rest(PGconn **conn, uint64_t until_ns)
{
  struct login *l = mem_new(1, sizeof(*l));
  PostgresPollingStatusType status = PGRES_POLLING_ACTIVE;
  pthread_t thread;

  if (l) {
    *l = (struct login){ .conn = *conn, .until_ns = until_ns };
    (void)PQsetNoticeReceiver(*conn, drop_notice, NULL);
  }
  if (!l || pthread_create(&thread, NULL, login_thread, l) != 0) {
    status = steps(*conn, until_ns, PGRES_POLLING_READING, true);
  } else if (await(l, thread)) {
    status = l->status;
  } else {
    *conn = NULL;
    return status;
  }
  free(l);
  return status;
}

enum pgsql_login pgsql_log_in(PGconn **conn, uint64_t until_ns, char *text,
                              size_t size)
{
  PostgresPollingStatusType status = PGRES_POLLING_FAILED;
  unsigned long long asked;

  if (PQstatus(*conn) != CONNECTION_BAD)
    status = steps(*conn, until_ns, PGRES_POLLING_WRITING, false);
  say_late(*conn, text, size);
  if (status == PGRES_POLLING_READING) {
    if (!wait_for(*conn, status, until_ns))
      return PGSQL_LOGIN_LATE;
    asked = iterations_asked(*conn);
    if (asked > ITERATIONS_MAX) {
      (void)snprintf(text, size,
                     "the server asks for %llu iterations of SCRAM, more than "
                     "%d are refused\n",
                     asked, ITERATIONS_MAX);
      return PGSQL_LOGIN_REFUSED;
    }
    status = rest(conn, until_ns);
  }
  if (status == PGRES_POLLING_ACTIVE)
    return PGSQL_LOGIN_LATE;
  return status == PGRES_POLLING_OK ? PGSQL_LOGIN_DONE : PGSQL_LOGIN_FAILED;
}
