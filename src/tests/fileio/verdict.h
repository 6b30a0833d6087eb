/*
 * verdict.h - judges a block: is what was acknowledged still there?
 */
#ifndef BENCH_TESTS_FILEIO_VERDICT_H
#define BENCH_TESTS_FILEIO_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/fileio/ack_read.h"
#include "tests/fileio/stamp.h"

struct crc32_table;
struct folder;
struct strbuf;

/* What a piece of a block contains. */
enum piece_kind {
  PIECE_HERE,      /* data of this run, at its place */
  PIECE_ELSEWHERE, /* data of this run, for another place */
  PIECE_OTHER_RUN, /* data of another run */
  PIECE_BROKEN,    /* a stamp, and a wrong checksum */
  PIECE_ZEROS,
  PIECE_FOREIGN,    /* data that no run has written */
  PIECE_MISSING,    /* the file is too short, or not there */
  PIECE_UNREADABLE, /* an error of the disk */
};

/* Neighbouring parts of a block that come from one write. */
struct piece {
  enum piece_kind kind;
  uint64_t from, to;  /* bytes in the block; `to` is the first after it */
  struct stamp stamp; /* its offset is that of the block it was made for */
};

enum {
  PIECES_MAX = 16 /* the others are counted, and not described */
};

/* A block, as it was found. */
struct found_block {
  uint64_t offset, bytes; /* in its file */
  uint32_t file;
  unsigned n;      /* pieces; 0: the block is too small for a stamp */
  unsigned kinds;  /* a bit for each enum piece_kind */
  uint64_t oldest; /* generation of the pieces of this run at their place */
  struct piece piece[PIECES_MAX]; /* the first of them */
};

enum verdict {
  VERDICT_GOOD,       /* what was acknowledged, or something later */
  VERDICT_FREE,       /* nothing was acknowledged: it may be anything */
  VERDICT_UNFINISHED, /* partly acknowledged data, partly a later write that
                       * was not acknowledged: no disk promises more */
  VERDICT_LOST,
  VERDICT_STALE,
  VERDICT_TORN,
  VERDICT_MISDIRECTED,
  VERDICT_DAMAGED,
  VERDICTS
};

static inline bool verdict_is_bad(enum verdict v)
{
  return v >= VERDICT_LOST;
}

extern const char *const verdict_words[VERDICTS];

/*
 * Find the pieces of a block.  The caller has set the other members; `got`
 * bytes of it could be read.  why: the errno value of a failed read, or 0.
 */
void verdict_look(struct found_block *b, const struct crc32_table *crc,
                  uint64_t run, const void *data, uint64_t got, int why);

enum verdict verdict_judge(const struct found_block *b,
                           const struct ack_block *log);

/* Describe the pieces. */
void verdict_describe(const struct found_block *b, const struct folder *folder,
                      struct strbuf *out);

#endif
