/*
 * abi_pipeline.c - con:pipeline() and statement:execute_bulk().
 */
#include "base/ffi_api.h"
#include "db/conn_state.h"
#include "db/pipeline.h"
#include "db/stmt.h"

/* 0: another pipeline is open, or no memory. */
double bench_pipeline_open(sql_connection *con)
{
  return pipeline_open(conn_of(con));
}

void bench_pipeline_drop(sql_connection *con)
{
  pipeline_drop(conn_of(con));
}

/* NULL, or why the statement cannot be added. */
const char *bench_pipeline_query(sql_connection *con, const char *query,
                                 size_t len, void *cls)
{
  return pipeline_query(conn_of(con), query, len, cls);
}

const char *bench_pipeline_execute(sql_connection *con, sql_statement *stmt)
{
  return pipeline_execute(conn_of(con), stmt_of(stmt));
}

bool bench_pipeline_run(sql_connection *con)
{
  return pipeline_run(conn_of(con), true);
}

/* Changed rows; -1: a failure. */
double bench_pipeline_run_bulk(sql_connection *con)
{
  return pipeline_run_bulk(conn_of(con));
}

double bench_pipeline_number(sql_connection *con)
{
  return pipeline_number(conn_of(con));
}

/* 1 done, 0 skipped, -1 failed or unknown; *ret_text has the reason. */
int bench_pipeline_result(sql_connection *con, double index, double *ret_nrows,
                          double *ret_nfields, const char **ret_text)
{
  const bool is_index = index >= 0 && index < (double)(SIZE_MAX / 2);
  const struct pipe_result r = pipeline_result(
    conn_of(con), is_index ? (size_t)index : SIZE_MAX);

  *ret_nrows = (double)r.nrows;
  *ret_nfields = r.counter == COUNTER_READ ? (double)r.nfields : -1;
  *ret_text = r.text;
  if (r.end == PIPE_DONE)
    return 1;
  return r.end == PIPE_SKIPPED ? 0 : -1;
}

const sql_value *bench_pipeline_fetch(sql_connection *con, double index)
{
  return pipeline_fetch(conn_of(con), (size_t)index);
}

const char *bench_pipeline_failed(sql_connection *con, size_t *ret_len)
{
  const char *sql;

  (void)pipeline_failed(conn_of(con), &sql, ret_len);
  return sql;
}
