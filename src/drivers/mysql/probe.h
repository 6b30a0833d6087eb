/*
 * probe.h - is it a PostgreSQL server that does not greet?
 *
 * A MySQL server speaks first.  A PostgreSQL server waits for its client, so
 * that a client of MySQL would wait for nothing until its time is over.
 */
#ifndef BENCH_DRIVERS_MYSQL_PROBE_H
#define BENCH_DRIVERS_MYSQL_PROBE_H

#include <stdbool.h>
#include <stdint.h>

/* Ask at a numeric address, over a connection of its own, until `until_ns` at
 * the latest.  False also if there is no answer. */
bool mysqld_probe_is_pgsql(const char *address, unsigned port,
                           uint64_t until_ns);

#endif
