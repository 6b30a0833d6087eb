/*
 * report.h - one report for several ranks.
 */
#ifndef BENCH_NODES_REPORT_H
#define BENCH_NODES_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "report/reporter.h"

struct err;
struct plan;
struct nodes;
struct nodes_report;

struct nodes_report_setup {
  struct nodes *ranks;
  const struct plan *plan; /* borrowed */
  /* On rank 0 of the whole run, elsewhere its own. Borrowed. */
  const struct reporter_use *reporters;
  size_t n_reporters;
  bool table;
};

int nodes_report_new(struct nodes_report **ret,
                     const struct nodes_report_setup *setup, struct err *err);
void nodes_report_free(struct nodes_report *k);

extern const struct reporter nodes_reporter; /* ctx: struct nodes_report */

/* Other ranks can change the status. */
int nodes_report_status(const struct nodes_report *k, int status);

bool nodes_report_complete(const struct nodes_report *k);

#endif
