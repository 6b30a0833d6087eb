/*
 * conn_state.h - what a connection is made of, and its states.
 */
#ifndef BENCH_DB_CONN_STATE_H
#define BENCH_DB_CONN_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ffi_api.h"
#include "base/strbuf.h"
#include "db/abi.h"
#include "db/bulk_rows.h"
#include "db/driver.h"
#include "db/env.h"
#include "db/watch.h"

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

/* What a connection knows of its statements: enough to forget them with the
 * session that they were prepared in. */
struct conn_stmt {
  struct conn_stmt *next, *prev;
  struct prepared *prepared; /* owned by the statement; NULL when emulated */
  bool ready;                /* prepared in a session of this connection */
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
  struct conn_stmt *stmts;   /* live and closed ones, all of this connection */
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

/* A new object in the list of the thread, closed, with one reference.  NULL: no
 * memory.  `params` may be NULL; it is copied. */
struct conn *conn_new(struct driver_handle *h,
                      const struct conn_params *params);

/* A reference is gone: that of the owner, or of a statement object.  The last
 * one frees the memory. */
void conn_unref(struct conn *c);

#endif
