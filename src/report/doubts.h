/*
 * doubts.h - what makes the figures of a run doubtful: few and well-founded
 * reasons, found by pure functions.
 */
#ifndef BENCH_REPORT_DOUBTS_H
#define BENCH_REPORT_DOUBTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "report/life.h"

struct report;
struct report_setup;
struct trend;

struct doubt_input {
  /* What is measured is something else than the processors of this machine:
   * a database, a disk. */
  bool measures_others;
  bool in_process; /* but a part of this process: an embedded database */
  unsigned threads;
  double clock_cost_ns; /* of one reading */
  /* With --rate: how many events were due, and had not begun at the end. */
  uint64_t arrivals, backlog;
  double rate; /* that was asked for, per second */
  const struct client_use *client;
  const struct report_setup *setup;
  const struct report *report; /* of the measured part */
  bool is_part; /* `report` is that of one of several processes */
  const struct trend *trend;
};

/* Add one; too many are dropped, and a text that is too long is cut. */
void doubts_add(struct doubts *d, bool shown, const char *code, const char *fmt,
                ...) PRINTF_LIKE(4, 5);

void doubts_find(struct doubts *ret, const struct doubt_input *in);

/*
 * Add those about percentiles from so many events: a part of doubts_find().
 * Where there are several processes, only their sum can tell.
 */
void doubts_add_samples(struct doubts *d, const struct report_setup *setup,
                        uint64_t events);

#endif
