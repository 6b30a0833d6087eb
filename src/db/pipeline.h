/*
 * pipeline.h - several statements in flight: queued, then sent without waiting
 * for earlier answers.
 *
 * A connection has one pipeline at a time; its results stay until the next
 * begins.  Where a session cannot, statements are executed in turn with the
 * same results; but in PostgreSQL each then commits by itself outside a
 * transaction, while a pipeline in flight is one transaction.
 *
 * Counters, classes and time limits are those of single statements.  A failure
 * is that of the pipeline, and is treated after all answers.  The first failure
 * counts, unless the connection breaks; others are only counted.  With
 * DRIVER_GOES_ON the server executes what follows a failure, otherwise that is
 * skipped.
 */
#ifndef BENCH_DB_PIPELINE_H
#define BENCH_DB_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ffi_api.h"
#include "db/conn_state.h"

struct conn;
struct stmt;

struct pipe_result {
  enum pipe_end end;
  enum counter counter;
  uint32_t nfields;
  uint64_t nrows;
  uint64_t taken;   /* rows changed: see outcome.h */
  const char *text; /* of a failure, or why unknown; until the next pipeline */
};

/* Begin; the results of the last one go.  Returns its number; 0: one is open,
 * or no memory. */
unsigned pipeline_open(struct conn *c);

/* Add a statement with the present values.  `cls`: see conn_set_class().  NULL,
 * or why not (static).  `st` must live until pipeline_run(). */
const char *pipeline_query(struct conn *c, const char *sql, size_t len,
                           void *cls);
const char *pipeline_execute(struct conn *c, struct stmt *st);

/* Ended, nothing is sent. */
void pipeline_drop(struct conn *c);

/* WAITS.  False: a failure as after conn_query(), of the statement of
 * pipeline_failed().  `keep` the results; else rows are only counted. */
bool pipeline_run(struct conn *c, bool keep);

/*
 * Executions of one statement, with the fewest requests; each request is one
 * statement for counters and classes.  Returns the rows changed, as far as
 * known; -1: failed.
 */
double pipeline_run_bulk(struct conn *c);

unsigned pipeline_number(const struct conn *c);
struct pipe_result pipeline_result(const struct conn *c, size_t i);
/* The next row, valid until the next call on the connection; NULL: none. */
const sql_value *pipeline_fetch(struct conn *c, size_t i);
/* The statement whose failure was reported. */
size_t pipeline_failed(const struct conn *c, const char **ret_sql,
                       size_t *ret_len);

#endif
