/*
 * about.h - describes the server and the connection.  The functions are members
 * of struct driver.
 */
#ifndef BENCH_DRIVERS_MYSQL_ABOUT_H
#define BENCH_DRIVERS_MYSQL_ABOUT_H

#include "base/strbuf.h"
#include "db/driver.h"

void mysqld_about_session(struct session *s,
                          void (*put)(void *ctx, const char *key,
                                      const char *value),
                          void *ctx);
void mysqld_about_settings(struct session *s,
                           void (*put)(void *ctx, const char *key,
                                       const char *value),
                           void *ctx);
size_t mysqld_about_limits(struct session *s, const struct run_facts *facts,
                           struct driver_limit ret[DRIVER_LIMITS]);
extern const struct driver_durable mysqld_about_durable[];
void mysqld_about_check(struct session *s, const struct run_facts *facts,
                        struct strbuf *lines);
void mysqld_about_statement_sizes(struct session *s,
                                  struct statement_sizes *ret);

extern const struct driver_space mysqld_space;

#endif
