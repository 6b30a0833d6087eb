/*
 * wire_pipe.h - several requests in flight on a plain socket, and one request
 * with many rows.
 */
#ifndef BENCH_DRIVERS_MYSQL_WIRE_PIPE_H
#define BENCH_DRIVERS_MYSQL_WIRE_PIPE_H

#include <stdbool.h>
#include <stddef.h>

#include "db/driver_pipe.h"

extern const struct driver_pipe mysqld_pipe;

/* ---- wire_bulk.c ---- */

bool mysqld_bulk_possible(struct prepared *p);
int mysqld_bulk_begin(struct prepared *p, struct outcome *out);
int mysqld_bulk_row(struct prepared *p, size_t most, struct outcome *out);
int mysqld_bulk_run(struct prepared *p, struct outcome *out);

#endif
