/*
 * conn_message.h - the message of a fatal error, kept until the script's hook
 * was asked; the next call prints it, unless taken.
 */
#ifndef BENCH_DB_CONN_MESSAGE_H
#define BENCH_DB_CONN_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "db/conn_state.h"
#include "db/driver.h"

struct conn_message {
  struct strbuf lines; /* owned; empty: none */
  char code[16];
  struct db_env *env;
};
struct conn_message conn_take_message(struct conn *c);
/* And drop.  `place`: "" or that of the call.  False: silent. */
bool conn_print_message(struct conn_message *m, const char *place);
void conn_drop_message(struct conn_message *m);
/* Take and print. */
void conn_say(struct conn *c);

/* For src/db: of c->out and c->fail; `sql` is cut. */
void conn_keep_message(struct conn *c, enum call call, const char *sql,
                       size_t len);
/* Of a failed connect. */
void conn_keep_connect_message(struct conn *c);

/* "1213", or the SQLSTATE where errors have no numbers. */
void conn_error_name(const struct conn *c, char *to, size_t size);

#endif
