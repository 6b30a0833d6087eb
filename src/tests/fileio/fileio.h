/*
 * fileio.h - a run of the fileio test: what its threads share.
 */
#ifndef BENCH_TESTS_FILEIO_FILEIO_H
#define BENCH_TESTS_FILEIO_FILEIO_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "stats/op_class.h"
#include "tests/fileio/files.h"
#include "tests/fileio/layout.h"
#include "tests/fileio/options.h"
#include "tests/fileio/pattern.h"
#include "tests/fileio/request.h"
#include "tests/fileio/validate.h"

struct engine_ops;
struct err;
struct plan;

/* What op_results lists beside the classes. */
enum fileio_value {
  FILEIO_DEPTH_MEAN, /* requests in flight, over all submissions */
  FILEIO_DEPTH_MAX,
  FILEIO_FINAL_SYNC_S, /* the longest of the workers' final passes */
  FILEIO_VALUES,
};

struct fileio {
  /* Constant while workers exist. */
  const struct plan *plan;
  const struct fileio_cfg *cfg;
  const struct engine_ops *engine;
  unsigned flags; /* enum file_flags */
  struct layout layout;
  struct folder folder;
  struct files files;
  struct validate *check; /* owned; NULL without --validate */
  char **map;             /* owned by the mmap engine; [files] */

  struct pattern pattern;  /* any worker */
  struct op_recorders ops; /* a kind for each enum file_op */

  /* Queued engines: added up by each worker when it closes. */
  _Atomic uint64_t depth_sum, depth_count, depth_max;
  _Atomic uint64_t sync_ns; /* longest final pass so far */

  /* What fileio_results() shows; the main thread's. */
  struct hist_sum *hist[FILE_OPS]; /* owned */
  struct op_class class[FILE_OPS];
  struct op_value value[FILEIO_VALUES];
};

/*
 * The latencies of reads, writes and fsyncs since the measured start, and the
 * values above.  Main thread, after the workers have left or were given up;
 * until the test is closed.
 */
struct op_results fileio_results(void *run);

/* The header lines of a run. */
void fileio_describe(void *run);

/* The commands. */
int fileio_prepare(const struct plan *plan, const void *cfg, struct err *err);
int fileio_cleanup(const struct plan *plan, const void *cfg, struct err *err);

#endif
