/*
 * metrics_parts.h - families of metrics, for the files that write them.
 */
#ifndef BENCH_RESULTS_METRICS_PARTS_H
#define BENCH_RESULTS_METRICS_PARTS_H

#include "results/metrics.h"

struct monitor;
struct strbuf;

/* The text, and its format. */
struct metrics_out {
  struct strbuf *b;
  enum metrics_format format;
};

/* Write the lines before the samples of a family; `name` is without a suffix
 * such as "_total". */
void metrics_family(const struct metrics_out *o, const char *name,
                    const char *type, const char *help);

/* What the whole machine has done since it was started, and its state now.
 * Files are read below `root`, which is "" for the system itself; `device` is
 * the disk of the test, or "".  What is unknown is left out. */
void metrics_machine(const struct metrics_out *o, const char *root,
                     const char *device);

/* The servers of the run: since their first readings, and at the last ones. */
void metrics_servers(const struct metrics_out *o, struct monitor *m);

#endif
