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
  /* A database or a disk is measured, not this machine's CPUs. */
  bool measures_others;
  bool in_process;      /* in this process: an embedded database */
  unsigned threads;     /* workers */
  bool clients;         /* workers are clients */
  double clock_cost_ns; /* of one reading */
  uint64_t limit_ns;    /* UINT64_MAX: none */
  /* With --rate: events due, and not begun at the end. */
  uint64_t arrivals, backlog;
  double rate;  /* per second; 0: none */
  bool profile; /* --load-profile */
  bool members; /* members of a mix with own rates */
  const struct client_use *client;
  const struct report_setup *setup;
  const struct report *report; /* measured */
  bool warms_up;               /* --warmup-time */
  bool winds_up;               /* work that counts follows the last event */
  bool is_part;                /* one of several ranks */
  const struct trend *trend;
};

/* Dropped without room; long texts are cut. */
void warnings_add(struct warnings *d, bool shown, const char *code,
                  const char *fmt, ...) PRINTF_LIKE(4, 5);

void warnings_find(struct warnings *ret, const struct warning_input *in);

/* The part of warnings_find() about percentiles; ranks decide by the sum of
 * their events. */
void warnings_add_samples(struct warnings *d, const struct report_setup *setup,
                          uint64_t events);

#endif
