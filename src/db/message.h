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
 * A text of others as part of a message: its line breaks do not end the
 * message.  Those behind its last line are left out.
 */
void message_text(struct strbuf *to, const char *text, size_t len);

/* The statement likewise, cut to MESSAGE_SQL_MAX bytes and "...". */
void message_sql(struct strbuf *to, const char *sql, size_t len);

/* Each line as one message, whose text may have several lines in it. */
void message_lines(enum log_level level, const struct strbuf *lines);

#endif
