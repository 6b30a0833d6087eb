/*
 * io.h - what every engine needs in every thread: the clock of a request, its
 * accounting, and what is said when it fails.
 */
#ifndef BENCH_TESTS_FILEIO_IO_H
#define BENCH_TESTS_FILEIO_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "run/worker.h"
#include "stats/op_class.h"
#include "tests/fileio/fileio.h"
#include "tests/fileio/request.h"

struct err;

/* One per worker. */
struct io {
  struct fileio *fio;
  struct worker *w;
  struct op_recorder *ops; /* of this worker; [FILE_OPS] */
  uint64_t random;         /* state of validate_fill() */
  bool scheduled;          /* start_ns of an event is when it was due */
};

/* The moment at which the present event has begun, without reading the clock
 * where the runner just did. */
static inline uint64_t io_start(const struct io *io)
{
  return io->scheduled ? clock_now_ns() : io->w->start_ns;
}

/* Does what begins now count, or is this the warm-up? */
static inline bool io_counts(const struct io *io)
{
  return io->w->counted;
}

/* A request was executed; `counts` is what io_counts() said at its start. */
static inline void io_done(struct io *io, enum file_op op, uint64_t bytes,
                           uint64_t took_ns, bool counts)
{
  struct recorder *r = io->w->recorder;

  if (op == FILE_OP_READ) {
    recorder_count(r, COUNTER_READ, 1);
    recorder_count(r, COUNTER_BYTES_READ, bytes);
  } else if (op == FILE_OP_WRITE) {
    recorder_count(r, COUNTER_WRITE, 1);
    recorder_count(r, COUNTER_BYTES_WRITTEN, bytes);
  } else {
    recorder_count(r, COUNTER_OTHER, 1);
  }
  if (LIKELY(counts))
    op_record(&io->ops[op], took_ns, bytes);
}

/* Room for n transfers, `stride` bytes apart, zero, page-aligned. */
void *io_buffers(const struct io *io, uint64_t n, size_t *ret_stride,
                 struct err *err);
void io_buffers_free(const struct io *io, void *buffers, uint64_t n);

/* With --validate: prepare what is to be written, check what was read. */
void io_fill(struct io *io, const struct request *r, void *buf);
int io_check(const struct io *io, const struct request *r, const void *buf,
             struct err *err);

/*
 * A request has failed: it transferred `got` bytes, then came `why` (an errno
 * value; 0: nothing more).  Returns a negative errno value.
 */
int io_failed(const struct io *io, const struct request *r, uint64_t got,
              int why, struct err *err);

/* The same after a transfer of only `got` bytes.  The rest is tried once,
 * because that tells why. */
int io_short(const struct io *io, const struct request *r, void *buf,
             uint64_t got, struct err *err);

#endif
