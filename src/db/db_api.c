/*
 * db_api.c - the functions of the FFI; accept NULL objects.
 */

#include "base/compiler.h"
#include "base/ffi_api.h"
#include "db/bulk.h"
#include "db/conn.h"
#include "db/env.h"
#include "db/stmt.h"

SCRIPT_ABI sql_driver *db_create(const char *name)
{
  struct db_env *env = env_current();

  return env ? (sql_driver *)(void *)env_driver(env, name) : NULL;
}

SCRIPT_ABI int db_destroy(sql_driver *drv)
{
  (void)drv;
  return 0;
}

SCRIPT_ABI sql_connection *db_connection_create(sql_driver *drv)
{
  struct driver_handle *h = (struct driver_handle *)(void *)drv;

  return h ? conn_abi(conn_open(h, NULL)) : NULL;
}

SCRIPT_ABI int db_connection_close(sql_connection *con)
{
  return con ? conn_close(conn_of(con)) : 1;
}

SCRIPT_ABI int db_connection_reconnect(sql_connection *con)
{
  return con ? conn_reconnect(conn_of(con)) : 1;
}

SCRIPT_ABI void db_connection_free(sql_connection *con)
{
  struct conn *c = conn_of(con);

  if (c && !c->env->ending)
    conn_free(c);
}

/* A script's own buffers can lack the zero byte. */
static sql_result *db_api_query_copy(struct conn *c, const char *query,
                                     size_t len)
{
  struct strbuf copy = { 0 };
  sql_result *rs = NULL;

  strbuf_add(&copy, query, len);
  if (!copy.failed)
    rs = conn_query(c, copy.text, len);
  strbuf_done(&copy);
  return rs;
}

SCRIPT_ABI sql_result *db_query(sql_connection *con, const char *query,
                                size_t len)
{
  struct conn *c = conn_of(con);

  if (UNLIKELY(!c || !query))
    return NULL;
  if (UNLIKELY(query[len] != '\0'))
    return db_api_query_copy(c, query, len);
  return conn_query(c, query, len);
}

SCRIPT_ABI sql_row *db_fetch_row(sql_result *rs)
{
  return conn_fetch_row(rs);
}

SCRIPT_ABI int db_free_results(sql_result *rs)
{
  return conn_free_results(rs);
}

SCRIPT_ABI bool db_more_results(sql_connection *con)
{
  return con && conn_more_results(conn_of(con));
}

SCRIPT_ABI sql_result *db_next_result(sql_connection *con)
{
  return con ? conn_next_result(conn_of(con)) : NULL;
}

SCRIPT_ABI sql_statement *db_prepare(sql_connection *con, const char *query,
                                     size_t len)
{
  struct stmt *st = con ? stmt_prepare(conn_of(con), query, len) : NULL;

  return st ? stmt_abi(st) : NULL;
}

SCRIPT_ABI int db_bind_param(sql_statement *stmt, sql_bind *params, size_t len)
{
  return stmt ? stmt_bind(stmt_of(stmt), params, len) : 1;
}

SCRIPT_ABI int db_bind_result(sql_statement *stmt, sql_bind *results,
                              size_t len)
{
  (void)stmt;
  (void)results;
  (void)len;
  return 0;
}

SCRIPT_ABI sql_result *db_execute(sql_statement *stmt)
{
  return stmt ? stmt_execute(stmt_of(stmt)) : NULL;
}

SCRIPT_ABI sql_result *db_stmt_next_result(sql_statement *stmt)
{
  return stmt ? stmt_next_result(stmt_of(stmt)) : NULL;
}

SCRIPT_ABI int db_close(sql_statement *stmt)
{
  return stmt ? stmt_close(stmt_of(stmt)) : 0;
}

SCRIPT_ABI int db_bulk_insert_init(sql_connection *con, const char *query,
                                   size_t len)
{
  return con ? bulk_init(conn_of(con), query, len) : 1;
}

SCRIPT_ABI int db_bulk_insert_next(sql_connection *con, const char *query,
                                   size_t len)
{
  return con ? bulk_next(conn_of(con), query, len) : 1;
}

SCRIPT_ABI int db_bulk_insert_done(sql_connection *con)
{
  return con ? bulk_done(conn_of(con)) : 1;
}
