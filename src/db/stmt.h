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

/* NULL on failure, details as conn_query(). */
struct stmt *stmt_prepare(struct conn *c, const char *sql, size_t len);

/*
 * Bind all parameters in order; the array is copied, the buffers must live
 * until the next bind or close.  Types as sql_bind_type_t without dates.  0,
 * or 1 and details in the connection; a wrong number: conn_failure() has the
 * api_error, and the numbers are stmt->n_params and n.
 */
int stmt_bind(struct stmt *st, const sql_bind *binds, size_t n);

/*
 * As conn_query().  api_error is "parameters are not bound" or "attempt to
 * use a closed statement" in these cases.
 */
sql_result *stmt_execute(struct stmt *st);
/* The same for callers that want no rows: they are counted, and the result set
 * has ended.  False: it failed. */
bool stmt_run(struct stmt *st);
sql_result *stmt_next_result(struct stmt *st);

static inline void stmt_set_class(struct stmt *st, void *cls)
{
  st->cls = cls;
}

/* 0 always: also the second time, and on a closed connection (ALERT). */
int stmt_close(struct stmt *st);
/* Close if need be, silently, and free the object; does not end the result set
 * of another statement (for finalizers). */
void stmt_free(struct stmt *st);

#endif
