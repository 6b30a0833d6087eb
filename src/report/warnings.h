/*
 * warnings.h - reasons to doubt the figures of a run; pure functions.
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
  /* The test measures a database or a disk, not this machine's CPUs. */
  bool measures_others;
  bool in_process; /* an embedded database */
  unsigned threads;
  bool clients;         /* workers are clients */
  bool may_carry;       /* could be clients */
  double clock_cost_ns; /* per reading */
  uint64_t limit_ns;    /* UINT64_MAX: none */
  /* With --rate: events due, and those not begun at the end. */
  uint64_t arrivals, backlog;
  double rate; /* per second; 0: none */
  bool profile;
  bool members; /* members of a mix have their own rates */
  const struct client_use *client;
  const struct report_setup *setup;
  const struct report *report; /* the measured part */
  bool warms_up;
  bool winds_up; /* counted work follows the last event */
  bool is_part;  /* one of several ranks */
  const struct trend *trend;
};

/* Without room, drops the warning.  Cuts long texts. */
void warnings_add(struct warnings *d, bool shown, const char *code,
                  const char *fmt, ...) PRINTF_LIKE(4, 5);

void warnings_find(struct warnings *ret, const struct warning_input *in);

/* The part of warnings_find() about percentiles; ranks use the sum of their
 * events. */
void warnings_add_samples(struct warnings *d, const struct report_setup *setup,
                          uint64_t events);

#endif
