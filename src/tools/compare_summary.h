/*
 * compare_summary.h - the top of a comparison: one line per step with its
 * verdict, and advice about inconclusive steps.
 */
#ifndef BENCH_TOOLS_COMPARE_SUMMARY_H
#define BENCH_TOOLS_COMPARE_SUMMARY_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "tools/table.h"

struct boot_result;
struct comparisons;
struct group;

struct compare_summary {
  double share; /* the threshold: 0.05 is 5 % */
  bool gated;   /* the threshold is that of --fail-if-slower */
  bool files;   /* there are several new files: rows name theirs */
  bool markdown;

  bool steps; /* set by the first row: rows name theirs */

  /* Owned. */
  struct table table;
  struct strbuf lines;

  /* With --fail-if-slower: counts of steps. */
  unsigned all, slower, unknown, missing;
};

/* To start, set {0} and the first four members. */
void compare_summary_done(struct compare_summary *s);

void compare_summary_add(struct compare_summary *s,
                         const struct comparisons *c);

/* The new file lacks this step of the base. */
void compare_summary_add_missing(struct compare_summary *s,
                                 const struct group *base, const char *path);

void compare_summary_print(const struct compare_summary *s, struct strbuf *out);

/*
 * What would make the comparison certain: "repeat with --repeat=5 or a longer
 * --time (about 4 times)".
 */
void compare_summary_advice(const struct boot_result *r, double share,
                            struct strbuf *out);

#endif
