/*
 * wire.h - the answers of the server, without the client library.
 */
#ifndef BENCH_DRIVERS_MYSQL_WIRE_H
#define BENCH_DRIVERS_MYSQL_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct column;
struct mysql_prepared;
struct mysql_session;
struct outcome;

/*
 * Read one result of a statement; `p` is NULL for direct ones.  Fills in *out;
 * 0 or -1.
 */
int mysqld_wire_result(struct mysql_session *s, struct mysql_prepared *p,
                       struct outcome *out);

/* What mysqld_wire_fill() and its users return as errors. */
int mysqld_wire_failed(struct mysql_session *s, int rc, struct outcome *out);
/* mysqld_wire_is_clear() was false: the server has ended the session, or sent
 * what nobody asked for.  -1. */
int mysqld_wire_surplus(struct mysql_session *s, struct outcome *out);
/* The packet begins with 0xff: *out says why. */
int mysqld_wire_refused(struct mysql_session *s, const uint8_t *packet,
                        size_t len, struct outcome *out);
/* Read `n` column definitions and what ends them, into cols[0..n-1] unless it
 * is NULL.  0 or -1. */
int mysqld_wire_columns(struct mysql_session *s, struct column *cols,
                        uint32_t n, struct outcome *out);

#endif
