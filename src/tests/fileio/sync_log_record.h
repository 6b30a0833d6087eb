/*
 * sync_log_record.h - the format of the log of acknowledged writes:
 * --file-ack-log.
 *
 * The file has a header of SYNC_LOG_HEADER_BYTES and then records of 32 bytes.
 * A record whose check word is wrong was never completed and means nothing:
 * after a crash there are such gaps, and room that was not used.  Numbers are
 * in the byte order of the machine.
 */
#ifndef BENCH_TESTS_FILEIO_SYNC_LOG_RECORD_H
#define BENCH_TESTS_FILEIO_SYNC_LOG_RECORD_H

#include <stdatomic.h>
#include <stdint.h>

#include "rand/rng.h"

#define SYNC_LOG_MAGIC "bench fileio acknowledgements 1\n"

enum {
  SYNC_LOG_HEADER_BYTES = 65536, /* a multiple of every page size */
};

/* Blocks are numbered over all files, each of which begins with a new one. */
struct sync_log_header {
  char magic[sizeof(SYNC_LOG_MAGIC)];
  uint64_t run;        /* the number of the run, which its blocks have, too */
  uint64_t start_ns;   /* since 1970 */
  uint64_t files;      /* number of files */
  uint64_t file_bytes; /* used part of each */
  uint64_t block;      /* bytes */
  uint64_t where;      /* enum ack_where */
  uint64_t check;      /* of the numbers before it */
};

enum ack_where {
  SYNC_LOG_ON_DEVICE = 1 << 0, /* the only file is a device */
  SYNC_LOG_SENT = 1 << 1, /* the log was sent by another machine: the end may be
                           * missing, and what there was no room for */
};

enum sync_log_kind {
  SYNC_LOG_BEGUN =
    1, /* n blocks from `block` on get generations, from this one */
  SYNC_LOG_WRITTEN, /* the system has completed that write */
  SYNC_LOG_DURABLE, /* the same, and it has promised that it stays (O_SYNC) */

  /*
   * File number `block` was synchronised.  What had been written to it before
   * is acknowledged: the records before number `generation` of the log.
   */
  SYNC_LOG_SYNCED,
  SYNC_LOG_SYNC_FAILED, /* nothing that comes later acknowledges it */
  SYNC_LOG_END,         /* the run has ended properly */
};

struct sync_log_record {
  _Atomic uint32_t check; /* stored last, released */
  uint32_t kind : 8;      /* enum sync_log_kind */
  uint32_t writer : 24;   /* thread */
  uint32_t ms;            /* since the start of the log */
  uint32_t n;
  uint64_t generation;
  uint64_t block;
};

_Static_assert(sizeof(struct sync_log_record) == 32, "what the comment says");

/* The check word of a record, which depends on its place, too. */
static inline uint32_t sync_log_check(const struct sync_log_record *r,
                                      uint64_t run, uint64_t index)
{
  uint64_t sum = rng_mix(run + index);

  sum = rng_mix(sum ^ ((uint64_t)r->kind << 24 | r->writer));
  sum = rng_mix(sum ^ ((uint64_t)r->ms << 32 | r->n));
  sum = rng_mix(sum ^ r->generation);
  sum = rng_mix(sum ^ r->block);
  return (uint32_t)sum | 1; /* a record is never all zeros */
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

/* Blocks of each file. */
static inline uint64_t sync_log_blocks_per_file(const struct sync_log_header *h)
{
  return h->file_bytes / h->block + (h->file_bytes % h->block != 0);
}

#endif
