/*
 * stmt.h - prepared statements, native or emulated.
 *
 * A closed object is safe to touch: its memory, and that of its connection,
 * lives until stmt_free() or env_done().  After its connection was replaced,
 * the next use prepares the statement again.
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
  struct stmt_pub pub; /* for scripts; first */
  struct conn *conn;
  struct conn_stmt native; /* in the connection's list */
  char *sql;               /* owned, zero-terminated */
  size_t len;
  bool closed;
  bool emulated;
  bool bound;
  unsigned generation; /* of the connection when it was prepared */
  unsigned
    quick; /* generation in which it is native, ready and bound; 0: none */
  unsigned n_params;     /* or PARAMS_ANY */
  struct emul_scan scan; /* of emulated ones */
  sql_bind *binds;       /* owned copy of the descriptors */
  size_t n_binds, binds_room;
  unsigned binding; /* counts calls of stmt_bind() */
  unsigned saved;   /* number of the pipeline that keeps the script's values */
  void *cls;
};

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

/* NULL: failed as conn_query(). */
struct stmt *stmt_prepare(struct conn *c, const char *sql, size_t len);

/*
 * Bind all parameters; the array is copied, buffers must live until the next
 * bind or close.  All types but dates.  0, or 1 and the connection's failure;
 * after a wrong number stmt->n_params were expected.
 */
int stmt_bind(struct stmt *st, const sql_bind *binds, size_t n);

/* As conn_query().  The api_error may be "parameters are not bound" or "attempt
 * to use a closed statement". */
sql_result *stmt_execute(struct stmt *st);
/* Rows are only counted, and the result set ends.  False: failed. */
bool stmt_run(struct stmt *st);
sql_result *stmt_next_result(struct stmt *st);

/* Prepared in the present session, with its parameters; WAITS.  False: failed,
 * details in the connection. */
bool stmt_ready(struct stmt *st);

static inline void stmt_set_class(struct stmt *st, void *cls)
{
  st->cls = cls;
}

/* Stays prepared without a user: buffers need not live longer. */
void stmt_unbind(struct stmt *st);

/* Always 0; an ALERT on a closed connection. */
int stmt_close(struct stmt *st);
/* Close silently, and free the object; results of other statements stay (for
 * finalizers). */
void stmt_free(struct stmt *st);

#endif
