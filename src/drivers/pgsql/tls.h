/*
 * tls.h - TLS as libpq 15 and later decide: files, and the names of a server.
 */
#ifndef BENCH_DRIVERS_PGSQL_TLS_H
#define BENCH_DRIVERS_PGSQL_TLS_H

#include <stdbool.h>

struct session;
struct tls_context;
struct wire_tls;

/* Of all sessions of a configuration.  NULL: left to libpq. */
struct tls_context *pgsql_tls_context(const struct session *s);

#define PGSQL_ALPN "postgresql"

/* For verify-full. */
bool pgsql_tls_is_for(const struct wire_tls *t, const char *host);

#endif
