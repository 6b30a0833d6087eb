/*
 * driver.h - a driver without a database.
 */
#ifndef BENCH_DRIVERS_NULL_DRIVER_H
#define BENCH_DRIVERS_NULL_DRIVER_H

#include <stdint.h>

struct null_cfg {
  uint64_t latency_us;
  uint64_t rows, fields;
  double error_rate;
  int error;
};

enum null_error {
  NULL_DEADLOCK,
  NULL_DUPLICATE,
  NULL_LOST,
  NULL_FATAL,
  NULL_HANG,
};

#endif
