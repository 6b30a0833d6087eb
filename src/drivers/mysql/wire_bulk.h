/*
 * wire_bulk.h - one request that executes a statement with many rows: see
 * db/driver_pipe.h.
 */
#ifndef BENCH_DRIVERS_MYSQL_WIRE_BULK_H
#define BENCH_DRIVERS_MYSQL_WIRE_BULK_H

#include <stdbool.h>
#include <stddef.h>

struct outcome;
struct prepared;

bool mysqld_bulk_possible(struct prepared *p);
int mysqld_bulk_begin(struct prepared *p, struct outcome *out);
int mysqld_bulk_row(struct prepared *p, size_t most, struct outcome *out);
int mysqld_bulk_run(struct prepared *p, struct outcome *out);

#endif
