/*
 * driver_list.h - the drivers that this build has.
 */
#ifndef BENCH_DRIVERS_DRIVER_LIST_H
#define BENCH_DRIVERS_DRIVER_LIST_H

struct driver;

/* In the order of lists; the first one is the default; ends with NULL. */
extern const struct driver *const driver_list[];

/* Those that the build has. */
extern const struct driver driver_mysql, driver_pgsql, driver_sqlite,
  driver_null;

#endif
