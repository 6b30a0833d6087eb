/*
 * report.h - a run whose processes are one: a reporter that merges what
 * all of them report, and the meetings of the run.
 */
#ifndef BENCH_RANKS_REPORT_H
#define BENCH_RANKS_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "report/reporter.h"
#include "run/peers.h"

struct err;
struct ranks;
struct plan;
struct ranks_report;

struct ranks_report_setup {
  struct ranks *ranks;
  const struct plan *plan; /* borrowed */
  /* Where reports go: of the whole run in process 0, its own in the others.
   * Borrowed. */
  const struct reporter_use *reporters;
  size_t n_reporters;
  bool table; /* --report-ranks */
};

int ranks_report_new(struct ranks_report **ret,
                     const struct ranks_report_setup *setup, struct err *err);
void ranks_report_free(struct ranks_report *k);

extern const struct reporter ranks_reporter; /* ctx: struct ranks_report */

/* After the run: its exit status, which others may have changed. */
int ranks_report_status(const struct ranks_report *k, int status);

/* After the run, in the others: process 0 has got everything of everybody. */
bool ranks_report_complete(const struct ranks_report *k);

/* The meetings of a run; in place before there is a struct ranks_report. */
void ranks_peers_init(struct peers *peers, struct ranks *ranks);

#endif
