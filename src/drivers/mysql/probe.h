/*
 * probe.h - detects a PostgreSQL server where a MySQL server was expected.
 *
 * A MySQL server speaks first.  A PostgreSQL server waits for its client, so a
 * client of MySQL would wait in vain until its time is over.
 */
#ifndef BENCH_DRIVERS_MYSQL_PROBE_H
#define BENCH_DRIVERS_MYSQL_PROBE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Ask at a numeric address, over a separate connection, until `until_ns` at the
 * latest.  Returns false also if there is no answer.
 */
bool mysqld_probe_is_pgsql(const char *address, unsigned port,
                           uint64_t until_ns);

#endif
