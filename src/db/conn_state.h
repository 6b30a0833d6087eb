/*
 * conn_state.h - a connection, and its states.
 */
#ifndef BENCH_DB_CONN_STATE_H
#define BENCH_DB_CONN_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ffi_api.h"
#include "base/strbuf.h"
#include "db/driver.h"
#include "db/env.h"
#include "db/pool.h"
#include "db/watch.h"

struct stmt;

/*
 * In CONN_IDLE and CONN_ROWS the next statement can be sent.  In the other open
 * states the answer has to end first: call_drain().
 *
 * conn_query(), stmt_execute() in IDLE or ROWS, whose result set ends:
 *   -> IDLE              no result set
 *   -> ROWS              a result set, completely received
 *   -> ROWS_REST         a result set, partly received
 *   -> ROWS_MORE, MORE   with or without a result set; more results follow
 * conn_next_result() in ROWS_MORE, MORE:
 *   -> ROWS_REST, REST   the last result: a result set, or none
 *   -> ROWS_MORE, MORE   more results follow
 *   -> REST              no result
 * conn_free_results(), and the end of stmt_run():
 *   ROWS -> IDLE, ROWS_REST -> REST, ROWS_MORE -> MORE
 * call_drain(), before the next statement or at the end of the event:
 *   ROWS_REST, ROWS_MORE, MORE, REST -> IDLE
 * A failure that leaves the session open:
 *   IDLE, ROWS -> IDLE, all other open states -> REST
 * A failure that loses the session, and transport_drop():
 *   open -> LOST
 * An ignorable loss, and conn_forgive():
 *   LOST -> IDLE
 * conn_reconnect():
 *   open, LOST, CLOSED -> LOST -> IDLE, or LOST
 * With a pool:
 *   AWAY -> IDLE, LOST   broker_take()
 *   open, LOST -> AWAY   broker_release()
 */
enum conn_state {
  CONN_IDLE,
  CONN_ROWS,
  CONN_ROWS_REST,
  CONN_ROWS_MORE,
  CONN_MORE,
  CONN_REST, /* only the answer has to end */
  CONN_LOST, /* not closed by the script */
  CONN_AWAY, /* without a session of the pool */
  CONN_CLOSED,
  CONN_FREED, /* statements can hold the memory */
};

/* To do before the next statement.  No state has these bits, for
 * exec_needs_care(). */
enum conn_owed {
  CONN_OWES_ROLLBACK = 1 << 4, /* before the next transaction */
  CONN_OWES_MESSAGE = 1 << 5,
  CONN_OWES_CANCEL = 1 << 6, /* a cancel can still come */
  /* A failure among dropped results, which the script has not seen: fatal, or a
   * restart. */
  CONN_OWES_ERROR = 1 << 7,
  CONN_OWES_RESTART = 1 << 8,
  CONN_OWES_FAILURE = CONN_OWES_ERROR | CONN_OWES_RESTART,
  CONN_OWES_LOOK = 1 << 9, /* see call_disturbs() */
};

enum {
  FAILURE_TEXT = 1024, /* bytes */
};

struct failure {
  int code;
  char state[6];
  bool lost;
  bool reconnected;      /* lost and replaced */
  bool abandoned;        /* leave the event, raise no error */
  bool earlier;          /* of an earlier statement; this one was not sent */
  const char *api_error; /* misuse: the text to raise; static */
  const char *text;      /* = sql_errmsg */
};

enum pipe_end {
  PIPE_SKIPPED, /* not executed; must be 0 */
  PIPE_DONE,
  PIPE_FAILED,
  PIPE_UNKNOWN, /* broke before its answer */
};

struct pipe_item {
  struct stmt *st; /* NULL: a text */
  void *cls;
  size_t at, len; /* its text or values in `said` */
  unsigned binding;
  enum pipe_end end;
  enum counter counter;
  uint32_t nfields;
  uint64_t nrows, taken;
  uint64_t rows_left;
  size_t heard_at; /* its next row or failure in `heard` */
  bool saves;      /* has the statement's own values */
  size_t saved_at;
};

