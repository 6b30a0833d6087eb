/*
 * recover.h - carries out what a failure needs: counts it, keeps its details
 * and its message, rolls back, replaces the connection (for src/db only).
 */
#ifndef BENCH_DB_RECOVER_H
#define BENCH_DB_RECOVER_H

#include <stdbool.h>
#include <stddef.h>

#include "db/conn_state.h"

/* c->out describes a failure of `call`, which had sent `sql`.  May WAIT: for a
 * rollback, and for a new session, up to the end of the run. */
void recover_failed(struct conn *c, enum call call, const char *sql,
                    size_t len);

/* The same for a call that no script has made: the next one reports the
 * failure, unless the run is over. */
void recover_failed_late(struct conn *c, enum call call, const char *sql,
                         size_t len);

/*
 * The life of a connection has failed before its end: c->out.  Nothing is
 * replaced, because the next life begins with a session of its own.  `sql`: the
 * statement that has failed; NULL: the opening has.
 */
void recover_life_failed(struct conn *c, const char *sql, size_t len);

/* The failure in c->fail is counted, and listed by its code. */
void recover_count_error(struct conn *c);

/* c->out is a failure besides the one that recover_failed() gets: it is
 * counted, and has no other consequence. */
void recover_failed_too(struct conn *c);

/* c->out is ignorable by some list. */
bool recover_ignorable(const struct conn *c);

/* The server is to be left: c->out, whose text is still there, is a refusal. */
bool recover_refused(const struct conn *c);

/*
 * A session that was lost before, for the reason `why`, is opened for the
 * present call.  WAITS: up to the end of the run if a list ignores losses, else
 * for --db-connect-timeout.  False: it failed, as the call does thereby.
 */
bool recover_reopen(struct conn *c, const char *why);

/*
 * The script's hook has declared the failure ignorable: as conn_forgive(), and
 * conn_failure()->reconnected says whether the connection was replaced.  May
 * WAIT, like the two functions around it.
 */
sql_error_t recover_forgiven(struct conn *c);

/*
 * Send a ROLLBACK, uncounted, and WAIT for its answer.  DB_ERROR_NONE: done.
 * DB_ERROR_IGNORABLE: the connection was replaced instead, or the server
 * refused for now, and the transaction is marked; `keep_details`: those of the
 * earlier failure stay.
 */
sql_error_t recover_rollback(struct conn *c, bool keep_details);

/*
 * The result set ends; what is pending is read and dropped (WAITS).  False: a
 * failure was among it, and was treated as that of a call.  It is the present
 * failure; and unless the caller clears CONN_OWES_FAILURE, that of the next
 * call, too.
 */
bool recover_drain(struct conn *c);

/* The failure of CONN_OWES_FAILURE is the present one, and reported thereby. */
void recover_take_late(struct conn *c);

#endif
