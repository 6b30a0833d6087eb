/*
 * machine_parts.h - what `bench machine` measures: a short run of each test
 * that says something about processors, memory, threads or files.
 */
#ifndef BENCH_TOOLS_MACHINE_PARTS_H
#define BENCH_TOOLS_MACHINE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/sweep.h"

struct err;

enum {
  MACHINE_PARTS_MAX = 16,
  MACHINE_ARGS_MAX = 10,
  MACHINE_ARG_SIZE = 64,
};

/* What is known of the machine and of the wishes of the user. */
struct machine_wish {
  double time_s;       /* about the time of all parts together */
  unsigned cpus;       /* that may be used */
  const char *folder;  /* [opt] for files; NULL: no part with files */
  uint64_t file_bytes; /* of all files together */
  bool direct;         /* the folder allows direct I/O */
};

/* The parts; they point to each other's memory: do not copy. */
struct machine_parts {
  struct sweep_part of[MACHINE_PARTS_MAX];
  size_t n;
  const char *args[MACHINE_PARTS_MAX][MACHINE_ARGS_MAX];
  char made[MACHINE_PARTS_MAX][3][MACHINE_ARG_SIZE];
};

/* `wish` is borrowed as long as the parts are used. */
void machine_parts_make(struct machine_parts *ret,
                        const struct machine_wish *wish);

#endif
