/*
 * message.h - messages and advice about failures.  The functions are members of
 * struct driver.
 */
#ifndef BENCH_DRIVERS_MYSQL_MESSAGE_H
#define BENCH_DRIVERS_MYSQL_MESSAGE_H

#include "base/strbuf.h"
#include "db/driver.h"

extern const struct driver_hint mysqld_message_hints[];

void mysqld_message_connect(const struct session *s, const struct outcome *out,
                            struct strbuf *lines);
void mysqld_message_reason(const struct session *s, const struct outcome *out,
                           struct strbuf *line);
void mysqld_message_warnings(struct session *s, struct strbuf *lines);
void mysqld_message_target(const struct session *s, struct strbuf *line);
void mysqld_message_failed(const struct session *s, enum call call,
                           const struct outcome *out, const char *sql,
                           struct strbuf *lines);

#endif
