/*
 * sync_log_record.h - the format of --file-ack-log: a header of
 * SYNC_LOG_HEADER_BYTES, then records of 32 bytes, in the byte order of the
 * machine. A record with a wrong check word was never completed: crashes leave
 * such gaps, and unused room.
 */
#ifndef BENCH_TESTS_FILEIO_SYNC_LOG_RECORD_H
#define BENCH_TESTS_FILEIO_SYNC_LOG_RECORD_H

#include <stdatomic.h>
#include <stdint.h>

#include "stats/rand/rng.h"

#define SYNC_LOG_MAGIC "bench fileio acknowledgements 1\n"

enum {
  SYNC_LOG_HEADER_BYTES = 65536, /* a multiple of all page sizes */
};

/* Blocks are numbered over all files; each file begins with a new one. */
struct sync_log_header {
  char magic[sizeof(SYNC_LOG_MAGIC)];
  uint64_t run;
  uint64_t start_ns; /* since 1970 */
  uint64_t files;
  uint64_t file_bytes;
  uint64_t block;
  uint64_t where;
  uint64_t check;
};

enum ack_where {
  SYNC_LOG_ON_DEVICE = 1 << 0, /* the only file */
  SYNC_LOG_SENT = 1 << 1, /* from another machine: the end, and pieces without
                             room, can be missing */
};

enum sync_log_kind {
  SYNC_LOG_BEGUN =
    1, /* n blocks from `block` on get generations from this one on */
  SYNC_LOG_WRITTEN, /* the system has completed the write */
  SYNC_LOG_DURABLE, /* and promised to keep it (O_SYNC) */

  /* File number `block`: records before number `generation` of the log
   * acknowledge their writes to that file. */
  SYNC_LOG_SYNCED,
  SYNC_LOG_SYNC_FAILED, /* nothing later acknowledges the file */
  SYNC_LOG_END,         /* proper end of the run */
};

struct sync_log_record {
  _Atomic uint32_t check; /* last, by release */
  uint32_t kind : 8;
  uint32_t writer : 24; /* thread */
  uint32_t ms;          /* from the start of the log */
  uint32_t n;
  uint64_t generation;
  uint64_t block;
};

_Static_assert(sizeof(struct sync_log_record) == 32, "what the comment says");

static inline uint32_t sync_log_check(const struct sync_log_record *r,
                                      uint64_t run, uint64_t index)
{
  uint64_t sum = rng_mix(run + index);

  sum = rng_mix(sum ^ ((uint64_t)r->kind << 24 | r->writer));
  sum = rng_mix(sum ^ ((uint64_t)r->ms << 32 | r->n));
  sum = rng_mix(sum ^ r->generation);
  sum = rng_mix(sum ^ r->block);
  return (uint32_t)sum | 1; /* never all zeros */
}

static inline uint64_t sync_log_header_check(const struct sync_log_header *h)
{
  uint64_t sum = rng_mix(h->run);

  sum = rng_mix(sum ^ h->start_ns);
  sum = rng_mix(sum ^ h->files);
  sum = rng_mix(sum ^ h->file_bytes);
  sum = rng_mix(sum ^ h->block);
  return rng_mix(sum ^ h->where);
}

static inline uint64_t sync_log_blocks_per_file(const struct sync_log_header *h)
{
  return h->file_bytes / h->block + (h->file_bytes % h->block != 0);
}

#endif
