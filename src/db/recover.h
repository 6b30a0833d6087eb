/*
 * recover.h - carries out what a failure needs: counts, keeps details and
 * messages, rolls back, replaces the connection (for src/db only).
 */
#ifndef BENCH_DB_RECOVER_H
#define BENCH_DB_RECOVER_H

#include <stdbool.h>
#include <stddef.h>

#include "db/conn_state.h"

/* c->out is the failure of `call`, which sent `sql`.  May WAIT: for a rollback,
 * and for a new session, up to the end of the run. */
void recover_failed(struct conn *c, enum call call, const char *sql,
                    size_t len);

/* No call of a script has failed: the next one reports the failure, unless the
 * run is over. */
void recover_failed_late(struct conn *c, enum call call, const char *sql,
                         size_t len);

/* A connection's life has failed: c->out.  The next life has a session of its
 * own.  `sql`: the failed statement; NULL: the opening. */
void recover_life_failed(struct conn *c, const char *sql, size_t len);

/* Count c->fail, and list its code. */
void recover_count_error(struct conn *c);

/* c->out is one more failure, besides that of recover_failed(): only
 * counted. */
void recover_failed_too(struct conn *c);

/* By some list: c->out. */
bool recover_ignorable(const struct conn *c);

/* c->out, with its text, is a refusal for which the server is left. */
bool recover_refused(const struct conn *c);

/*
 * Open a session that was lost for the reason `why`.  WAITS: up to the end of
 * the run if a list ignores losses, else for --db-connect-timeout.  False: the
 * call has failed.
 */
bool recover_reopen(struct conn *c, const char *why);

/* As conn_forgive(); conn_failure()->reconnected: the connection was replaced.
 * May WAIT. */
sql_error_t recover_forgiven(struct conn *c);

/*
 * Uncounted ROLLBACK; WAITS for its answer.  DB_ERROR_NONE: done.
 * DB_ERROR_IGNORABLE: the connection was replaced, or the server refused for
 * now and the transaction is marked.  `keep_details`: those of the earlier
 * failure stay.
 */
sql_error_t recover_rollback(struct conn *c, bool keep_details);

/*
 * End the results, read and drop what is pending (WAITS).  False: the present
 * failure is one among it; that of the next call too, unless the caller clears
 * CONN_OWES_FAILURE.
 */
bool recover_drain(struct conn *c);

/* The failure of CONN_OWES_FAILURE becomes the present one. */
void recover_take_late(struct conn *c);

#endif
