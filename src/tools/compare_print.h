/*
 * compare_print.h - comparisons as text, Markdown or JSON.
 */
#ifndef BENCH_TOOLS_COMPARE_PRINT_H
#define BENCH_TOOLS_COMPARE_PRINT_H

#include <jansson.h>
#include <stdbool.h>

#include "base/strbuf.h"
#include "tools/compare.h"
#include "tools/table.h"

struct boot_result;
struct comparisons;
struct err;
struct group;
struct result_file;
struct strbuf;

/* ---- verdict ---- */

/*
 * The verdict on a comparison of one figure, in one of four words, and whether
 * it passes a limit for slowdowns.  Pure functions.
 *
 * `share` is the threshold: 0.05 is 5 %.
 */

/* Without --fail-if-slower.  Smaller changes matter to few people, and runs of
 * a minute can show this one. */
#define VERDICT_SHARE 0.05

enum verdict {
  VERDICT_SAME,   /* the whole interval is within the threshold */
  VERDICT_FASTER, /* the interval does not contain 0 */
  VERDICT_SLOWER,
  VERDICT_INCONCLUSIVE, /* anything else, and figures that could not be compared
                         */
};

/* A higher throughput is faster; a higher value of any other figure is
 * slower. */
enum verdict verdict_of(const struct comparison *c, double share);

enum gate {
  GATE_PASSED,  /* a slowdown beyond the threshold is outside of the interval */
  GATE_SLOWER,  /* the whole interval is beyond the threshold */
  GATE_UNKNOWN, /* it is partly beyond, or nothing could be compared */
};

enum gate gate_of(const struct comparison *c, double share);

/* The largest slowdown that the interval contains, as a share; 0: none.  Only
 * for a figure that could be compared. */
double verdict_unnoticed(const struct comparison *c);

/* ---- compare search ---- */

/*
 * The answers of two searches (--find), side by side.
 */

/*
 * If both files are searches, add their answers and what follows from the two
 * intervals to `out`, and an object with the same to `list`.  -EINVAL: a search
 * does not follow from its steps.
 */
int compare_search(const struct result_file *base,
                   const struct result_file *other, enum table_format format,
                   struct strbuf *out, json_t *list, struct err *err);

/* ---- compare summary ---- */

/*
 * The top of a comparison: one line per step with its verdict, and advice about
 * inconclusive steps.
 */

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

/* `share` is the threshold of verdicts: 0.05 is 5 %. */

/* One line about the runs of a group. */
void compare_print_group(const struct group *g, const char *role, bool markdown,
                         struct strbuf *out);
void compare_print(const struct comparisons *c, double share, bool markdown,
                   struct strbuf *out);

/* Explain the words in the tables. */
void compare_explain(struct strbuf *out);

/* NULL: out of memory. */
json_t *compare_json(const struct comparisons *c, double share, bool gated);

#endif
