/*
 * report.h - one report for several ranks: a reporter that merges theirs, and
 * the meetings of the run.
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
  /* The reporters that get the reports: those of the whole run in rank 0, its
   * own in another rank.  Borrowed. */
  const struct reporter_use *reporters;
  size_t n_reporters;
  bool table; /* --report-ranks */
};

int ranks_report_new(struct ranks_report **ret,
                     const struct ranks_report_setup *setup, struct err *err);
void ranks_report_free(struct ranks_report *k);

extern const struct reporter ranks_reporter; /* ctx: struct ranks_report */

/* After the run: its exit status, which other ranks may have changed. */
int ranks_report_status(const struct ranks_report *k, int status);

/* After the run, in the other ranks: has rank 0 got everything from all
 * ranks? */
bool ranks_report_complete(const struct ranks_report *k);

/* The meetings of a run.  Set before there is a struct ranks_report. */
void ranks_peers_init(struct peers *peers, struct ranks *ranks);

#endif
