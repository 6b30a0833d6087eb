/*
 * verify.h - compares the log of acknowledged writes with the blocks of the
 * files.
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

/* The log may lack later writes. */
#define SYNC_LOG_NOBODY_KNOWS UINT64_MAX

/* Generations; 0: none. */
struct sync_log_block {
  uint64_t acked;
  uint64_t begun; /* the last one begun, or SYNC_LOG_NOBODY_KNOWS */
};

struct sync_log_reader {
  const char *path; /* borrowed */
  FILE *file;       /* owned */
  struct sync_log_header header;
  uint64_t blocks;
  uint64_t index;         /* of the last record read */
  uint64_t next, missing; /* missing: bad records before a good one */
  uint64_t damaged;       /* completed, then changed */
  uint64_t gap;           /* the first of both */
};

struct sync_log_summary {
  uint64_t begun, written, acked; /* blocks, counted per write */
  uint64_t syncs;
  uint32_t last_ms;
  bool ended;      /* properly */
  bool open;       /* records may not have arrived */
  uint64_t gaps;   /* missing records */
  uint64_t gap_at; /* offset of the first one */
};

struct sync_log_origin {
  uint64_t generation;
  uint32_t writer;
  uint32_t ms; /* since the start of the log */
};

int sync_log_reader_open(struct sync_log_reader *r, const char *path,
                         struct err *err);
void sync_log_reader_close(struct sync_log_reader *r);

/* *ret has r->blocks; the caller frees it. */
int sync_log_reader_collect(struct sync_log_reader *r,
                            struct sync_log_block **ret,
                            struct sync_log_summary *ret_sum, struct err *err);

/* For sorted generations. */
int sync_log_reader_find_origins(struct sync_log_reader *r,
                                 struct sync_log_origin *origin, size_t n,
                                 struct err *err);

enum piece_kind {
  PIECE_HERE,      /* of this run, in place */
  PIECE_ELSEWHERE, /* of this run, misplaced */
  PIECE_OTHER_RUN,
  PIECE_BROKEN, /* wrong checksum */
  PIECE_ZEROS,
  PIECE_FOREIGN,    /* of no run */
  PIECE_MISSING,    /* no file, or too short */
  PIECE_UNREADABLE, /* error of the disk */
};

struct piece {
  enum piece_kind kind;
  uint64_t from, to;  /* in the block; `to` is behind */
  struct stamp stamp; /* with the offset of its block */
};

enum {
  PIECES_MAX = 16
};

struct found_block {
  uint64_t offset, bytes;
  uint32_t file;
  unsigned n; /* 0: no room for a stamp */
  unsigned kinds;
  uint64_t oldest;
  struct piece piece[PIECES_MAX];
};

enum verdict {
  VERDICT_GOOD,       /* or later */
  VERDICT_FREE,       /* nothing acknowledged */
  VERDICT_UNFINISHED, /* acknowledged and later data mixed: no disk promises
                         more */
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

/* Set offset, bytes, file before. `got`: bytes that were read; why: the errno
 * value of the read, or 0. */
void verdict_look(struct found_block *b, uint64_t run, const void *data,
                  uint64_t got, int why);

enum verdict verdict_judge(const struct found_block *b,
                           const struct sync_log_block *log);

void verdict_describe(const struct found_block *b, const struct folder *folder,
                      struct strbuf *out);

#endif
