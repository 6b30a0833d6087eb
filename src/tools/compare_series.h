/*
 * compare_series.h - a figure of each run of a group, with its intervals as
 * samples, and where documents have it.  Only for the files that fill in
 * comparisons.
 */
#ifndef BENCH_TOOLS_COMPARE_SERIES_H
#define BENCH_TOOLS_COMPARE_SERIES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "tools/bootstrap.h"
#include "tools/compare.h"

/* What is looked at in both groups. */
struct figure {
  enum compare_kind kind;
  /* LATENCY: a percentile, NULL: the mean.  CLASS: the name of a class.
   * THROUGHPUT: the name of a kernel, NULL: events, or queries. */
  const char *key;
  bool queries;       /* THROUGHPUT: of queries, not of events */
  double beyond;      /* percentiles: share of the events above it; may be 0 */
  const char *member; /* [opt] of this member of a mix, not of the whole */
};

struct group;
struct result;

/* The runs of a group, with samples; all owned. */
struct compare_series {
  struct boot_run *runs;
  double **samples; /* two arrays per run */
  size_t n;
};

/* False: there is no memory.  Call compare_series_done() in either case. */
bool compare_series_init(struct compare_series *s, const struct group *g,
                         const struct figure *f);
void compare_series_done(struct compare_series *s);

/* The events that the figure is about: those of a run, or of a member. */
double compare_events(const struct result *r, const struct figure *f);

/* The class of that name in a list of a document, or NULL. */
const json_t *compare_class_of(const json_t *list, const char *name);

/* A figure that the test has named; NULL: there is none of that name. */
const json_t *compare_own_figure(const struct result *r, const char *name);

/* What all servers together count per event; NAN: not known. */
double compare_server_figure(const struct result *r, const char *name);

#endif
