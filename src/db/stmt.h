/*
 * stmt.h - prepared statements, native or emulated.  Scripts can touch a closed
 * object until stmt_free() or env_done().  After a reconnect the next use
 * prepares again.
 */
#ifndef BENCH_DB_STMT_H
#define BENCH_DB_STMT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/ffi_api.h"
#include "db/conn_state.h"
#include "db/emul.h"

struct stmt {
  struct stmt_pub pub; /* for scripts; first */
  struct conn *conn;
  struct conn_stmt native;
  char *sql;
  size_t len;
  bool closed;
  bool emulated;
  bool bound;
  unsigned generation;
  unsigned quick;        /* generation: native, ready and bound; 0: none */
  unsigned n_params;     /* or PARAMS_ANY */
  struct emul_scan scan; /* emulated only */
  sql_bind *binds;       /* owned */
  size_t n_binds, binds_room;
  unsigned binding;
  unsigned saved; /* by this pipeline */
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

struct stmt *stmt_prepare(struct conn *c, const char *sql, size_t len);

/* Copies the array; the buffers live until the next bind or close.  No dates.
 * 0, or 1 and the connection's failure; expects stmt->n_params. */
int stmt_bind(struct stmt *st, const sql_bind *binds, size_t n);

sql_result *stmt_execute(struct stmt *st);
/* Only counts rows.  False: failed. */
bool stmt_run(struct stmt *st);
sql_result *stmt_next_result(struct stmt *st);

/* In the current session, with parameters; WAITS.  False: failed. */
bool stmt_ready(struct stmt *st);

static inline void stmt_set_class(struct stmt *st, void *cls)
{
  st->cls = cls;
}

/* After it the buffers need not live longer. */
void stmt_unbind(struct stmt *st);

/* Always 0; ALERT if the connection is closed. */
int stmt_close(struct stmt *st);
/* Silent; results of other statements stay (for finalizers). */
void stmt_free(struct stmt *st);

#endif
