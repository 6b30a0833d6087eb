/*
 * groups.h - runs of the same thing: the repeats of one step of a sweep, or a
 * single run.
 */
#ifndef BENCH_TOOLS_GROUPS_H
#define BENCH_TOOLS_GROUPS_H

#include <stddef.h>

#include "tools/result.h"

struct strbuf;

struct group {
  const char *path;           /* of the file */
  const json_t *values;       /* of swept options; NULL: there are none */
  const struct result **runs; /* owned; at least one */
  size_t n;
  size_t failed; /* number of steps that failed and are left out */
};

struct groups {
  struct group *of; /* owned */
  size_t n;
};

/* Make the groups of successful runs.  -EINVAL: there is none; -ENOMEM. */
int groups_init(struct groups *ret, const struct result_file *f,
                struct err *err);
void groups_done(struct groups *g);

/* The group with equal values; NULL: there is none. */
const struct group *groups_find(const struct groups *g, const json_t *values);

/* "threads=2, table_size=100", or nothing. */
void group_describe(const struct group *g, struct strbuf *out);

/* The median of a figure, or of a percentile, over the runs; NAN without any.
 */
double group_median(const struct group *g, double (*of)(const struct result *));
double group_percentile(const struct group *g, const char *key);

#endif
