/*
 * login.c - the steps of a login, within a time limit.
 *
 * With SCRAM the server says how many hashes the client has to compute, and
 * libpq computes as many: two thousand million take it half an hour.  The guard
 * refuses an unreasonable number, which it cannot see under TLS.  Therefore
 * everything after the request for a password runs in a thread.  The thread is
 * left behind when the time is over.
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

#include "base/clock.h"
#include "base/mem.h"
#include "base/wait.h"
#include "drivers/pgsql/guard.h"
#include "drivers/pgsql/session.h"

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
static bool wait_for(const struct pgsql_guard *g, PGconn *conn,
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

/*
 * Takes one step after another.  With `in_thread`, up to the end; otherwise, up
 * to the moment when a password is asked for: PGRES_POLLING_READING.
 * PGRES_POLLING_ACTIVE: out of time, or refused by the guard.
 */
static PostgresPollingStatusType steps(struct pgsql_guard *g, PGconn *conn,
                                       uint64_t until_ns,
                                       PostgresPollingStatusType status,
                                       bool in_thread)
{
  while (status == PGRES_POLLING_WRITING || status == PGRES_POLLING_READING) {
    if (!in_thread && status == PGRES_POLLING_READING &&
        PQconnectionUsedPassword(conn))
      return status;
    if (!wait_for(g, conn, status, until_ns) || !pgsql_guard_look(g, conn))
      return PGRES_POLLING_ACTIVE;
    status = PQconnectPoll(conn);
    pgsql_guard_pass_on(g, conn, until_ns);
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
  struct pgsql_guard guard;
  uint64_t until_ns;
  PostgresPollingStatusType status;
};

static void *login_thread(void *arg)
{
  struct login *l = arg;
  uint32_t now = WORKING;

  l->status = steps(&l->guard, l->conn, l->until_ns, PGRES_POLLING_READING,
                    true);
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
static PostgresPollingStatusType rest(struct pgsql_guard *g, PGconn **conn,
                                      uint64_t until_ns)
{
  struct login *l = mem_new(1, sizeof(*l));
  PostgresPollingStatusType status = PGRES_POLLING_ACTIVE;
  pthread_t thread;

  if (l) {
    *l = (struct login){ .conn = *conn, .guard = *g, .until_ns = until_ns };
    (void)PQsetNoticeReceiver(*conn, drop_notice, NULL);
  }
  if (!l || pthread_create(&thread, NULL, login_thread, l) != 0) {
    status = steps(g, *conn, until_ns, PGRES_POLLING_READING, true);
  } else if (await(l, thread)) {
    *g = l->guard;
    status = l->status;
  } else {
    g->state = GUARD_OFF; /* the thread has it */
    *conn = NULL;
    return status;
  }
  free(l);
  return status;
}

enum pgsql_login pgsql_log_in(PGconn **conn, bool cleartext, uint64_t until_ns,
                              char *text, size_t size)
{
  PostgresPollingStatusType status = PGRES_POLLING_FAILED;
  struct pgsql_guard guard = { .cleartext = cleartext };

  if (PQstatus(*conn) != CONNECTION_BAD)
    status = steps(&guard, *conn, until_ns, PGRES_POLLING_WRITING, false);
  say_late(*conn, text, size);
  if (status == PGRES_POLLING_READING)
    status = rest(&guard, conn, until_ns);
  pgsql_guard_end(&guard, *conn);
  if (guard.why[0]) {
    (void)snprintf(text, size, "%s", guard.why);
    return PGSQL_LOGIN_REFUSED;
  }
  if (status == PGRES_POLLING_ACTIVE)
    return PGSQL_LOGIN_LATE;
  return status == PGRES_POLLING_OK ? PGSQL_LOGIN_DONE : PGSQL_LOGIN_FAILED;
}
