/*
 * options.h - the options of the fileio test.
 */
#ifndef BENCH_TESTS_FILEIO_OPTIONS_H
#define BENCH_TESTS_FILEIO_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "opt/opt.h"

enum file_mode {
  FILE_MODE_SEQWR,
  FILE_MODE_SEQREWR,
  FILE_MODE_SEQRD,
  FILE_MODE_RNDRD,
  FILE_MODE_RNDWR,
  FILE_MODE_RNDRW,
  FILE_MODE_WAL,
  FILE_MODE_MIXED,
};

enum file_engine {
  FILE_ENGINE_SYNC,
  FILE_ENGINE_AIO,
  FILE_ENGINE_MMAP,
  FILE_ENGINE_URING,
  FILE_ENGINES,
};

enum file_dist {
  FILE_DIST_DEFAULT, /* follows --rand-type */
  FILE_DIST_UNIFORM,
  FILE_DIST_GAUSSIAN,
  FILE_DIST_SPECIAL,
  FILE_DIST_PARETO,
  FILE_DIST_ZIPFIAN,
};

enum file_rw_unit {
  FILE_RW_REQUESTS,
  FILE_RW_BYTES,
};

#define BLOCKS_MAX 16

struct blocks {
  unsigned n;
  uint64_t size[BLOCKS_MAX]; /* bytes, in the order given */
  double percent[BLOCKS_MAX];
  uint64_t below[BLOCKS_MAX];
  uint64_t smallest, largest;
};

/* "SIZE", or "SIZE@WEIGHT,SIZE@WEIGHT,...". Or -EINVAL. */
int blocks_parse(const char *text, struct blocks *ret);

static inline uint64_t blocks_draw(const struct blocks *b, uint64_t random)
{
  unsigned i = 0;

  while (i + 1 < b->n && random >= b->below[i])
    i++;
  return b->size[i];
}

struct fileio_cfg {
  uint64_t num;
  const char *block_size;
  uint64_t total_size;
  int mode; /* enum file_mode; -1: unset */
  int io_mode;
  uint64_t backlog;
  uint64_t batch; /* per system call */
  bool sqpoll;
  struct opt_list extra_flags;
  uint64_t fsync_freq;
  bool fsync_all;
  bool fsync_end;
  int fsync_mode; /* 0: fsync, 1: fdatasync */
  uint64_t merged;
  double rw_ratio;
  double mixed_reads, mixed_commits, mixed_checkpoint; /* per second, or 0 */
  double steady;                                       /* percent; 0: off */
  double steady_window_s;
  double trim; /* percent of writes */
  int rw_unit;
  const char *dir;      /* "": current folder */
  const char *device;   /* "": files */
  uint64_t device_size; /* 0: all */
  bool yes_destroy;
  int dist;
  bool drop_cache;
  bool verify;
  const char *ack_log; /* "": off */
};

extern const struct opt fileio_opts[];

/* Refuses options of other modes, except --file-batch and the depth, which
 * sweeps over I/O modes share. */
int fileio_options_check(const struct fileio_cfg *cfg, struct err *err);

extern const char *const file_mode_words[];
extern const char *const file_engine_words[];

enum file_flags {
  FILE_FLAG_SYNC = 1 << 0,
  FILE_FLAG_DSYNC = 1 << 1,
  FILE_FLAG_DIRECT = 1 << 2,
};

unsigned fileio_flags(const struct fileio_cfg *cfg); /* enum file_flags */
int fileio_open_flags(unsigned flags);
const char *fileio_flags_text(unsigned flags);

static inline bool file_mode_random(int mode)
{
  return mode >= FILE_MODE_RNDRD && mode <= FILE_MODE_RNDRW;
}

static inline bool file_mode_writes(int mode)
{
  return mode != FILE_MODE_SEQRD && mode != FILE_MODE_RNDRD;
}

/* A database decides when to fsync. */
static inline bool file_mode_database(int mode)
{
  return mode >= FILE_MODE_WAL;
}

#endif
