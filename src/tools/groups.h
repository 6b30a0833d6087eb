/*
 * groups.h - the repeats of a step of a sweep, or a single run.
 */
#ifndef BENCH_TOOLS_GROUPS_H
#define BENCH_TOOLS_GROUPS_H

#include <stddef.h>

#include "tools/result.h"

struct strbuf;

struct group {
  const char *path;
  const json_t *values;       /* of swept options, or NULL */
  const struct result **runs; /* owned; at least one */
  size_t n;
  size_t failed; /* left out */
};

struct groups {
  struct group *of; /* owned */
  size_t n;
};

/* Groups of successful runs.  -EINVAL: none; -ENOMEM. */
int groups_init(struct groups *ret, const struct result_file *f,
                struct err *err);
void groups_done(struct groups *g);

const struct group *groups_find(const struct groups *g, const json_t *values);

/* "threads=2, closed loop", or "". */
void group_describe(const struct group *g, struct strbuf *out);

/* NAN without values. */
double group_median(const struct group *g, double (*of)(const struct result *));
double group_percentile(const struct group *g, const char *key);

#endif
