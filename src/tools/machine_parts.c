/*
 * machine_parts.c - the runs of `bench machine`.
 */
#include "tools/machine_parts.h"

#include <assert.h>
#include <stdio.h>

#include "base/compiler.h"

enum {
  OPTIONS_MAX = 4, /* of a row */
  WEIGHTS = 120,   /* of all rows, and the time between the runs */
};

struct row {
  const char *name;
  const char *args[OPTIONS_MAX]; /* the test and its options */
  unsigned weight;               /* its share of the time, of WEIGHTS */
  bool two_cpus;                 /* it makes no sense with one processor */
  bool all_cpus;                 /* one thread per processor */
  bool files;                    /* in the folder */
  bool direct;                   /* past the page cache, where that works */
};

static const struct row rows[] = {
  { .name = "cpu kernels",
    .args = { "cpu", "--cpu-kernel=all" },
    .weight = 21 },
  { .name = "cpu scaling",
    .args = { "cpu", "--cpu-scaling" },
    .weight = 8,
    .two_cpus = true },
  { .name = "memory bandwidth",
    .args = { "memory", "--memory-test=bandwidth" },
    .weight = 14,
    .all_cpus = true },
  { .name = "memory latency",
    .args = { "memory", "--memory-test=latency" },
    .weight = 22 },
  { .name = "memory pairs",
    .args = { "memory", "--memory-test=pairs" },
    .weight = 6,
    .two_cpus = true },
  { .name = "threads handoff",
    .args = { "threads", "--thread-test=handoff" },
    .weight = 6 },
  { .name = "mutex",
    .args = { "mutex", "--mutex-kind=pthread", "--mutex-num=1" },
    .weight = 5,
    .all_cpus = true },
  { .name = "fileio wal",
    .args = { "fileio", "--file-test-mode=wal", "--file-num=4" },
    .weight = 14,
    .files = true },
  { .name = "fileio random reads",
    .args = { "fileio", "--file-test-mode=rndrd", "--file-num=4" },
    .weight = 14,
    .files = true,
    .direct = true },
};

static bool is_wanted(const struct row *row, const struct machine_wish *wish)
{
  return (!row->two_cpus || wish->cpus > 1) && (!row->files || wish->folder);
}

static void add_part(struct machine_parts *p, const struct row *row,
                     const struct machine_wish *wish)
{
  const char **args = p->args[p->n];
  char(*made)[MACHINE_ARG_SIZE] = p->made[p->n];
  size_t n = 0;

  for (size_t i = 0; i < OPTIONS_MAX && row->args[i]; i++)
    args[n++] = row->args[i];
  (void)snprintf(made[0], sizeof(made[0]), "--time=%.3f",
                 wish->time_s * row->weight / WEIGHTS);
  args[n++] = made[0];
  if (row->all_cpus) {
    (void)snprintf(made[1], sizeof(made[1]), "--threads=%u", wish->cpus);
    args[n++] = made[1];
  }
  if (row->files) {
    (void)snprintf(made[2], sizeof(made[2]), "--file-total-size=%llu",
                   (unsigned long long)wish->file_bytes);
    args[n++] = made[2];
  }
  if (row->direct && wish->direct)
    args[n++] = "--file-extra-flags=direct";
  args[n] = NULL;
  assert(n < MACHINE_ARGS_MAX && p->n < MACHINE_PARTS_MAX);
  p->of[p->n++] = (struct sweep_part){ .name = row->name,
                                       .args = args,
                                       .folder = row->files ? wish->folder
                                                            : NULL,
                                       .prepares = row->files };
}

void machine_parts_make(struct machine_parts *ret,
                        const struct machine_wish *wish)
{
  ret->n = 0;
  for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
    if (is_wanted(&rows[i], wish))
      add_part(ret, &rows[i], wish);
  }
}
