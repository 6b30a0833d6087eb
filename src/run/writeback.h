/*
 * writeback.h - waits before a run until the machine has calmed down: --settle.
 *
 * What was written before a run, by a prepare or by the run before it, is still
 * in memory then, and the kernel writes it to the disk during the run.
 */
#ifndef BENCH_RUN_WRITEBACK_H
#define BENCH_RUN_WRITEBACK_H

#include <stdbool.h>
#include <stdint.h>

struct run;

/* ---- when is it calm? ---- */

enum {
  WRITEBACK_READINGS = 5 /* a second apart */
};

/* The latest readings of what is left to be written, in bytes. */
struct writeback {
  uint64_t bytes[WRITEBACK_READINGS];
  unsigned n;
};

/* Add a reading.  True: the last WRITEBACK_READINGS are low (at most 64 MiB)
 * and steady (the largest is at most 8 MiB above the smallest). */
bool writeback_add(struct writeback *c, uint64_t bytes);

/* ---- waiting ---- */

/* Wait as --settle says, unless a signal arrives, and note in run->life what
 * has come of it. */
void writeback_await(struct run *run);

#endif
