/*
 * engine.h - executes requests: one vtable per I/O mode.
 */
#ifndef BENCH_TESTS_FILEIO_ENGINE_H
#define BENCH_TESTS_FILEIO_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "run/worker.h"
#include "stats/class_stats.h"
#include "tests/fileio/fileio.h"
#include "tests/fileio/options.h"
#include "tests/fileio/request.h"
#include "tests/fileio/witness.h"

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

/* ---- io ---- */

/*
 * What every engine needs in every thread: the clock of a request, its
 * accounting, and the messages of its failures.
 */

/* One per worker. */
struct io {
  struct fileio *fio;
  struct worker *w;
  struct class_recorder *classes; /* NULL: no separate latencies */
  unsigned class_of[FILE_OPS];    /* the numbers of the classes */
  uint64_t random;                /* state of validate_fill() */
  bool scheduled;                 /* start_ns of an event is when it was due */
};

/*
 * The time at which the current event began; does not read the clock if the
 * runner has just done so.
 */
static inline uint64_t io_start(const struct io *io)
{
  return io->scheduled ? clock_now_ns() : io->w->start_ns;
}

/* The present time; 0 if this run records no latencies of requests. */
static inline uint64_t io_now(const struct io *io)
{
  return io->classes ? clock_now_ns() : 0;
}

/* Account for a request that was executed; the times are those of
 * io_now(). */
static inline void io_done(struct io *io, enum file_op op, uint64_t bytes,
                           uint64_t start_ns, uint64_t end_ns)
{
  struct recorder *r = io->w->recorder;

  if (op == FILE_OP_READ) {
    recorder_count(r, COUNTER_READ, 1);
    recorder_count(r, COUNTER_BYTES_READ, bytes);
  } else if (op == FILE_OP_WRITE) {
    recorder_count(r, COUNTER_WRITE, 1);
    recorder_count(r, COUNTER_BYTES_WRITTEN, bytes);
  } else if (op == FILE_OP_FSYNC) {
    recorder_count(r, COUNTER_OTHER, 1);
  } else if (op == FILE_OP_TRIM) {
    recorder_count(r, COUNTER_TRIM, 1);
  }
  if (io->classes) {
    const struct class_outcome outcome = { .bytes = bytes };

    class_record(io->classes, io->class_of[op], end_ns - start_ns, &outcome);
  }
}

/*
 * Find the classes of the operations of this run, and allocate them, so that
 * recording allocates nothing.
 */
int io_classes(struct io *io, struct err *err);

/* Allocate n transfers, `stride` bytes apart, zero, page-aligned. */
void *io_buffers(const struct io *io, uint64_t n, size_t *ret_stride,
                 struct err *err);
void io_buffers_free(const struct io *io, void *buffers, uint64_t n);

/*
 * With --validate or --file-io-verify: prepare the data to be written.
 * *ret_generation is for io_written(), which is called when the write has
 * completed.
 */
int io_fill(struct io *io, const struct request *r, void *buf,
            uint64_t *ret_generation, struct err *err);

/* With --validate: check the data that were read. */
int io_check(const struct io *io, const struct request *r, const void *buf,
             struct err *err);

/*
 * With --file-io-verify, log what was written and synchronised; `syncing` is
 * the result of io_syncing(), called before the file was synchronised.
 */
static inline int io_written(const struct io *io, const struct request *r,
                             uint64_t generation, struct err *err)
{
  return UNLIKELY(io->fio->witness != NULL)
           ? witness_written(io->fio->witness, io, r, generation, err)
           : 0;
}

static inline uint64_t io_syncing(const struct io *io)
{
  return UNLIKELY(io->fio->witness != NULL) ? witness_syncing(io->fio->witness)
                                            : 0;
}

static inline int io_synced(const struct io *io, uint32_t file,
                            uint64_t syncing, bool failed, struct err *err)
{
  return UNLIKELY(io->fio->witness != NULL)
           ? witness_synced(io->fio->witness, io, file, syncing, failed, err)
           : 0;
}

/* Synchronise a file by a system call, which is a request that began at
 * start_ns. */
int io_sync(struct io *io, uint32_t file, uint64_t start_ns, struct err *err);

/*
 * Report that a request has failed: it transferred `got` bytes, then `why` (an
 * errno value; 0: no error) happened.  Returns a negative errno value.
 */
int io_failed(const struct io *io, const struct request *r, uint64_t got,
              int why, struct err *err);

/*
 * Report a transfer of only `got` bytes.  The rest is tried once, to find out
 * the reason.
 */
int io_short(const struct io *io, const struct request *r, void *buf,
             uint64_t got, struct err *err);

#endif
