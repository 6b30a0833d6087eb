/*
 * conn.h - connections, direct statements and their results.
 *
 * A connection object belongs to the thread (env) that made it.  It is closed
 * by conn_close(), and its memory lives until conn_free() was called and its
 * last statement is gone; env_done() frees what is left.  A closed object is
 * safe to use: calls fail with an ALERT.
 *
 * After a call, pub.error tells the class of its failure, pub.sql_errno,
 * sql_state and sql_errmsg the details; they are valid until the next call
 * on the connection.  conn_failure() tells what scripts have to raise.
 */
#ifndef BENCH_DB_CONN_H
#define BENCH_DB_CONN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ffi_api.h"
#include "base/strbuf.h"
#include "db/abi.h"
#include "db/bulk.h"
#include "db/driver.h"
#include "db/watch.h"

struct db_env;
struct driver_handle;
struct stmt;

enum conn_state {
  CONN_CLOSED, /* never opened, or closed by the script */
  CONN_OPEN,
  CONN_LOST, /* the transport is gone, the script has not closed it */
};

/* What needs a look before a call may go on; 0 in the usual case. */
enum conn_attention {
  CONN_NOT_OPEN = 1 << 0,  /* state is not CONN_OPEN */
  CONN_MARKED = 1 << 1,    /* a transaction is to be rolled back */
  CONN_MESSAGE = 1 << 2,   /* a fatal message was not printed or taken yet */
  CONN_RESULT = 1 << 3,    /* results are open or pending */
  CONN_LATE = 1 << 4,      /* results that were dropped held a failure of which
                            * the script has not heard */
  CONN_CANCELLED = 1 << 5, /* the call before took too long, and a cancel may
                            * still come */
};

/* Why the last call failed. */
struct failure {
  int code;
  char state[6];
  bool lost;        /* the connection broke */
  bool reconnected; /* ... and was replaced */
  bool abandoned;   /* the run is over: leave the event, raise no error */
  bool earlier;     /* it is of a statement before; this one was not sent */
  const char *api_error; /* text to raise, when it was no SQL error: static */
  char text[1024];       /* = sql_errmsg */
};

struct conn {
  struct conn_pub pub; /* what scripts see; first */
  struct db_env *env;
  struct driver_handle *handle;
  const struct driver *driver;
  struct session *session; /* owned */
  unsigned attention;      /* enum conn_attention */
  enum conn_state state;
  unsigned generation; /* counts successful connects */
  unsigned sized;      /* generation of which `sizes` tells; 0: none */
  struct statement_sizes sizes;
  unsigned refs;             /* the owner and each statement object */
  bool freed;                /* conn_free() was called */
  struct conn *next, *prev;  /* in the env's list */
  struct stmt *stmts;        /* live and closed ones, all of this connection */
  struct conn_params params; /* owned texts */
  void *cls;                 /* class of the next direct statement */

  struct outcome out; /* of the last call */
  sql_result rs;      /* the one result set */
  bool rs_open;       /* rows may be fetched */
  bool more;          /* further results are pending */
  sql_value *values;  /* owned; room for `values_room` columns */
  uint32_t values_room;

  struct failure fail;
  sql_error_t late;      /* with CONN_LATE: the class of `fail` */
  struct strbuf message; /* fatal lines that nobody has printed yet */
  char message_code[16];
  struct strbuf text; /* of emulated statements */
  struct bulk bulk;
  struct watched watched;
};

/* What scripts hold, and back. */
static inline sql_connection *conn_abi(struct conn *c)
{
  return (sql_connection *)(void *)c;
}
static inline struct conn *conn_of(sql_connection *con)
{
  return (struct conn *)(void *)con;
}

/* ---- open and close ---- */

/*
 * A new object, opened.  `params` may be NULL.  NULL after FATAL lines were
 * logged (scripts: `connection creation failed`).
 */
struct conn *conn_open(struct driver_handle *h,
                       const struct conn_params *params);

/* 0 always.  On a closed one: an ALERT.  Pending results are read and dropped;
 * see env_settle(). */
int conn_close(struct conn *c);

/*
 * Close and open again, also a closed or lost one; counts a reconnect, or an
 * error when it fails.  Tries for at most --db-connect-timeout seconds.  0, or
 * 1 and the reason in conn_failure()->text (scripts: `reconnect failed: `).
 */
int conn_reconnect(struct conn *c);

/* Close, and let the database give back the space of dropped tables; what it
 * has done is added to `line`. */
void conn_close_tidy(struct conn *c, struct strbuf *line);

/* Close silently and give up the owner's reference. */
void conn_free(struct conn *c);

/* For src/db: a statement object is gone; frees a connection that was freed
 * before. */
void conn_unref(struct conn *c);

/* ---- statements and results ---- */

/*
 * Execute a statement.  NULL: no result set, or failure: look at pub.error.
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
 * The message of a fatal error is kept until the script's hook was asked: it
 * is printed at the next call on the connection, unless it was taken.
 */
struct conn_message {
  struct strbuf lines; /* owned; empty: there is none */
  char code[16];
  struct db_env *env;
};
struct conn_message conn_take_message(struct conn *c);
void conn_print_message(struct conn_message *m); /* and drops it */
void conn_drop_message(struct conn_message *m);
/* Take and print. */
void conn_say(struct conn *c);

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
 * Version, transport, TLS, compression and the settings that decide results,
 * for structured results.  May send queries; ends results.  Nothing on a
 * connection that is not open.
 */
void conn_describe(struct conn *c,
                   void (*put)(void *ctx, const char *key, const char *value),
                   void *ctx);

/* The line of the mode block, from a connection of its own; none where that
 * cannot be opened: a worker will say why. */
void conn_mode_line(struct driver_handle *h, struct strbuf *line);

#endif
