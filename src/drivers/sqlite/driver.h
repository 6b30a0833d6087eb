/*
 * driver.h - the driver for SQLite databases.
 */
#ifndef BENCH_DRIVERS_SQLITE_DRIVER_H
#define BENCH_DRIVERS_SQLITE_DRIVER_H

#include "db/driver.h"

extern const struct driver driver_sqlite;

#endif
