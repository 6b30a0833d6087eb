/*
 * log.h - writes an acknowledgement log (format.h).  A record costs no system
 * call.
 *
 * A local file is mapped; its disk space is reserved in pieces of 4 MiB, so a
 * full disk is an error, not a crash.  A log on another machine is memory that
 * a thread sends every few milliseconds; clients never wait for the listener.
 * Beyond a limit records are left out.
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

/* One client; only its thread uses it. */
struct ack_client {
  struct ack_log *log;
  uint32_t number;
  uint64_t chunks;
  struct ack_record *at, *end; /* the free room of the last chunk */
  uint64_t event;
  unsigned n_pending; /* intents without an outcome */
  struct ack_record *pending[ACK_PENDING];
};

/*
 * An older log is replaced.  WAITS for a listener at "tcp:HOST:PORT".  `first`:
 * number of the first client.  `test`: name for messages.  `where` is borrowed.
 */
int ack_log_open(struct ack_log **ret, const char *where, unsigned clients,
                 unsigned first, const char *test, struct err *err);

/* Before the clients begin: this process is `rank` of `ranks`, which share the
 * number `run`. */
int ack_log_part(struct ack_log *log, uint64_t run, unsigned rank,
                 unsigned ranks, struct err *err);

/* The file; for a remote log, its name there. */
const char *ack_log_name(const struct ack_log *log);

/* Before the clients begin: how verify finds the work in the database. */
int ack_log_describe(struct ack_log *log, enum ack_kind kind, unsigned flags,
                     double before, const char *query, struct err *err);

/*
 * `all_ended`: no client goes on, so the log is ended properly.  WAITS for a
 * listener, at most five seconds; < 0: the listener has only a part, and `ret`
 * is set all the same.
 */
int ack_log_finish(struct ack_log *log, bool all_ended, struct ack_totals *ret,
                   struct err *err);

/* No client may use the log any more.  NULL is fine. */
void ack_log_free(struct ack_log *log);

/* `number` counts from `first` of ack_log_open(); in the log, from 0. */
struct ack_client *ack_log_client(struct ack_log *log, unsigned number);

/* The next commit makes what `id` names. 0; -ENOSPC or another reason why the
 * file cannot grow; -E2BIG: too many intents. */
int ack_intent(struct ack_client *c, uint64_t id);

void ack_settle(struct ack_client *c, enum ack_state state);

static inline bool ack_is_pending(const struct ack_client *c)
{
  return c->n_pending > 0;
}

/* The connection is lost, or the client leaves its server: verify judges the
 * work up to here separately.  A log that cannot grow stays as it is. */
void ack_lost(struct ack_client *c);

#endif
