/*
 * conn_message.h - the message of a fatal error.  It waits for the script's
 * hook; then the next call prints it, unless taken.
 */
#ifndef BENCH_DB_CONN_MESSAGE_H
#define BENCH_DB_CONN_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "db/conn_state.h"
#include "db/driver.h"

struct conn_message {
  struct strbuf lines; /* owned */
  char code[16];
  struct db_env *env;
};
struct conn_message conn_take_message(struct conn *c);
/* Also drops the message.  `place`: where the call was, or "". False:
 * silent. */
bool conn_print_message(struct conn_message *m, const char *place);
void conn_drop_message(struct conn_message *m);
void conn_say(struct conn *c);

/* The message of c->out and c->fail.  Cuts `sql`. */
void conn_keep_message(struct conn *c, enum call call, const char *sql,
                       size_t len);
void conn_keep_connect_message(struct conn *c);

/* "1213", or the SQLSTATE where errors have no numbers. */
void conn_error_name(const struct conn *c, char *to, size_t size);

#endif
