/*
 * cancel.h - cancel requests, which go to the server on connections of their
 * own.
 *
 * A server that does not answer holds up whoever sends it a request.  So helper
 * threads send them, and nothing else waits for one of these for long.
 */
#ifndef BENCH_DB_CANCEL_H
#define BENCH_DB_CANCEL_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct driver;
struct session;

/* Cancels the statements of one opened session; shared by the owner of the
 * connection and the helpers that send requests. */
struct canceller {
  _Atomic unsigned refs;
  /* Requests that were given to helpers and have not ended; futex (release by
   * the helpers, acquire by the owner of the connection). */
  _Atomic uint32_t under_way;
  const struct driver *driver;
  void *token;
};

/* For the session that was opened just now.  NULL: the driver sends no
 * requests, or there is no memory; wake() has to do then. */
struct canceller *canceller_new(const struct driver *driver, struct session *s);
void canceller_unref(struct canceller *k); /* NULL is fine */

/* One more request is under way; it holds a reference.  Returns `k`. */
struct canceller *canceller_request(struct canceller *k);

/* Waits until no request is under way any more, or until that moment. */
void canceller_await(struct canceller *k, uint64_t until_ns);

/* Requests to be sent. */
struct cancel_batch;

/* Room for so many; NULL: no memory. */
struct cancel_batch *cancel_batch_new(size_t room);
/* `k` comes from canceller_request(); NULL is left out. */
void cancel_batch_add(struct cancel_batch *b, struct canceller *k);

/*
 * Sends them at the same time, as far as helpers can be started, and frees the
 * batch; what cannot be sent before `until_ns` is left out.  `threads` counts
 * the helpers, see cancel_start_thread().  Waits only if no helper at all can
 * be started.
 */
void cancel_batch_send(struct cancel_batch *b, uint64_t until_ns,
                       _Atomic uint32_t *threads);

/*
 * Start a thread that nobody joins, because it may have to be left behind, and
 * add it to *threads.  Its body calls cancel_leave_thread() at its end. Returns
 * 0 or a negative errno value.
 */
int cancel_start_thread(_Atomic uint32_t *threads, void *(*body)(void *arg),
                        void *arg);
void cancel_leave_thread(_Atomic uint32_t *threads);

#endif
