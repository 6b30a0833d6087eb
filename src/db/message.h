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

/* The statement, cut to MESSAGE_SQL_MAX bytes and "...". */
void message_sql(struct strbuf *to, const char *sql, size_t len);

/* Each line of the text as one message. */
void message_lines(enum log_level level, const struct strbuf *lines);

#endif
