/*
 * judge_past.h - which arrivals have waited for so long that they are late,
 * whenever they end.  Only for judge.c.
 */
#ifndef BENCH_RUN_JUDGE_PAST_H
#define BENCH_RUN_JUDGE_PAST_H

#include <stdint.h>

struct run;

enum {
  JUDGE_PAST = 4096, /* moments of which the arrivals are remembered */
};

struct judge_arrivals {
  uint64_t at_ns, n;
};

/* {0} is empty. */
struct judge_past {
  struct judge_arrivals of[JUDGE_PAST]; /* the next one is [n % JUDGE_PAST] */
  uint64_t n;
};

/* Remember the arrivals up to now; returns how many a worker has taken. */
uint64_t judge_past_note(struct judge_past *p, struct run *run,
                         uint64_t now_ns);

/* The arrivals that were due longer ago than this, and that no worker has
 * taken.  A negative limit: all. */
uint64_t judge_past_overdue(const struct judge_past *p, uint64_t now_ns,
                            uint64_t taken, double limit_ns);

#endif
