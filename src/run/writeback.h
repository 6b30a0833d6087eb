/*
 * writeback.h - --settle: waits before a run until earlier writes are on the
 * disk.
 */
#ifndef BENCH_RUN_WRITEBACK_H
#define BENCH_RUN_WRITEBACK_H

#include <stdbool.h>
#include <stdint.h>

struct run;

enum {
  WRITEBACK_READINGS = 5 /* a second apart */
};

/* The latest unwritten bytes. */
struct writeback {
  uint64_t bytes[WRITEBACK_READINGS];
  unsigned n;
};

/* True: the last WRITEBACK_READINGS are low (at most 64 MiB) and steady
 * (within 8 MiB). */
bool writeback_add(struct writeback *c, uint64_t bytes);

/* WAITS as --settle asks, unless a signal arrives; sets run->life.settled. */
void writeback_await(struct run *run);

#endif
