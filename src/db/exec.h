/*
 * exec.h - before and after a statement's call of the driver (for src/db only).
 */
#ifndef BENCH_DB_EXEC_H
#define BENCH_DB_EXEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/ffi_api.h"
#include "db/call.h"

struct conn;
struct emul_scan;

static inline bool exec_needs_care(const struct conn *c)
{
  return UNLIKELY(((unsigned)c->state | c->owed) > CONN_ROWS ||
                  conn_is_dead(c));
}

/*
 * Prints a due message, refuses closed connections, leases a session, rolls
 * back before `sql` begins a transaction, lets a late cancel pass, and ends
 * results (only pending ones if `keep_rows`).  False: the call has failed.
 */
bool exec_take_care(struct conn *c, const char *sql, size_t len,
                    bool keep_rows);

struct exec {
  enum call call;
  sql_statement *stmt; /* NULL: direct */
  void *cls;
  const char *sql;
  size_t len;
  uint64_t start_ns; /* 0: not timed */
};

sql_result *exec_end(struct conn *c, int rc, const struct exec *info);

void exec_sample(struct conn *c, const struct exec *info, bool failed);
/* False: no memory. */
bool exec_make_room(struct conn *c, uint32_t nfields);
/* `sql` has succeeded: the transaction's end clears the mark, with AND CHAIN
 * too. */
void exec_clear_mark(struct conn *c, const char *sql, size_t len);
/* By the first words: BEGIN, START; COMMIT, END, ROLLBACK. */
bool exec_begins_transaction(const struct conn *c, const char *sql, size_t len);
bool exec_ends_transaction(const struct conn *c, const char *sql, size_t len);

sql_result *exec_next(struct conn *c, enum call call, sql_statement *stmt);

/* There is room for the rows of c->out. */
static inline sql_result *exec_open_rows(struct conn *c, sql_statement *stmt)
{
  const struct outcome *out = &c->out;

  if (UNLIKELY(out->nrows == 0))
    call_count(c, COUNTER_READ_EMPTY);
  c->state = CONN_ROWS;
  c->rs.counter = (sb_counter_type)out->counter;
  c->rs.nrows = out->nrows > UINT32_MAX ? UINT32_MAX : (uint32_t)out->nrows;
  c->rs.nfields = out->nfields;
  c->rs.statement = stmt;
  if (c->env->in_finalizer && !c->session->unread)
    c->owed |= CONN_OWES_LOOK;
  return &c->rs;
}

static inline bool exec_is_plain(const struct conn *c, int rc,
                                 uint64_t start_ns)
{
  const struct outcome *out = &c->out;

  return LIKELY(rc == 0 && start_ns == 0 && c->owed == 0 && !out->more &&
                (out->counter != COUNTER_READ ||
                 (out->settled && out->nfields <= c->values_room)));
}

/* `stmt` NULL: direct. */
static inline sql_result *exec_end_plain(struct conn *c, sql_statement *stmt)
{
  call_count(c, c->out.counter);
  call_no_error(c);
  if (c->out.counter == COUNTER_READ)
    return exec_open_rows(c, stmt);
  call_idle(c);
  return NULL;
}

/* To c->text.  `scan` follows the session's dialect.  False: the connection's
 * failure. */
bool exec_literals(struct conn *c, struct emul_scan *scan, const char *sql,
                   size_t len, const sql_bind *binds, size_t n);

#endif
