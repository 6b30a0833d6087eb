/*
 * log.h - writes an acknowledgement log (format.h).  A record costs no system
 * call.
 *
 * A local file is mapped.  Its disk space is reserved in pieces of 4 MiB, so a
 * full disk is an error, not a crash.  A remote log is memory that a thread
 * sends every few milliseconds.  Clients never wait for the listener: when
 * memory is full, records are left out.
 */
#ifndef BENCH_ACK_LOG_H
#define BENCH_ACK_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "ack/format.h"

struct ack_log;
struct err;

enum {
  ACK_PENDING = 256, /* intents of one transaction */
};

/* Only its client's thread uses it. */
struct ack_client {
  struct ack_log *log;
  uint32_t number;
  uint64_t chunks;
  struct ack_record *at, *end; /* unused records of the last chunk */
  uint64_t event;
  unsigned n_pending; /* intents without an outcome */
  struct ack_record *pending[ACK_PENDING];
};

/* Replaces an older log.  WAITS for a listener at "tcp:HOST:PORT". `first`:
 * number of the first client.  `test`: name for messages.  `where` is
 * borrowed. */
int ack_log_open(struct ack_log **ret, const char *where, unsigned clients,
                 unsigned first, const char *test, struct err *err);

/* Call it before the clients begin.  This process is `rank` of `ranks`; all
 * share the number `run`. */
int ack_log_part(struct ack_log *log, uint64_t run, unsigned rank,
                 unsigned ranks, struct err *err);

/* The file; for a remote log, its name at the listener. */
const char *ack_log_name(const struct ack_log *log);

/* Call it before the clients begin.  The query finds the work in the
 * database. */
int ack_log_describe(struct ack_log *log, enum ack_kind kind, unsigned flags,
                     double before, const char *query, struct err *err);

/*
 * `all_ended`: no client goes on, so the log gets its end.  WAITS for a
 * listener, at most five seconds.  < 0: the listener has only a part; `ret` is
 * set even then.
 */
int ack_log_finish(struct ack_log *log, bool all_ended, struct ack_totals *ret,
                   struct err *err);

/* No client uses the log any more. */
void ack_log_free(struct ack_log *log);

/* `number` counts from `first` of ack_log_open(); in the log, from 0. */
struct ack_client *ack_log_client(struct ack_log *log, unsigned number);

/* The next commit does the work `id`. -ENOSPC or another reason why the file
 * cannot grow; -E2BIG: too many intents. */
int ack_intent(struct ack_client *c, uint64_t id);

void ack_settle(struct ack_client *c, enum ack_state state);

static inline bool ack_is_pending(const struct ack_client *c)
{
  return c->n_pending > 0;
}

/* The client has lost or left its server: verify judges the work up to here
 * separately.  If the log cannot grow, nothing is written. */
void ack_lost(struct ack_client *c);

#endif
