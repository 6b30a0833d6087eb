/*
 * send.h - sends one chunk to a table, in a transaction of its own.
 */
#ifndef BENCH_LOAD_SEND_H
#define BENCH_LOAD_SEND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/ffi_api.h"
#include "load/chunks.h"

struct conn;
struct err;
struct maker;
struct pace;
struct steps;
struct strbuf;

enum load_method {
  LOAD_AUTO,
  LOAD_INSERT,
  LOAD_BULK,
};

/* "auto", "insert", "bulk"; -EINVAL. */
int load_method_parse(const char *word, enum load_method *ret);

/* How a connection sends rows. */
enum send_way {
  SEND_UNKNOWN,
  SEND_INSERT, /* statements */
  SEND_PLAIN,  /* the driver's bulk interface, as text */
  SEND_BINARY, /* the driver's bulk interface, in binary form */
};

/* The best way that a connection has for the wish: never SEND_UNKNOWN.  Returns
 * -EINVAL if the method that was asked for is not possible. */
int send_choose(struct conn *c, enum load_method wish, enum send_way *ret,
                struct err *err);

/*
 * Send the rows of a chunk of the table of `m`.  After an error that the user
 * declared ignorable (such as a deadlock) the chunk is started again.  So it is
 * after a refusal of SEND_BINARY; then *way is SEND_PLAIN.  Once the steps are
 * stopped it is not started again: -ECANCELED.
 *
 * After a failure no row of it is in the table or, if the answer to its COMMIT
 * was lost, possibly all of them, as far as the engine has transactions.
 */
int send_chunk(struct conn *c, enum send_way *way, struct maker *m,
               const struct chunk *chunk, struct pace *pace,
               struct steps *steps, struct err *err);

/* The next row of a result of `width` columns; NULL: the answer has another
 * form, and the error is set. */
const sql_row *send_fetch(sql_result *rs, unsigned width, struct err *err);

/* The value as a whole number; 0 if it is not one. */
uint64_t send_number(const sql_value *v);

/* Execute a statement, and free its text in any case. */
int send_query(struct conn *c, struct strbuf *sql, sql_result **ret,
               struct err *err);

#endif
