/*
 * pipeline.h - several statements in flight: they are queued, then sent without
 * waiting for the answers to those before them.
 *
 * A connection has one pipeline at a time.  Its results stay until the next one
 * begins.  Where a session cannot do it (no server, or a client library serves
 * it), statements are executed one after another, with the same results; but
 * with PostgreSQL each then commits by itself outside of a transaction, while a
 * pipeline in flight is one transaction.
 *
 * Statements are treated as single ones are: counters, classes, time limits.  A
 * failure is that of the pipeline, and what has to follow it is done when all
 * answers were read.  Of several failures the first one counts, unless the
 * connection breaks; the others are only counted.  With DRIVER_GOES_ON the
 * server executes what follows a failure; otherwise it is skipped.
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

/* What became of a statement. */
struct pipe_result {
  enum pipe_end end;
  enum counter counter;
  uint32_t nfields;
  uint64_t nrows;
  uint64_t taken;   /* rows that it has changed, see outcome.h */
  const char *text; /* of a failure, or why it is unknown; until the next
                     * pipeline */
};

/*
 * Begin: what the last pipeline has left goes.  Returns its number, never 0; 0:
 * one is open, or there is no memory.
 */
unsigned pipeline_open(struct conn *c);

/*
 * Add a statement; values of parameters are those of now.  `cls` as for
 * conn_set_class().  NULL, or why it cannot be added (static).  `st` must live
 * until pipeline_run().
 */
const char *pipeline_query(struct conn *c, const char *sql, size_t len,
                           void *cls);
const char *pipeline_execute(struct conn *c, struct stmt *st);

/* Nothing is sent, and the pipeline has ended. */
void pipeline_drop(struct conn *c);

/*
 * Execute what was added; WAITS.  False: a failure, with details as after
 * conn_query(); pipeline_failed() says which statement's.  `keep`: the results
 * can be read afterwards; without, rows are only counted.
 */
bool pipeline_run(struct conn *c, bool keep);

/*
 * The same for executions of one statement, with as few requests as the driver
 * can.  What is done by one request is one statement for counters and classes.
 * Returns how many rows were changed, as far as the driver knows; -1: it
 * failed.
 */
double pipeline_run_bulk(struct conn *c);

/* ---- afterwards ---- */

unsigned pipeline_number(const struct conn *c);
struct pipe_result pipeline_result(const struct conn *c, size_t i);
/* The next row of the result, valid until the next call on the connection;
 * NULL: none is left. */
const sql_value *pipeline_fetch(struct conn *c, size_t i);
/* The statement whose failure was reported; its text in *ret_sql. */
size_t pipeline_failed(const struct conn *c, const char **ret_sql,
                       size_t *ret_len);

#endif
