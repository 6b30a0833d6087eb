/*
 * policy.h - what becomes of a failed call: its class, what is counted, said
 * and done about it (for src/db only).
 */
#ifndef BENCH_DB_POLICY_H
#define BENCH_DB_POLICY_H

#include <stdbool.h>
#include <stddef.h>

#include "db/conn.h"

/* c->out describes a failure: class, counters, texts, roll back, reconnect. */
void policy_failed(struct conn *c, enum call call, const char *sql, size_t len);

/* The failure of c->out comes of the end of the run: a statement that was
 * cancelled or given up is nobody's error. */
bool policy_is_cut(const struct conn *c);

/* c->out is ignorable by some list. */
bool policy_ignorable(const struct conn *c);

/* Leave the event: the run is over. */
void policy_abandon(struct conn *c);

/* Replace the lost connection: the class of what comes of it. */
sql_error_t policy_replace(struct conn *c);

/*
 * Send a ROLLBACK, uncounted.  DB_ERROR_NONE: done.  DB_ERROR_IGNORABLE: the
 * connection was replaced instead, or the server refused for now, and the
 * transaction is marked; `keep_details`: those of the failure before stay.
 */
sql_error_t policy_rollback(struct conn *c, bool keep_details);

#endif
