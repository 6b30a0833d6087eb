/*
 * driver.h - the driver for MySQL and MariaDB.
 */
#ifndef BENCH_DRIVERS_MYSQL_DRIVER_H
#define BENCH_DRIVERS_MYSQL_DRIVER_H

struct driver;

extern const struct driver driver_mysql;

#endif
