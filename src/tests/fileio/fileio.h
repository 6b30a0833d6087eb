/*
 * fileio.h - a run of the fileio test: the state that its threads share.
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
  unsigned flags; /* enum file_flags */
  struct layout layout;
  struct folder folder;
  struct files files;
  struct validate *check;  /* owned; NULL without --validate */
  struct witness *witness; /* owned; NULL without --file-io-verify */
  bool fills;              /* one of the two: a write has data of its own */
  char **map;              /* owned by the mmap engine; [files] */
  struct steady steady;    /* with --file-steady */
  struct wear wear;        /* in modes that write */
  bool special;            /* mixed or steady: next() has more to do */
  struct mixed *mixed;     /* owned; NULL in other modes */
  struct wal *wal;         /* owned by the engine of the log */

  struct pattern pattern; /* used by any worker */

  /* Queued engines: each worker adds to these when it closes. */
  _Atomic uint64_t depth_sum, depth_count, depth_max;
  _Atomic uint64_t sync_ns; /* longest final synchronisation so far */

  atomic_flag warned; /* a thread has warned of the limit of locked memory */
};

/* Print the header lines of a run. */
void fileio_describe(void *run);

/* The commands. */
int fileio_prepare(const struct plan *plan, const void *cfg, struct err *err);
int fileio_cleanup(const struct plan *plan, const void *cfg, struct err *err);

/* Judges the files by the log of a run.  Returns the exit status. */
int fileio_verify(const struct plan *plan, const void *cfg, struct err *err);

#endif
