/*
 * fileio.h - a run of the fileio test, shared by its threads.
 */
#ifndef BENCH_TESTS_FILEIO_FILEIO_H
#define BENCH_TESTS_FILEIO_FILEIO_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "tests/fileio/files.h"
#include "tests/fileio/layout.h"
#include "tests/fileio/options.h"
#include "tests/fileio/pattern.h"
#include "tests/fileio/request.h"
#include "tests/fileio/validate.h"
#include "tests/fileio/wear.h"

struct engine_ops;
struct err;
struct mixed;
struct plan;
struct wal;
struct witness;

struct fileio {
  /* Constant while workers exist. */
  const struct plan *plan;
  const struct fileio_cfg *cfg;
  const struct engine_ops *engine;
  unsigned flags;
  struct layout layout;
  struct folder folder;
  struct files files;
  struct validate *check;  /* owned; NULL without --validate */
  struct witness *witness; /* owned; NULL without --file-crash-log */
  bool fills;              /* writes need data: check or witness */
  char **map;              /* owned by engine mmap; [files] */
  struct steady steady;
  struct wear wear;
  bool special;
  struct mixed *mixed; /* owned; or NULL */
  struct wal *wal;     /* owned by engine_wal */

  struct pattern pattern;

  /* Queued engines: of closed workers. */
  _Atomic uint64_t depth_sum, depth_count, depth_max;
  _Atomic uint64_t sync_ns; /* longest final fsync */

  atomic_flag warned;
};

void fileio_describe(void *run);

int fileio_prepare(const struct plan *plan, const void *cfg, struct err *err);
int fileio_cleanup(const struct plan *plan, const void *cfg, struct err *err);

/* Returns an exit status. */
int fileio_verify(const struct plan *plan, const void *cfg, struct err *err);

#endif
