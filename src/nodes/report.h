/*
 * report.h - one report for several ranks: a reporter that merges theirs, and
 * the meetings of the run.
 */
#ifndef BENCH_NODES_REPORT_H
#define BENCH_NODES_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "report/reporter.h"
#include "run/peers.h"

struct err;
struct plan;
struct nodes;
struct nodes_report;

struct nodes_report_setup {
  struct nodes *ranks;
  const struct plan *plan; /* borrowed */
  /* The reporters that get the reports: those of the whole run in rank 0, its
   * own in another rank.  Borrowed. */
  const struct reporter_use *reporters;
  size_t n_reporters;
  bool table; /* --report-ranks */
};

int nodes_report_new(struct nodes_report **ret,
                     const struct nodes_report_setup *setup, struct err *err);
void nodes_report_free(struct nodes_report *k);

extern const struct reporter nodes_reporter; /* ctx: struct nodes_report */

/* After the run: its exit status, which other ranks may have changed. */
int nodes_report_status(const struct nodes_report *k, int status);

/* After the run, in the other ranks: has rank 0 got everything from all
 * ranks? */
bool nodes_report_complete(const struct nodes_report *k);

/* The meetings of a run.  Set before there is a struct nodes_report. */
void nodes_peers_init(struct peers *peers, struct nodes *ranks);

#endif
