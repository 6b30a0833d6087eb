/*
 * engine.h - how requests are executed: one vtable per I/O mode.
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

  /* [opt] Once per run, when the files are open.  end() also after a failed
   * begin(). */
  int (*begin)(struct fileio *fio, struct err *err);
  void (*end)(struct fileio *fio);

  /* Once per worker, on its thread.  `io` stays where it is. */
  int (*open)(struct io *io, void **ret, struct err *err);
  void (*close)(void *engine);

  /* Do a request, or hand it to the system (queued engines). */
  int (*execute)(void *engine, const struct request *r, struct err *err);

  /* Synchronise a file; queued engines may have it in flight on return. */
  int (*sync)(void *engine, uint32_t file, struct err *err);

  /* [opt] Queued engines: wait for one completion, or for all.  Nothing to
   * wait for is no error. */
  int (*settle)(void *engine, bool all, struct err *err);

  /* [opt] Queued engines: take completions when they come, until nothing is in
   * flight, `until_ns` has come or the run is over. */
  int (*attend)(void *engine, uint64_t until_ns, struct err *err);
};

/* NULL: not compiled in. */
const struct engine_ops *engine_find(enum file_engine which);

/* The engine of these options, if they fit together and it is compiled in. */
int engine_choose(const struct engine_ops **ret, const struct fileio_cfg *cfg,
                  struct err *err);

extern const struct engine_ops engine_sync;
extern const struct engine_ops engine_mmap;
extern const struct engine_ops engine_aio;
extern const struct engine_ops engine_uring;
extern const struct engine_ops engine_wal; /* of the mode wal */

#endif
