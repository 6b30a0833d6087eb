/*
 * options.h - the options of the sqlite driver.
 */
#ifndef BENCH_DRIVERS_SQLITE_OPTIONS_H
#define BENCH_DRIVERS_SQLITE_OPTIONS_H

#include "db/url.h"
#include "opt/opt.h"

enum {
  SQLITE_JOURNAL_AUTO, /* the first of sqlite_journal_modes */
};

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

extern const struct opt sqlite_options[];
extern const struct target_names sqlite_names;

#endif
