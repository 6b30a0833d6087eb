/*
 * driver.h - the driver for SQLite databases.
 */
#ifndef BENCH_DRIVERS_SQLITE_DRIVER_H
#define BENCH_DRIVERS_SQLITE_DRIVER_H

#include <stdint.h>

#include "db/driver.h"

/* What the options fill in. */
struct sqlite_cfg {
  const char *db;
  int journal_mode; /* index of sqlite_journal_modes */
  int synchronous;  /* index of sqlite_synchronous_words */
  int64_t cache_size;
  uint64_t mmap_size;
  uint64_t busy_timeout_ms;
};

extern const char *const sqlite_journal_modes[];
extern const char *const sqlite_synchronous_words[];

extern const struct driver driver_sqlite;

#endif
