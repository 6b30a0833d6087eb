/*
 * class_period.h - classes of operations in a period of a run.  One thread at a
 * time uses it: the one that makes reports.
 */
#ifndef BENCH_STATS_CLASS_PERIOD_H
#define BENCH_STATS_CLASS_PERIOD_H

#include <stddef.h>
#include <stdint.h>

#include "stats/class_stats.h"

/*
 * A class in a period, as plain numbers.  min and max are those of the bucket,
 * at most 0.1 % from the true value.  All times are 0 if nothing happened.
 */
struct class_report {
  const char *name; /* borrowed */
  uint64_t count, errors, rows, bytes;
  uint64_t sum_ns, min_ns, max_ns;
  const struct hist_sum *hist; /* borrowed */
  uint64_t reconnects;         /* see class_add_trouble() */
};

/* A percentile of its times, within [min, max]; 0: there are none. */
uint64_t class_percentile(const struct class_report *c, double pct);

struct class_list {
  unsigned n;
  const struct class_report *of; /* borrowed */
};

struct class_track;

struct class_periods {
  struct class_set *set;      /* borrowed; NULL: there never are classes */
  struct class_track **track; /* owned; [CLASS_MAX], those below n are made */
  unsigned n;
  struct class_report *report; /* owned; [CLASS_MAX]: the latest result */
  struct class_totals now;     /* owns its histogram; the numbers just read */
};

/* Returns 0 or -ENOMEM. */
int class_periods_init(struct class_periods *p, struct class_set *set);
void class_periods_done(struct class_periods *p);

/* Forget everything before this moment. */
void class_periods_restart(struct class_periods *p);

/*
 * The classes of the interval since the last call or restart, and those of the
 * time since the last restart.  The result is valid until the next call of
 * either. Classes in which nothing happened are there, too.
 */
struct class_list class_periods_interval(struct class_periods *p);
struct class_list class_periods_total(struct class_periods *p);

#endif
