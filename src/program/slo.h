/*
 * slo.h - the reporter that judges a run by its objective: it prints
 * the verdict after the report, and keeps it for the exit status.
 */
#ifndef BENCH_PROGRAM_SLO_H
#define BENCH_PROGRAM_SLO_H

#include <stdbool.h>

#include "report/reporter.h"

/* Its context; {0} at the beginning. */
struct slo_reporter {
  bool missed; /* there is an objective, which was not held or shown to be */
};

/* It has to come after the text reporter. */
extern const struct reporter slo_reporter;

#endif
