/*
 * stmt.h - prepared statements, native or emulated.
 *
 * A statement object is closed by stmt_close(); its memory lives until
 * stmt_free() or env_done(), so that a closed one is safe to touch, and it
 * keeps the memory of its connection.  When its connection is replaced, its
 * next use prepares it again.
 */
#ifndef BENCH_DB_STMT_H
#define BENCH_DB_STMT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/ffi_api.h"
#include "db/abi.h"
#include "db/conn_state.h"
#include "db/emul.h"

struct stmt {
  struct stmt_pub pub; /* what scripts see; first */
  struct conn *conn;
  struct conn_stmt native; /* in the list of the connection */
  char *sql;               /* owned, zero-terminated */
  size_t len;
  bool closed;
  bool emulated;
  bool bound;
  unsigned generation;   /* of the connection, when it was prepared */
  unsigned quick;        /* generation in which it is known to be native, ready
                          * and bound; 0: none */
  unsigned n_params;     /* PARAMS_ANY: any */
  struct emul_scan scan; /* of emulated ones */
  sql_bind *binds;       /* owned copy of the descriptors */
  size_t n_binds, binds_room;
  unsigned binding; /* counts how often parameters were bound */
  unsigned saved;   /* the pipeline that keeps the script's values */
  void *cls;
};

/* What scripts hold, and back. */
static inline sql_statement *stmt_abi(struct stmt *st)
{
  return (sql_statement *)(void *)st;
}
static inline struct stmt *stmt_of(sql_statement *stmt)
{
  return (struct stmt *)(void *)stmt;
}

static inline struct stmt *stmt_listed(struct conn_stmt *native)
{
  return (struct stmt *)(void *)((char *)native -
                                 offsetof(struct stmt, native));
}

/* NULL on failure, with details as after conn_query(). */
struct stmt *stmt_prepare(struct conn *c, const char *sql, size_t len);

/*
 * Bind all parameters in order; the array is copied, the buffers must live
 * until the next bind or close.  All types but dates are allowed.  0, or 1 and
 * details in the connection.  If the number is wrong, conn_failure() has the
 * api_error; stmt->n_params were expected.
 */
int stmt_bind(struct stmt *st, const sql_bind *binds, size_t n);

/*
 * Returns what conn_query() does.  The api_error may be "parameters are not
 * bound" or "attempt to use a closed statement".
 */
sql_result *stmt_execute(struct stmt *st);
/* The same for callers that want no rows: rows are only counted, and the result
 * set ends.  False: it failed. */
bool stmt_run(struct stmt *st);
sql_result *stmt_next_result(struct stmt *st);

/* Prepares the statement in the present session, with its parameters, unless
 * that was done; WAITS.  False: it failed, with details in the connection. */
bool stmt_ready(struct stmt *st);

static inline void stmt_set_class(struct stmt *st, void *cls)
{
  st->cls = cls;
}

/* It stays prepared, and nobody will execute it: the buffers need not live any
 * longer. */
void stmt_unbind(struct stmt *st);

/* Always 0, also when it was closed before; an ALERT on a closed connection. */
int stmt_close(struct stmt *st);
/* Close if need be, silently, and free the object; does not end the result set
 * of another statement (for finalizers). */
void stmt_free(struct stmt *st);

#endif
