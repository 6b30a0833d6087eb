/*
 * conn.h - connections, direct statements and their results.
 *
 * A connection object belongs to the thread (env) that made it.  It is closed
 * by conn_close(), and its memory lives until conn_free() was called and its
 * last statement is gone; env_done() frees what is left.  A closed object is
 * safe to use: calls fail with an ALERT.
 *
 * After a call, pub.error has the class of its failure, pub.sql_errno,
 * sql_state and sql_errmsg the details; they are valid until the next call
 * on the connection.  conn_failure() has what scripts have to raise.
 */
#ifndef BENCH_DB_CONN_H
#define BENCH_DB_CONN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ffi_api.h"
#include "db/conn_message.h"
#include "db/conn_state.h"
#include "db/driver.h"

struct strbuf;

/* ---- open and close ---- */

/*
 * Makes an object and opens it; WAITS.  `params` may be NULL.  NULL: it failed,
 * and FATAL lines were logged (scripts say `connection creation failed`).
 */
struct conn *conn_open(struct driver_handle *h,
                       const struct conn_params *params);

/* Always 0; on a closed one with an ALERT.  Pending results are read and
 * dropped; see env_settle(). */
int conn_close(struct conn *c);

/*
 * Close and open again, also a closed or lost one; counts a reconnect, or an
 * error when it fails.  WAITS for at most --db-connect-timeout seconds.  0, or
 * 1 and the reason in conn_failure()->text (scripts: `reconnect failed: `).
 */
int conn_reconnect(struct conn *c);

/*
 * The life of an open connection is over: close it and open it again, however
 * long the server takes (WAITS).  If that fails for good, the next call says
 * why.
 */
void conn_renew(struct conn *c);

/* Close, and let the database give back the space of dropped tables; what it
 * has done is added to `line`. */
void conn_close_tidy(struct conn *c, struct strbuf *line);

/* Close silently; the object stays, as after conn_close(). */
void conn_shut(struct conn *c);

/* Close silently and give up the owner's reference. */
void conn_free(struct conn *c);

/* ---- statements and results ---- */

/*
 * Execute a statement; WAITS.  NULL: no result set, or a failure: look at
 * pub.error.
 * sql[len] is zero, as in a Lua string.
 */
sql_result *conn_query(struct conn *c, const char *sql, size_t len);

/* Class of the next direct statement; it is NULL again after that. */
static inline void conn_set_class(struct conn *c, void *cls)
{
  c->cls = cls;
}

/* The next result; NULL as conn_query(), or when nothing was left. */
sql_result *conn_next_result(struct conn *c);
/* Another result is pending.  On a closed connection: an ALERT, false. */
bool conn_more_results(struct conn *c);

/* The next row, valid until the next call on the connection; NULL: none left,
 * or an ALERT about a result that has ended or has no rows. */
sql_row *conn_fetch_row(sql_result *rs);
/* 0; 1 with an ALERT when it had ended. */
int conn_free_results(sql_result *rs);

/* ---- after a failure ---- */

/* Valid until the next call on the connection; meaningful when pub.error is
 * not DB_ERROR_NONE. */
static inline const struct failure *conn_failure(const struct conn *c)
{
  return &c->fail;
}

/*
 * The hook declared the last error ignorable: replace the connection if it is
 * lost, roll back or mark an open transaction.  DB_ERROR_IGNORABLE: restart
 * the event; *ret_reconnected: the connection was replaced.  DB_ERROR_FATAL:
 * a new failure, in conn_failure().  The details of the original error are
 * the caller's copy.
 */
sql_error_t conn_forgive(struct conn *c, bool *ret_reconnected);

/*
 * The event that failed on this connection is restarted: a marked transaction
 * is rolled back.  DB_ERROR_NONE, or what became of the ROLLBACK: one that is
 * refused is an ignored error, as the event's next attempt has failed with it.
 */
sql_error_t conn_restart(struct conn *c);

/*
 * The event is given up: a marked transaction is rolled back, so that what the
 * script does after its events is not part of it.
 */
void conn_give_up(struct conn *c);

/* ---- about ---- */

/*
 * Asks the server of an open connection, and WAITS: is it as --target says, or,
 * without, does it take writes?  True, too, if it does not say, or says that it
 * is read-only, and behind no other one.
 */
bool conn_is_current(struct conn *c);

/* What asks the driver something stands between these two: see call_ask(). */
uint64_t conn_ask(struct conn *c);
bool conn_asked(struct conn *c, uint64_t until_ns);

/* The line of the mode block, from a connection of its own; none where that
 * cannot be opened: a worker will say why. */
void conn_mode_line(struct driver_handle *h, struct strbuf *line);

#endif
