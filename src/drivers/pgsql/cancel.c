/*
 * cancel.c - cancels a statement by a request over a separate connection,
 * without waiting for a server that does not answer.
 *
 * PQcancel() blocks without a limit, so a helper thread calls it, and the
 * caller waits for that thread only for a limited time.  Sessions that have
 * logged in without libpq send the request themselves.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/thread.h"
#include "base/wait.h"
#include "drivers/pgsql/session.h"
#include "drivers/wire/link.h"

enum {
  CANCEL_LIMIT_MS = 1000
};

struct token {
  _Atomic unsigned refs; /* held by the layer and each helper thread */
  /* Futex: the number of requests that have ended (release by the helpers). */
  _Atomic uint32_t ended;

  /* Constant. */
  PGcancel *cancel; /* owned; NULL: what follows */
  struct sockaddr_storage to;
  socklen_t to_len;
  uint8_t request[16];
};

/* False: the server cannot be asked. */
static bool fill(struct token *t, const struct pgsql_session *p)
{
  if (!pgsql_is_raw(p)) {
    t->cancel = PQgetCancel(p->conn);
    return t->cancel != NULL;
  }
  t->to_len = sizeof(t->to);
  memcpy(t->request, p->cancel, sizeof(t->request));
  return p->can_cancel &&
         getpeername(p->fd, (struct sockaddr *)(void *)&t->to, &t->to_len) == 0;
}

void *pgsql_cancel_token(struct session *s)
{
  struct token *t = mem_new(1, sizeof(*t));

  if (!t)
    return NULL;
  if (!fill(t, pgsql_of(s))) {
    free(t);
    return NULL;
  }
  atomic_init(&t->refs, 1);
  return t;
}

void pgsql_cancel_free(void *token)
{
  struct token *t = token;

  /* The last holder has seen the end of all other holders' work. */
  if (atomic_fetch_sub_explicit(&t->refs, 1, memory_order_acq_rel) != 1)
    return;
  PQfreeCancel(t->cancel);
  free(t);
}

/* The server hangs up when it has passed the request on. */
static void ask_server(const struct token *t)
{
  const uint64_t until_ns = clock_now_ns() + CANCEL_LIMIT_MS * NS_PER_MS;
  struct wire_buffer in = { 0 };
  int fd;

  if (wire_open(&fd, (const struct sockaddr *)(const void *)&t->to, t->to_len,
                until_ns) < 0)
    return;
  if (wire_send_until(fd, t->request, sizeof(t->request), until_ns) == 0)
    (void)wire_receive_until(fd, &in, 1, until_ns);
  (void)close(fd);
  wire_buffer_done(&in);
}

static void *request(void *arg)
{
  struct token *t = arg;
  char text[256];

  /* If this fails, the connection will be shut down a second later. */
  if (t->cancel)
    (void)PQcancel(t->cancel, text, sizeof(text));
  else
    ask_server(t);
  (void)atomic_fetch_add_explicit(&t->ended, 1, memory_order_release);
  wait_wake_all(&t->ended);
  pgsql_cancel_free(t);
  return NULL;
}

static int start(struct token *t)
{
  int rc;

  (void)atomic_fetch_add_explicit(&t->refs, 1, memory_order_relaxed);
  rc = thread_start_detached(0, request, t);
  if (rc < 0)
    pgsql_cancel_free(t);
  return rc;
}

void pgsql_cancel(void *token)
{
  struct token *t = token;
  const uint64_t until_ns = clock_now_ns() + CANCEL_LIMIT_MS * NS_PER_MS;
  const uint32_t before = atomic_load_explicit(&t->ended, memory_order_acquire);

  if (start(t) < 0)
    return;
  while (atomic_load_explicit(&t->ended, memory_order_acquire) == before &&
         clock_now_ns() < until_ns)
    wait_while(&t->ended, before, until_ns);
}
