/*
 * driver.h - the driver of PostgreSQL, over libpq.
 */
#ifndef BENCH_DRIVERS_PGSQL_DRIVER_H
#define BENCH_DRIVERS_PGSQL_DRIVER_H

#include "db/driver.h"

extern const struct driver driver_pgsql;

#endif
