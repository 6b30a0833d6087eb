/*
 * conn.h - connections, direct statements and their results.
 *
 * The memory of an object lives until conn_free() and the end of its last
 * statement; env_done() frees the rest.  Calls on a closed object fail with an
 * ALERT.  After a call, pub has the class and details of the error;
 * conn_failure() has the script's error.
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

/* WAITS.  `params` can be NULL.  NULL after FATAL lines. */
struct conn *conn_open(struct driver_handle *h,
                       const struct conn_params *params);

/* Always 0; an ALERT if closed.  Drops pending results: see env_settle(). */
int conn_close(struct conn *c);

/* Also reopens a closed or lost connection; counts a reconnect, or an error.
 * WAITS for --db-connect-timeout at most. 0, or 1 and conn_failure()->text. */
int conn_reconnect(struct conn *c);

/* Closes and opens again, however long that takes (WAITS).  The next call
 * reports a final failure. */
void conn_renew(struct conn *c);

/* Closes, and reclaims the space of dropped tables; reports to `line`. */
void conn_close_tidy(struct conn *c, struct strbuf *line);

void conn_shut(struct conn *c);

void conn_free(struct conn *c);

/* WAITS.  NULL: no result set, or a failure. sql[len] is 0. */
sql_result *conn_query(struct conn *c, const char *sql, size_t len);

static inline void conn_set_class(struct conn *c, void *cls)
{
  c->cls = cls;
}

/* NULL: as conn_query(), or nothing was left. */
sql_result *conn_next_result(struct conn *c);
/* ALERT if closed. */
bool conn_more_results(struct conn *c);

/* Valid until the next call on the connection; NULL: no more, or an ALERT. */
sql_row *conn_fetch_row(sql_result *rs);
/* 0; 1 with an ALERT. */
int conn_free_results(sql_result *rs);

/* Valid until the next call on the connection. */
static inline const struct failure *conn_failure(const struct conn *c)
{
  return &c->fail;
}

/*
 * The script's hook declared the last error ignorable.  DB_ERROR_IGNORABLE:
 * restart the event; *ret_reconnected: the connection was replaced.
 * DB_ERROR_FATAL: a new failure.
 */
sql_error_t conn_forgive(struct conn *c, bool *ret_reconnected);

/* Before the event restarts.  Returns DB_ERROR_NONE, or the failure of the
 * ROLLBACK. */
sql_error_t conn_restart(struct conn *c);

void conn_give_up(struct conn *c);

/* WAITS: does the server have the role of --server-role, or without it, take
 * writes?  Also true without an answer, or if it is read-only but no
 * replica. */
bool conn_is_current(struct conn *c);

/* See call_ask(). */
uint64_t conn_ask(struct conn *c);
bool conn_asked(struct conn *c, uint64_t until_ns);

/* Uses its own connection; no line without one. */
void conn_mode_line(struct driver_handle *h, struct strbuf *line);

#endif
