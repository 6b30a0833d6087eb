/*
 * log.h - writes an acknowledgement log (format.h).
 *
 * A file of this machine is mapped, so that a record costs no system call and
 * survives the end of the process.  It grows by pieces of 4 MiB, whose space on
 * the disk is reserved before it is used: a full disk is an error and no crash.
 *
 * A log on another machine is memory that a thread sends there every few
 * milliseconds.  So a record costs no system call either, and clients never
 * wait for the listener.  What waits to be sent has a limit; beyond it records
 * are left out, and the log says so.
 */
#ifndef BENCH_ACK_LOG_H
#define BENCH_ACK_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ack/format.h"

struct ack_log;
struct err;

enum {
  ACK_PENDING = 256, /* numbers of one transaction, at most */
};

/* What a client writes; only its thread uses it. */
struct ack_client {
  struct ack_log *log;
  uint32_t number;
  uint64_t chunks;             /* that it has been given */
  struct ack_record *at, *end; /* the free room of its last chunk */
  uint64_t event;              /* of the pending intents, for the caller */
  unsigned n_pending;          /* intents without an outcome */
  struct ack_record *pending[ACK_PENDING];
};

/* How many records have which outcome. */
struct ack_totals {
  uint64_t acked, aborted, unknown; /* intents without an outcome are unknown */
};

/*
 * Make the file, which replaces another one, or WAIT for the listener at
 * "tcp:HOST:PORT"; the number of the first client is `first`.
 * `test` is a name for messages, and `where` is borrowed.
 */
int ack_log_open(struct ack_log **ret, const char *where, unsigned clients,
                 unsigned first, const char *test, struct err *err);

/* The log is that of process `rank` of `ranks`, which all know the run by that
 * number; before the clients begin. */
int ack_log_part(struct ack_log *log, uint64_t run, unsigned rank,
                 unsigned ranks, struct err *err);

/* The file; of another machine, its name there. */
const char *ack_log_name(const struct ack_log *log);

/* How verify finds the work in the database; before the clients begin. */
int ack_log_describe(struct ack_log *log, enum ack_kind kind, unsigned flags,
                     double before, const char *query, struct err *err);

/*
 * Count what the clients have written.  `all_ended`: none of them goes on, and
 * the log ends here in the usual way.  WAITS for a listener, five seconds at
 * most; < 0: it has not got all, and `ret` is set all the same.
 */
int ack_log_finish(struct ack_log *log, bool all_ended, struct ack_totals *ret,
                   struct err *err);

/* No client may use the log any more.  `log` may be NULL. */
void ack_log_free(struct ack_log *log);

/* The first client has the number of ack_log_open(); in the log it is 0. */
struct ack_client *ack_log_client(struct ack_log *log, unsigned number);

/* ---- by a client ---- */

/*
 * The transaction that is committed next has made what `id` names.  0; -ENOSPC
 * or another reason why the file cannot grow; or -E2BIG: the transaction has
 * too many.
 */
int ack_intent(struct ack_client *c, uint64_t id);

/* The outcome of all intents that have none. */
void ack_settle(struct ack_client *c, enum ack_state state);

static inline bool ack_is_pending(const struct ack_client *c)
{
  return c->n_pending > 0;
}

/* The client has lost its connection, or leaves its server: what it has done up
 * to here is judged separately.  A log that cannot grow stays as it is. */
void ack_lost(struct ack_client *c);

#endif
