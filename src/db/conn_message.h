/*
 * conn_message.h - the message of a fatal error on a connection.
 *
 * It is kept until the script's hook was asked: it is printed at the next call
 * on the connection, unless it was taken before.
 */
#ifndef BENCH_DB_CONN_MESSAGE_H
#define BENCH_DB_CONN_MESSAGE_H

#include <stddef.h>

#include "base/strbuf.h"
#include "db/conn_state.h"
#include "db/driver.h"

struct conn_message {
  struct strbuf lines; /* owned; empty: there is none */
  char code[16];
  struct db_env *env;
};
struct conn_message conn_take_message(struct conn *c);
void conn_print_message(struct conn_message *m); /* and drops it */
void conn_drop_message(struct conn_message *m);
/* Take and print. */
void conn_say(struct conn *c);

/*
 * For src/db: keep the message of the failure in c->out and c->fail.  A long
 * statement `sql` is cut.
 */
void conn_keep_message(struct conn *c, enum call call, const char *sql,
                       size_t len);
/* The same for a connect that failed. */
void conn_keep_connect_message(struct conn *c);

/* The failure's name: "1213", or the SQLSTATE where errors have no numbers of
 * their own. */
void conn_error_name(const struct conn *c, char *to, size_t size);

#endif
