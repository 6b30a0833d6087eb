/*
 * conn_state.h - what a connection is made of, and its states.
 */
#ifndef BENCH_DB_CONN_STATE_H
#define BENCH_DB_CONN_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ffi_api.h"
#include "base/strbuf.h"
#include "db/abi.h"
#include "db/driver.h"
#include "db/env.h"
#include "db/pool.h"
#include "db/watch.h"

struct stmt;

/*
 * Where a connection stands.  Of the open states, the first two let the next
 * statement be sent at once; the others mean that the driver has to end the
 * answer before that, see call_drain().
 *
 * conn_open():
 *   CLOSED -> IDLE       the session is open
 *   CLOSED               the object is freed: it could not be opened
 * conn_query(), stmt_execute() in IDLE or ROWS, whose result set ends:
 *   -> IDLE              no result set
 *   -> ROWS              a result set, and the whole answer is here
 *   -> ROWS_REST         a result set; the driver still holds a part of it
 *   -> ROWS_MORE, MORE   ... and further results come; the first result was a
 *                        result set, or was none
 * conn_next_result() in ROWS_MORE, MORE:
 *   -> ROWS_REST, REST   the last result: a result set, or none
 *   -> ROWS_MORE, MORE   one of them with further ones
 *   -> REST              there was none
 * conn_free_results(), and the end of stmt_run():
 *   ROWS -> IDLE, ROWS_REST -> REST, ROWS_MORE -> MORE
 * call_drain(), before the next statement or at the end of the event:
 *   ROWS_REST, ROWS_MORE, MORE, REST -> IDLE
 * A failure that leaves the session open:
 *   IDLE, ROWS -> IDLE, all other open states -> REST
 * A failure that loses the session, and transport_drop():
 *   open -> LOST
 * A loss that is ignorable, and conn_forgive():
 *   LOST -> IDLE         transport_retry() has replaced the session
 *   LOST                 it could not
 * conn_close():
 *   open, LOST -> CLOSED
 * conn_reconnect():
 *   open, LOST, CLOSED -> LOST -> IDLE, or it stays LOST
 * conn_free():
 *   all -> FREED         statement objects may still hold the memory
 * With a pool (pool.h), the session is that of a lease:
 *   AWAY -> IDLE, LOST   broker_take(): the session was open, or was not
 *   open, LOST -> AWAY   broker_release()
 */
enum conn_state {
  CONN_IDLE, /* open: nothing is left of the statement before */
  CONN_ROWS, /* open: rows can be fetched */
  CONN_ROWS_REST,
  CONN_ROWS_MORE,
  CONN_MORE, /* no rows; further results are pending */
  CONN_REST, /* no rows and no results: the driver has to end the answer */
  CONN_LOST, /* the session is gone, and the script has not closed it */
  CONN_AWAY, /* others may have the session: the next statement leases one */
  CONN_CLOSED,
  CONN_FREED, /* closed for good: its owner has given it up */
};

/*
 * What is to be done before the next statement; bits that no state has, so that
 * one comparison tells that there is nothing: see exec_needs_care().
 */
enum conn_owed {
  CONN_OWES_ROLLBACK = 1 << 4, /* before the next transaction */
  CONN_OWES_MESSAGE = 1 << 5,  /* a fatal one was not printed or taken yet */
  CONN_OWES_CANCEL = 1 << 6,   /* the call before took too long, and a cancel
                                * may still come */
  /* Results that were dropped held a failure, of which the script has not
   * heard: `fail`.  It is fatal, or the event starts again. */
  CONN_OWES_ERROR = 1 << 7,
  CONN_OWES_RESTART = 1 << 8,
  CONN_OWES_FAILURE = CONN_OWES_ERROR | CONN_OWES_RESTART,
  CONN_OWES_LOOK = 1 << 9, /* rows may be read just now: call_disturbs() */
};

enum {
  FAILURE_TEXT = 1024, /* of a failure, with the terminator */
};

/* Why the last call failed. */
struct failure {
  int code;
  char state[6];
  bool lost;        /* the connection broke */
  bool reconnected; /* ... and was replaced */
  bool abandoned;   /* the run is over: leave the event, raise no error */
  bool earlier;     /* an earlier statement has failed; this one was not sent */
  const char
    *api_error;     /* the text to raise when it was no SQL error; static */
  const char *text; /* = sql_errmsg; see conn_fail_text() */
};

enum pipe_end {
  PIPE_SKIPPED, /* not executed; 0, as long as nothing else is known */
  PIPE_DONE,
  PIPE_FAILED,
  PIPE_UNKNOWN, /* sent, and the connection broke before its answer */
};

struct pipe_item {
  struct stmt *st; /* NULL: a text */
  void *cls;
  size_t at, len;   /* in `said`: the text, or the values */
  unsigned binding; /* of the statement, when the values were taken */
  enum pipe_end end;
  enum counter counter;
  uint32_t nfields;
  uint64_t nrows, taken;
  uint64_t rows_left;
  size_t heard_at; /* in `heard`: the next row, or the text of the failure */
  bool saves;      /* `saved_at` is where the statement's own values are */
  size_t saved_at;
};

