/*
 * bad_blocks.h - what verify has found, and how it tells that.
 */
#ifndef BENCH_TESTS_FILEIO_BAD_BLOCKS_H
#define BENCH_TESTS_FILEIO_BAD_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "tests/fileio/ack_read.h"
#include "tests/fileio/verdict.h"

struct err;
struct folder;

enum {
  BAD_BLOCKS_SHOWN = 1000, /* the others are only counted */
};

/* A block that is not as acknowledged. */
struct bad_block {
  enum verdict verdict;
  uint32_t file;
  uint64_t offset;
  uint64_t acked; /* generation; 0: none */
  char *content;  /* owned; what is there */
};

/* Starts zeroed; the caller sets `folder`. */
struct bad_blocks {
  const struct folder *folder; /* borrowed */
  uint64_t count[VERDICTS];    /* blocks */
  uint64_t n_unexplained;      /* unfinished, by no write that the log has */
  struct bad_block *shown;     /* owned */
  size_t n_shown;
  struct ack_origin *origin; /* owned; of the acknowledged generations */
  size_t n_origins, room;
};

int bad_blocks_add(struct bad_blocks *f, const struct found_block *b,
                   const struct ack_block *log, enum verdict verdict,
                   struct err *err);
void bad_blocks_done(struct bad_blocks *f);

/* How many blocks are not as acknowledged? */
uint64_t bad_blocks_count(const struct bad_blocks *f);

/* Read once more in the log who wrote what is missing, and when. */
int bad_blocks_find_origins(struct bad_blocks *f, struct ack_reader *log,
                            struct err *err);

/* Print what the log is about, and later what was found. */
void bad_blocks_tell_log(const struct ack_reader *log,
                         const struct ack_summary *sum);
void bad_blocks_tell(const struct bad_blocks *f, const struct ack_summary *sum);

#endif
