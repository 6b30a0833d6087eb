/*
 * send.h - sends a chunk to a table, in a transaction.
 */
#ifndef BENCH_LOAD_SEND_H
#define BENCH_LOAD_SEND_H

#include <stdint.h>

#include "base/ffi_api.h"
#include "db/load/chunks.h"

struct conn;
struct err;
struct maker;
struct pace;
struct strbuf;

enum load_method {
  LOAD_AUTO,
  LOAD_INSERT,
  LOAD_BULK,
};

/* "auto", "insert", "bulk"; -EINVAL. */
int load_method_parse(const char *word, enum load_method *ret);

enum send_way {
  SEND_UNKNOWN,
  SEND_INSERT,
  SEND_PLAIN,  /* bulk, as text */
  SEND_BINARY, /* bulk, in binary form */
};

/* The best way for the wish, never SEND_UNKNOWN. -EINVAL: not possible. */
int send_choose(struct conn *c, enum load_method wish, enum send_way *ret,
                struct err *err);

/*
 * The chunk is started again after ignorable errors (such as deadlocks), and
 * after a refusal of SEND_BINARY, with *way SEND_PLAIN; once the steps are
 * stopped, -ECANCELED.
 *
 * After a failure, no row is in the table; if the answer to COMMIT was lost,
 * perhaps all.
 */
int send_chunk(struct conn *c, enum send_way *way, struct maker *m,
               const struct chunk *chunk, struct pace *pace,
               struct steps *steps, struct err *err);

/* NULL: not `width` columns; sets the error. */
const sql_row *send_fetch(sql_result *rs, unsigned width, struct err *err);

/* 0 if the value is not a whole number. */
uint64_t send_number(const sql_value *v);

/* Executes a statement, and always frees its text. */
int send_query(struct conn *c, struct strbuf *sql, sql_result **ret,
               struct err *err);

#endif
