/*
 * conn.h - connections, direct statements and their results.
 *
 * An object belongs to the thread (env) that made it.  Its memory lives until
 * conn_free() and the end of its last statement; env_done() frees the rest.
 * Calls on a closed object fail with an ALERT.
 *
 * After a call, pub.error has the class of its failure, pub.sql_errno,
 * sql_state and sql_errmsg the details until the next call; conn_failure() has
 * what scripts raise.
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

/* Make an object and open it; WAITS.  `params` may be NULL.  NULL after FATAL
 * lines. */
struct conn *conn_open(struct driver_handle *h,
                       const struct conn_params *params);

/* Always 0; an ALERT if closed.  Reads and drops pending results: see
 * env_settle(). */
int conn_close(struct conn *c);

/*
 * Close and open again, also a closed or lost one; counts a reconnect, or an
 * error.  WAITS for --db-connect-timeout at most.  0, or 1 and the reason in
 * conn_failure()->text.
 */
int conn_reconnect(struct conn *c);

/* Close and open again, however long the server takes (WAITS).  If that fails
 * for good, the next call reports the failure. */
void conn_renew(struct conn *c);

/* Close, and let the database give back the space of dropped tables; `line`
 * gets what was done. */
void conn_close_tidy(struct conn *c, struct strbuf *line);

/* Close silently; the object stays. */
void conn_shut(struct conn *c);

/* Close silently and give up the owner's reference. */
void conn_free(struct conn *c);

/* ---- statements and results ---- */

/* WAITS.  NULL: no result set, or a failure in pub.error.  sql[len] is 0. */
sql_result *conn_query(struct conn *c, const char *sql, size_t len);

/* Class of the next direct statement only. */
static inline void conn_set_class(struct conn *c, void *cls)
{
  c->cls = cls;
}

/* NULL as conn_query(), or when nothing was left. */
sql_result *conn_next_result(struct conn *c);
/* On a closed connection: an ALERT, false. */
bool conn_more_results(struct conn *c);

/* Valid until the next call on the connection; NULL: none left, or an ALERT:
 * the result has ended or has no rows. */
sql_row *conn_fetch_row(sql_result *rs);
/* 0; 1 with an ALERT when the result had ended. */
int conn_free_results(sql_result *rs);

/* ---- after a failure ---- */

/* Valid until the next call on the connection; meaningful if pub.error is not
 * DB_ERROR_NONE. */
static inline const struct failure *conn_failure(const struct conn *c)
{
  return &c->fail;
}

/*
 * The hook declared the last error ignorable: replace a lost connection, roll
 * back or mark an open transaction.  DB_ERROR_IGNORABLE: restart the event;
 * *ret_reconnected: the connection was replaced.  DB_ERROR_FATAL: a new
 * failure.
 */
sql_error_t conn_forgive(struct conn *c, bool *ret_reconnected);

/* Before the event restarts: roll back a marked transaction.  DB_ERROR_NONE, or
 * what became of the ROLLBACK. */
sql_error_t conn_restart(struct conn *c);

/* The event is given up: roll back a marked transaction. */
void conn_give_up(struct conn *c);

/*
 * Ask the server of an open connection (WAITS): has it the role of --target, or
 * without, does it take writes?  True, too, without an answer, or if read-only
 * and behind no other server.
 */
bool conn_is_current(struct conn *c);

/* Around questions to the driver: see call_ask(). */
uint64_t conn_ask(struct conn *c);
bool conn_asked(struct conn *c, uint64_t until_ns);

/* The mode block's line, from a connection of its own; none if that cannot be
 * opened. */
void conn_mode_line(struct driver_handle *h, struct strbuf *line);

#endif
