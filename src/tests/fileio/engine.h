/*
 * engine.h - executes requests: one vtable per I/O mode. [opt]: may be NULL.
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
struct io;

struct engine_ops {
  const char *title;

  /* [opt] Once per run, with open files. end() also after a failed begin(). */
  int (*begin)(struct fileio *fio, struct err *err);
  void (*end)(struct fileio *fio);

  /* Once per worker, on its thread. `io` does not move. */
  int (*open)(struct io *io, void **ret, struct err *err);
  void (*close)(void *engine);

  int (*execute)(void *engine, const struct request *r, struct err *err);

  /* Queued engines can return before the fsync has ended. */
  int (*sync)(void *engine, uint32_t file, struct err *err);

  /* [opt] Queued engines: wait for one completion, or all. 0 if nothing is in
   * flight. */
  int (*settle)(void *engine, bool all, struct err *err);

  /* [opt] Queued engines: take completions until nothing is in flight,
   * `until_ns` has come or the run is over. */
  int (*attend)(void *engine, uint64_t until_ns, struct err *err);
};

/* NULL: not compiled in. */
const struct engine_ops *engine_find(enum file_engine which);

int engine_choose(const struct engine_ops **ret, const struct fileio_cfg *cfg,
                  struct err *err);

extern const struct engine_ops engine_sync;
extern const struct engine_ops engine_mmap;
extern const struct engine_ops engine_aio;
extern const struct engine_ops engine_uring;
extern const struct engine_ops engine_wal;

struct io {
  struct fileio *fio;
  struct worker *w;
  struct class_recorder *classes; /* NULL: no latencies of operations */
  unsigned class_of[FILE_OPS];
  uint64_t random;
  bool scheduled; /* start_ns of events is the due time */
};

/* Reads the clock only if needed. */
static inline uint64_t io_start(const struct io *io)
{
  return io->scheduled ? clock_now_ns() : io->w->start_ns;
}

static inline uint64_t io_now(const struct io *io)
{
  return io->classes ? clock_now_ns() : 0;
}

/* For an executed request; times are from io_now(). */
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

/* Allocates what recording needs. */
int io_classes(struct io *io, struct err *err);

/* Zeroed, page-aligned, `stride` bytes apart. */
void *io_buffers(const struct io *io, uint64_t n, size_t *ret_stride,
                 struct err *err);
void io_buffers_free(const struct io *io, void *buffers, uint64_t n);

/* With --validate or --file-crash-log: the data to write. *ret_generation is
 * for io_written(), after the write. */
int io_fill(struct io *io, const struct request *r, void *buf,
            uint64_t *ret_generation, struct err *err);

/* With --validate. */
int io_check(const struct io *io, const struct request *r, const void *buf,
             struct err *err);

/* With --file-crash-log. `syncing` is from io_syncing(), called before the
 * fsync. */
static inline int io_written(const struct io *io, const struct request *r,
                             uint64_t generation, struct err *err)
{
  return UNLIKELY(io->fio->witness != NULL)
           ? witness_written(io->fio->witness, io->w->tid, r, generation, err)
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
           ? witness_synced(io->fio->witness, io->w->tid, file, syncing, failed,
                            err)
           : 0;
}

int io_sync(struct io *io, uint32_t file, uint64_t start_ns, struct err *err);

struct io_engine {
  struct io *io;
  const int *fd;
  char *const *map; /* of files; NULL: not mapped */
  char *buf;        /* owned */
  bool fsync_all;
} CACHE_ALIGNED;

int io_engine_open(struct io *io, void **ret, struct err *err);
void io_engine_close(void *engine);
int io_engine_sync(void *engine, uint32_t file, struct err *err);

static inline int io_engine_moved(const struct io_engine *e,
                                  const struct request *r, uint64_t start_ns,
                                  uint64_t generation, struct err *err)
{
  const uint64_t end_ns = io_now(e->io);
  int rc = 0;

  io_done(e->io, r->op, r->length, start_ns, end_ns);
  if (r->op == FILE_OP_WRITE)
    rc = io_written(e->io, r, generation, err);
  pattern_release(&e->io->fio->pattern, r->place);
  if (r->op == FILE_OP_WRITE)
    return rc == 0 && e->fsync_all ? io_sync(e->io, r->file, end_ns, err) : rc;
  return io_check(e->io, r, e->buf, err);
}

/* `got` bytes were transferred, then `why` (an errno value, or 0) happened.
 * Returns a negative errno value. */
int io_failed(const struct io *io, const struct request *r, uint64_t got,
              int why, struct err *err);

/* Only `got` bytes were transferred: tries the rest once, to find the
 * reason. */
int io_short(const struct io *io, const struct request *r, void *buf,
             uint64_t got, struct err *err);

#endif
