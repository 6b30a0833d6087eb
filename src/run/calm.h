/*
 * calm.h - waits before a run until the machine has calmed down: --settle.
 *
 * What was written before a run, by a prepare or by the run before it, is still
 * in memory then, and the kernel writes it to the disk during the run.
 */
#ifndef BENCH_RUN_CALM_H
#define BENCH_RUN_CALM_H

#include <stdbool.h>
#include <stdint.h>

struct run;

enum calm_kind {
  CALM_NONE,
  CALM_TIME,      /* wait so long */
  CALM_WRITEBACK, /* until little is left to be written, but not longer */
};

struct calm_wish {
  enum calm_kind kind;
  double seconds;
};

/* Read --settle: "", a time, "writeback" or "writeback:TIME".  -EINVAL: it is
 * none of these, and *ret is left alone. */
int calm_parse(const char *text, struct calm_wish *ret);

/* ---- when is it calm? ---- */

enum {
  CALM_READINGS = 5 /* a second apart */
};

/* The latest readings of what is left to be written, in bytes. */
struct calm {
  uint64_t bytes[CALM_READINGS];
  unsigned n;
};

/* Add a reading.  True: the last CALM_READINGS are low (at most 64 MiB) and
 * steady (the largest is at most 8 MiB above the smallest). */
bool calm_add(struct calm *c, uint64_t bytes);

/* ---- waiting ---- */

/* Wait as --settle says, unless a signal arrives, and note in run->life what
 * has come of it. */
void calm_await(struct run *run);

#endif
