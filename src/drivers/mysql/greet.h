/*
 * greet.h - what a client and a MySQL or MariaDB server say to each other from
 * the greeting of the server to the answer of the first statement: bytes in,
 * bytes out, without a socket.
 *
 * Logins with mysql_native_password and caching_sha2_password are known here.
 * The server may ask for the password as it is, which is sent only where nobody
 * can listen.
 */
#ifndef BENCH_DRIVERS_MYSQL_GREET_H
#define BENCH_DRIVERS_MYSQL_GREET_H

#include <stdbool.h>
#include <stddef.h>

#include "drivers/mysql/greet_state.h"
#include "drivers/wire/buffer.h"
#include "drivers/wire/greet.h"

/* Append a statement, when the server is ready; false: no memory. */
bool mysqld_greet_ask(struct mysql_greet *g, const char *sql, size_t len,
                      struct wire_buffer *out);

/*
 * As greet_take().  It begins with what the server says: nothing is to be sent
 * before.  A statement that fails is GREET_FAILED, and `ready` is true.  Of the
 * answer to several statements in one, the first result is taken.
 */
enum greet_rc mysqld_greet_take(struct mysql_greet *g, struct wire_buffer *in,
                                struct wire_buffer *out);

/* Append the message that ends a session; false: no memory. */
bool mysqld_greet_end(struct wire_buffer *out);

#endif
