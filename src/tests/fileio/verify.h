/*
 * verify.h - reads the log of acknowledged writes: what must each block
 * contain?
 */
#ifndef BENCH_TESTS_FILEIO_VERIFY_H
#define BENCH_TESTS_FILEIO_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tests/fileio/sync_log_record.h"
#include "tests/fileio/validate.h"

struct err;
struct folder;
struct strbuf;

/* A later write may have been begun, which the log does not have. */
#define SYNC_LOG_NOBODY_KNOWS UINT64_MAX

/* What the log says about a block; 0: there was no such write. */
struct sync_log_block {
  uint64_t acked; /* the last generation that was acknowledged */
  uint64_t
    begun; /* the last one whose write was begun, or SYNC_LOG_NOBODY_KNOWS */
};

struct sync_log_reader {
  const char *path; /* borrowed */
  FILE *file;       /* owned */
  struct sync_log_header header;
  uint64_t blocks; /* of all files */
  uint64_t index;  /* of the record that sync_log_reader_next() has found */
  uint64_t next, missing; /* the latter: records before a good one are not */
  uint64_t damaged;       /* records that were completed and have changed */
  uint64_t gap;           /* the first of both, if there is one */
};

/* About the log as a whole. */
struct sync_log_summary {
  uint64_t begun, written, acked; /* blocks, all their writes counted */
  uint64_t syncs;
  uint32_t last_ms; /* time of the last record */
  bool ended;       /* the run has ended properly */
  bool open;        /* records may not have arrived */
  uint64_t gaps;    /* records that are not there and should be */
  uint64_t gap_at;  /* where the first one should be: offset in the log */
};

/* A write of a block whose generation is known: who wrote it and when? */
struct sync_log_origin {
  uint64_t generation;
  uint32_t writer;
  uint32_t ms; /* since the start of the log, when the write had completed */
};

int sync_log_reader_open(struct sync_log_reader *r, const char *path,
                         struct err *err);
void sync_log_reader_close(struct sync_log_reader *r);

/* Start again with the first record. */
int sync_log_reader_rewind(struct sync_log_reader *r, struct err *err);

/* Read the log.  *ret is an array of r->blocks, which the caller frees. */
int sync_log_reader_collect(struct sync_log_reader *r,
                            struct sync_log_block **ret,
                            struct sync_log_summary *ret_sum, struct err *err);

/* Complete `n` origins, which are sorted by their generations. */
int sync_log_reader_find_origins(struct sync_log_reader *r,
                                 struct sync_log_origin *origin, size_t n,
                                 struct err *err);

/* ---- judges a block: is what was acknowledged still there? ---- */

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
void verdict_look(struct found_block *b, uint64_t run, const void *data,
                  uint64_t got, int why);

enum verdict verdict_judge(const struct found_block *b,
                           const struct sync_log_block *log);

/* Describe the pieces. */
void verdict_describe(const struct found_block *b, const struct folder *folder,
                      struct strbuf *out);

#endif