struct pipeline {
  struct pipe_item *items; /* owned */
  size_t n, room;
  struct strbuf said;
  struct strbuf heard;
  unsigned number;
  bool open;
  size_t failed;
};

enum {
  BULK_PACKET = 524287,
  BULK_TRX_ROWS = 100000,
};

struct bulk {
  bool active;
  bool own_trx;
  size_t prefix_len;
  size_t limit;
  uint64_t rows;
  struct recorder *recorder; /* [opt] */
  uint64_t trx_rows;
  uint64_t event;
  uint64_t event_rows;
  size_t event_len;
  struct strbuf text;
};

struct conn {
  struct conn_pub pub; /* for scripts; must be first */
  struct db_env *env;
  struct driver_handle *handle;
  const struct driver *driver;
  /* Owned.  With a pool: the session of `lease`, or the closed pool.nobody. */
  struct session *session;
  struct pool *pool;          /* [opt] */
  struct pool_session *lease; /* [opt] */
  enum conn_state state;
  unsigned owed;
  unsigned generation; /* counts successful connects */
  unsigned first;      /* first value of session->attempt */
  unsigned sized;      /* generation of `sizes`; 0: not valid */
  struct statement_sizes sizes;
  bool visitor, left_to_library; /* see visit.h */
  bool opens;
  uint64_t turn_ns; /* transport_deadline() before the first opening */
  bool copies;
  unsigned refs;
  struct conn *next, *prev;
  struct conn_stmt *stmts;
  struct conn_params params; /* owned texts */
  void *cls;

  struct outcome out;
  sql_result rs;
  sql_value *values; /* owned; [values_room] */
  uint32_t values_room;

  struct failure fail;
  char *said; /* owned; NULL or [FAILURE_TEXT]: fail.text, which scripts can
               * read later */
  struct strbuf message;
  char message_code[16];
  struct strbuf text;
  struct strbuf no_answer; /* why a server was not used */
  struct bulk bulk;
  struct pipeline *pipe; /* owned; [opt] */
  struct watched *watched;
  struct watched own_watched;
};

static inline sql_connection *conn_abi(struct conn *c)
{
  return (sql_connection *)(void *)c;
}

static inline struct conn *conn_of(sql_connection *con)
{
  return (struct conn *)(void *)con;
}

/* Does its server come from the options' lists? */
static inline bool conn_is_listed(const struct conn *c)
{
  return !c->params.host && !c->params.socket;
}

static inline bool conn_is_open(const struct conn *c)
{
  return c->state < CONN_LOST;
}

/* Or never opened. */
static inline bool conn_is_closed(const struct conn *c)
{
  return c->state >= CONN_CLOSED;
}

static inline bool conn_is_dead(const struct conn *c)
{
  return atomic_load_explicit(c->watched->deadline, memory_order_relaxed) != 0;
}

static inline bool conn_has_rows(const struct conn *c)
{
  return c->state >= CONN_ROWS && c->state <= CONN_ROWS_MORE;
}

static inline bool conn_has_more(const struct conn *c)
{
  return c->state == CONN_ROWS_MORE || c->state == CONN_MORE;
}

static inline bool conn_has_rest(const struct conn *c)
{
  return c->state >= CONN_ROWS_REST && c->state <= CONN_REST;
}

/* Closed, one reference.  NULL: no memory.  `params` is copied, can be NULL. */
struct conn *conn_new(struct driver_handle *h,
                      const struct conn_params *params);
struct conn *conn_new_pooled(struct driver_handle *h);

void conn_unref(struct conn *c);
/* In place: scripts can hold the text as `sql_errmsg`. */
void conn_fail_text(struct conn *c, const char *text);
void conn_show_failure(struct conn *c);
/* A failure with this text, also for scripts. */
void conn_fail(struct conn *c, const char *text);

#endif
