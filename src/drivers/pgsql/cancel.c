/*
 * cancel.c - cancels a statement by a request over a separate connection,
 * without waiting for a server that does not answer.
 *
 * PQcancel() blocks without a limit, so a helper thread calls it, and the
 * caller waits for that thread only for a limited time.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/thread.h"
#include "base/wait.h"
#include "drivers/pgsql/session.h"

enum {
  CANCEL_LIMIT_MS = 1000
};

struct token {
  _Atomic unsigned refs; /* held by the layer and each helper thread */
  /* Futex: the number of requests that have ended (release by the helpers). */
  _Atomic uint32_t ended;
  PGcancel *cancel; /* owned; constant */
};

void *pgsql_cancel_token(struct session *s)
{
  struct token *t = mem_new(1, sizeof(*t));

  if (!t)
    return NULL;
  t->cancel = PQgetCancel(pgsql_of(s)->conn);
  if (!t->cancel) {
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

static void *request(void *arg)
{
  struct token *t = arg;
  char text[256];

  /* If this fails, the connection will be shut down a second later. */
  (void)PQcancel(t->cancel, text, sizeof(text));
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