struct pipeline {
  struct pipe_item *items; /* owned */
  size_t n, room;
  struct strbuf said;  /* texts and values */
  struct strbuf heard; /* rows and texts of failures */
  unsigned number;
  bool open;
  size_t failed; /* the statement whose failure counts */
};

enum {
  BULK_PACKET = 524287,   /* bytes of a statement inside a run */
  BULK_TRX_ROWS = 100000, /* rows of a transaction of the layer's own */
};

/* The bulk insert of a connection. */
struct bulk {
  bool active;
  bool own_trx;              /* the layer began a transaction */
  size_t prefix_len;         /* everything before the rows */
  size_t limit;              /* bytes of a packet */
  uint64_t rows;             /* in `text` */
  struct recorder *recorder; /* counts their statement; [opt] */
  uint64_t trx_rows;         /* sent in the layer's transaction */
  uint64_t event;            /* the last one that has added rows */
  uint64_t event_rows;       /* `rows` when it began, and how much of `text` */
  size_t event_len;
  struct strbuf text;
};

struct conn {
  struct conn_pub pub; /* what scripts see; first */
  struct db_env *env;
  struct driver_handle *handle;
  const struct driver *driver;
  /* Owned.  With a pool: borrowed from `lease`, or the closed session of the
   * pool while there is no lease. */
  struct session *session;
  struct pool *pool;          /* [opt] sessions are leased from it */
  struct pool_session *lease; /* [opt] the one that it has */
  enum conn_state state;
  unsigned owed;       /* enum conn_owed */
  unsigned generation; /* counts successful connects */
  unsigned first;      /* attempts begin at this target: session->attempt */
  unsigned sized;      /* `sizes` is of this generation; 0: of none */
  struct statement_sizes sizes;
  bool visitor, left_to_library; /* see visit.h */
  bool opens;                    /* the first opening is in progress */
  uint64_t turn_ns; /* while `opens`: transport_deadline() at its begin */
  bool copies;      /* a copy is open: see copy.h */
  unsigned refs;    /* the owner and each statement object */
  struct conn *next, *prev;  /* in the env's list */
  struct conn_stmt *stmts;   /* live and closed ones, all of this connection */
  struct conn_params params; /* owned texts */
  void *cls;                 /* class of the next direct statement */

  struct outcome out; /* of the last call */
  sql_result rs;      /* the one result set */
  sql_value *values;  /* owned; room for `values_room` columns */
  uint32_t values_room;

  struct failure fail;
  char *said; /* owned, NULL until it is needed: [FAILURE_TEXT] for fail.text,
               * which scripts may look at later */
  struct strbuf message; /* fatal lines that were not printed yet */
  char message_code[16];
  struct strbuf text;      /* of emulated statements */
  struct strbuf no_answer; /* what the last server did not say */
  struct bulk bulk;
  struct pipeline *pipe;   /* owned; NULL: there was none */
  struct watched *watched; /* of the session */
  struct watched own_watched;
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

/* It goes to a server of the lists of hosts and ports, and to none that the
 * script names. */
static inline bool conn_is_listed(const struct conn *c)
{
  return !c->params.host && !c->params.socket;
}
static inline bool conn_is_open(const struct conn *c)
{
  return c->state < CONN_LOST;
}
/* The script has closed it, or never opened it. */
static inline bool conn_is_closed(const struct conn *c)
{
  return c->state >= CONN_CLOSED;
}
/* Its calls have to fail at once: the deadline has passed. */
static inline bool conn_is_dead(const struct conn *c)
{
  return atomic_load_explicit(c->watched->deadline, memory_order_relaxed) != 0;
}
/* Rows can be fetched. */
static inline bool conn_has_rows(const struct conn *c)
{
  return c->state >= CONN_ROWS && c->state <= CONN_ROWS_MORE;
}
/* Further results are pending. */
static inline bool conn_has_more(const struct conn *c)
{
  return c->state == CONN_ROWS_MORE || c->state == CONN_MORE;
}
/* The driver has to end the answer. */
static inline bool conn_has_rest(const struct conn *c)
{
  return c->state >= CONN_ROWS_REST && c->state <= CONN_REST;
}

/* A new object in the list of the thread, closed, with one reference.  NULL: no
 * memory.  `params` may be NULL; it is copied. */
struct conn *conn_new(struct driver_handle *h,
                      const struct conn_params *params);
/* The same for one that leases its sessions from the pool of the thread, which
 * broker_open() has made ready. */
struct conn *conn_new_pooled(struct driver_handle *h);

/* A reference is gone: that of the owner, or of a statement object.  The last
 * one frees the memory. */
void conn_unref(struct conn *c);
/* Set c->fail.text.  Its place in memory stays the same, as scripts may have it
 * in `sql_errmsg`. */
void conn_fail_text(struct conn *c, const char *text);

#endif
