/*
 * ack_read.h - reads the log of acknowledged writes: what must each block
 * contain?
 */
#ifndef BENCH_TESTS_FILEIO_ACK_READ_H
#define BENCH_TESTS_FILEIO_ACK_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tests/fileio/ack_record.h"

struct err;

/* A later write may have been begun, which the log does not have. */
#define ACK_NOBODY_KNOWS UINT64_MAX

/* What the log says about a block; 0: there was no such write. */
struct ack_block {
  uint64_t acked; /* the last generation that was acknowledged */
  uint64_t begun; /* the last one whose write was begun, or ACK_NOBODY_KNOWS */
};

struct ack_reader {
  const char *path; /* borrowed */
  FILE *file;       /* owned */
  struct ack_header header;
  uint64_t blocks;        /* of all files */
  uint64_t index;         /* of the record that ack_next() has found */
  uint64_t next, missing; /* the latter: records before a good one are not */
  uint64_t damaged;       /* records that were completed and have changed */
  uint64_t gap;           /* the first of both, if there is one */
};

/* About the log as a whole. */
struct ack_summary {
  uint64_t begun, written, acked; /* blocks, all their writes counted */
  uint64_t syncs;
  uint32_t last_ms; /* time of the last record */
  bool ended;       /* the run has ended properly */
  bool open;        /* records may not have arrived */
  uint64_t gaps;    /* records that are not there and should be */
  uint64_t gap_at;  /* where the first one should be: offset in the log */
};

/* A write of a block whose generation is known: who wrote it and when? */
struct ack_origin {
  uint64_t generation;
  uint32_t writer;
  uint32_t ms; /* since the start of the log, when the write had completed */
};

int ack_open(struct ack_reader *r, const char *path, struct err *err);
void ack_close(struct ack_reader *r);

/* Start again with the first record. */
int ack_rewind(struct ack_reader *r, struct err *err);

/* The next good record.  False: there is none, or it cannot be read. */
bool ack_next(struct ack_reader *r, struct ack_record *ret);

/* After the last record: could all be read? */
int ack_check_end(const struct ack_reader *r, struct err *err);

/* Read the log.  *ret is an array of r->blocks, which the caller frees. */
int ack_collect(struct ack_reader *r, struct ack_block **ret,
                struct ack_summary *ret_sum, struct err *err);

/* Complete `n` origins, which are sorted by their generations. */
int ack_find_origins(struct ack_reader *r, struct ack_origin *origin, size_t n,
                     struct err *err);

#endif
