/*
 * visit.h - whole lives of connections without the client library.
 */
#ifndef BENCH_DRIVERS_MYSQL_VISIT_H
#define BENCH_DRIVERS_MYSQL_VISIT_H

#include "db/driver_visit.h"

driver_visit mysqld_visit;

#endif
