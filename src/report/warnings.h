/*
 * warnings.h - reasons to doubt the figures of a run: few and well-founded,
 * found by pure functions.
 */
#ifndef BENCH_REPORT_WARNINGS_H
#define BENCH_REPORT_WARNINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "report/life.h"

struct report;
struct report_setup;
struct trend;

struct warning_input {
  /* Something else than the processors of this machine is measured: a database,
   * a disk. */
  bool measures_others;
  bool in_process;  /* but it is a part of this process: an embedded database */
  unsigned threads; /* workers... */
  bool clients;     /* ...which are clients */
  double clock_cost_ns; /* of one reading */
  uint64_t limit_ns;    /* --time; UINT64_MAX: none */
  /* With --rate: the number of events that were due, and of those that had not
   * begun at the end. */
  uint64_t arrivals, backlog;
  double rate;  /* the rate that was asked for, per second; 0: none */
  bool profile; /* a rate that changes was asked for */
  bool members; /* members of a mix have rates of their own */
  const struct client_use *client;
  const struct report_setup *setup;
  const struct report *report; /* of the measured part */
  bool winds_up; /* after the last event, the test does work that counts */
  bool is_part;  /* `report` is that of one of several ranks */
  const struct trend *trend;
};

/* Add a doubt.  If there are too many, it is dropped; if its text is too long,
 * it is cut. */
void warnings_add(struct warnings *d, bool shown, const char *code,
                  const char *fmt, ...) PRINTF_LIKE(4, 5);

void warnings_find(struct warnings *ret, const struct warning_input *in);

/*
 * Add the doubts about percentiles of so many events, which are a part of
 * warnings_find().  With several ranks, only the sum of their events decides.
 */
void warnings_add_samples(struct warnings *d, const struct report_setup *setup,
                          uint64_t events);

#endif
