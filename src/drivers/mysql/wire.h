/*
 * wire.h - reads the answers of the server without the client library.
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
 * returns 0 or -1.
 */
int mysqld_wire_result(struct mysql_session *s, struct mysql_prepared *p,
                       struct outcome *out);

/*
 * Fill in *out for an error that mysqld_wire_fill() or a user of it returned.
 */
int mysqld_wire_failed(struct mysql_session *s, int rc, struct outcome *out);
/*
 * mysqld_wire_is_clear() was false: the server has ended the session, or sent
 * unexpected data.  Returns -1.
 */
int mysqld_wire_surplus(struct mysql_session *s, struct outcome *out);
/* The packet begins with 0xff: fill in *out with the reason. */
int mysqld_wire_refused(struct mysql_session *s, const uint8_t *packet,
                        size_t len, struct outcome *out);
/*
 * Read `n` column definitions and their end marker, into cols[0..n-1] unless it
 * is NULL.  Returns 0 or -1.
 */
int mysqld_wire_columns(struct mysql_session *s, struct column *cols,
                        uint32_t n, struct outcome *out);

#endif
