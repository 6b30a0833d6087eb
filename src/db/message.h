/*
 * message.h - texts that drivers put into their messages.
 */
#ifndef BENCH_DB_MESSAGE_H
#define BENCH_DB_MESSAGE_H

#include <stddef.h>

#include "base/log.h"
#include "base/strbuf.h"

enum {
  MESSAGE_SQL_MAX = 1000
}; /* bytes of a statement in a message */

/*
 * Text from a server or a user, as part of a message: its line breaks do not
 * end the message.  Those after its last line are left out.
 */
void message_text(struct strbuf *to, const char *text, size_t len);

/* The same for a statement, which is cut to MESSAGE_SQL_MAX bytes and "...". */
void message_sql(struct strbuf *to, const char *sql, size_t len);

/* Print each line as one message; a message may have several lines in it. */
void message_lines(enum log_level level, const struct strbuf *lines);

#endif
