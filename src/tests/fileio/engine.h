/*
 * engine.h - executes requests: one vtable per I/O mode.
 */
#ifndef BENCH_TESTS_FILEIO_ENGINE_H
#define BENCH_TESTS_FILEIO_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/fileio/options.h"

struct err;
struct fileio;
struct io;
struct request;

/* Members marked [opt] may be NULL. */
struct engine_ops {
  const char *title; /* in the header: "Using TITLE I/O mode" */

  /*
   * [opt] Called once per run, when the files are open.  end() is called also
   * after a failed begin().
   */
  int (*begin)(struct fileio *fio, struct err *err);
  void (*end)(struct fileio *fio);

  /* Called once per worker, on its thread.  `io` does not move. */
  int (*open)(struct io *io, void **ret, struct err *err);
  void (*close)(void *engine);

  /* Executes a request, or hands it to the system (queued engines). */
  int (*execute)(void *engine, const struct request *r, struct err *err);

  /* Synchronises a file; queued engines may have it in flight on return. */
  int (*sync)(void *engine, uint32_t file, struct err *err);

  /*
   * [opt] Queued engines: waits for one completion, or for all.  It is not an
   * error if nothing is in flight.
   */
  int (*settle)(void *engine, bool all, struct err *err);

  /*
   * [opt] Queued engines: takes completions as they come, until nothing is in
   * flight, `until_ns` has come or the run is over.
   */
  int (*attend)(void *engine, uint64_t until_ns, struct err *err);
};

/* Find an engine; NULL: it is not compiled in. */
const struct engine_ops *engine_find(enum file_engine which);

/*
 * Choose the engine for these options, if they are compatible and it is
 * compiled in.
 */
int engine_choose(const struct engine_ops **ret, const struct fileio_cfg *cfg,
                  struct err *err);

extern const struct engine_ops engine_sync;
extern const struct engine_ops engine_mmap;
extern const struct engine_ops engine_aio;
extern const struct engine_ops engine_uring;
extern const struct engine_ops engine_wal; /* for the mode wal */

#endif
