/*
 * tls.h - TLS as MariaDB's client library decides.
 */
#ifndef BENCH_DRIVERS_MYSQL_TLS_H
#define BENCH_DRIVERS_MYSQL_TLS_H

struct session;
struct tls_context;

/* Of all sessions of a configuration.  NULL: left to the library. */
struct tls_context *mysqld_tls_context(const struct session *s);

#endif
