/*
 * driver.h - the driver for PostgreSQL, on top of libpq.
 */
#ifndef BENCH_DRIVERS_PGSQL_DRIVER_H
#define BENCH_DRIVERS_PGSQL_DRIVER_H

#include "db/driver.h"

extern const struct driver driver_pgsql;

#endif
