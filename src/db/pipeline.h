/*
 * pipeline.h - several statements in flight.
 *
 * Results stay until the connection's next pipeline begins.  Sessions without
 * pipelines execute statements in turn.  In PostgreSQL each then commits by
 * itself outside a transaction, but a pipeline is one transaction.
 *
 * Counters, classes and time limits are those of single statements.  After all
 * answers the first failure counts, unless the connection breaks.  With
 * DRIVER_GOES_ON the server continues after a failure.
 */
#ifndef BENCH_DB_PIPELINE_H
#define BENCH_DB_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ffi_api.h"
#include "db/conn_state.h"

struct stmt;

struct pipe_result {
  enum pipe_end end;
  enum counter counter;
  uint32_t nfields;
  uint64_t nrows;
  uint64_t taken;   /* rows changed: see outcome.h */
  const char *text; /* or why unknown; until the next pipeline */
};

/* Returns its number; 0: one is open, or no memory. */
unsigned pipeline_open(struct conn *c);

/* Copies the current values.  NULL, or why not (static).  `st` lives until
 * pipeline_run(). */
const char *pipeline_query(struct conn *c, const char *sql, size_t len,
                           void *cls);
const char *pipeline_execute(struct conn *c, struct stmt *st);

void pipeline_drop(struct conn *c);

/* WAITS.  False: as after conn_query(), see pipeline_failed().  Without `keep`
 * rows are only counted. */
bool pipeline_run(struct conn *c, bool keep);

/* Executions of one statement, in few requests, each one statement for counters
 * and classes.  Returns rows changed, as far as known; -1: failed. */
double pipeline_run_bulk(struct conn *c);

unsigned pipeline_number(const struct conn *c);
struct pipe_result pipeline_result(const struct conn *c, size_t i);
/* Valid until the next call on the connection; NULL: none. */
const sql_value *pipeline_fetch(struct conn *c, size_t i);
size_t pipeline_failed(const struct conn *c, const char **ret_sql,
                       size_t *ret_len);

#endif
