/*
 * compare_print.h - comparisons as tables, text or JSON, with verdicts.
 */
#ifndef BENCH_TOOLS_COMPARE_PRINT_H
#define BENCH_TOOLS_COMPARE_PRINT_H

#include <jansson.h>
#include <stdbool.h>

#include "base/strbuf.h"
#include "tools/compare.h"
#include "tools/table.h"

struct boot_result;
struct err;
struct group;
struct result_file;

/* Verdicts and gates: pure functions.  `share` is the threshold: 0.05 is 5
 * %. */

/* Without --fail-if-slower.  Runs of a minute can show this change. */

#define VERDICT_SHARE 0.05

enum verdict {
  VERDICT_SAME,   /* interval within the threshold */
  VERDICT_FASTER, /* interval without 0 */
  VERDICT_SLOWER,
  VERDICT_INCONCLUSIVE, /* neither, or not comparable */
};

/* A higher throughput is faster; a higher value of any other figure is
 * slower. */
enum verdict verdict_of(const struct comparison *c, double share);

enum gate {
  GATE_PASSED,  /* no slowdown beyond the threshold in the interval */
  GATE_SLOWER,  /* whole interval beyond it */
  GATE_UNKNOWN, /* partly beyond, or not comparable */
};

enum gate gate_of(const struct comparison *c, double share);

/* The largest slowdown in the interval, as a share; 0: none.  Only for known
 * comparisons. */
double verdict_unnoticed(const struct comparison *c);

/*
 * If both files are searches, adds both answers and their difference to `out`,
 * and the same as an object to `list`.  -EINVAL: a search does not follow from
 * its steps.
 */
int compare_search(const struct result_file *base,
                   const struct result_file *other, enum table_format format,
                   struct strbuf *out, json_t *list, struct err *err);

struct compare_summary {
  double share; /* 0.05 is 5 % */
  bool gated;   /* threshold from --fail-if-slower */
  bool files;   /* rows name their files */
  bool markdown;

  bool steps; /* rows name their steps; set by the first row */

  /* owned */
  struct table table;
  struct strbuf lines;

  /* Counts of steps with --fail-if-slower. */
  unsigned all, slower, unknown, missing;
};

/* To start, set {0} and the first four members. */
void compare_summary_done(struct compare_summary *s);

void compare_summary_add(struct compare_summary *s,
                         const struct comparisons *c);

/* The new file lacks a step of the base. */
void compare_summary_add_missing(struct compare_summary *s,
                                 const struct group *base, const char *path);

void compare_summary_print(const struct compare_summary *s, struct strbuf *out);

/* "repeat with --repeat=5 or a longer --time (about 4 times)" */
void compare_summary_advice(const struct boot_result *r, double share,
                            struct strbuf *out);

/* Escapes Markdown.  Frees `line`. */
void compare_print_line(struct strbuf *line, const char *begin, bool markdown,
                        struct strbuf *out);
void compare_print_group(const struct group *g, const char *role, bool markdown,
                         struct strbuf *out);
void compare_print(const struct comparisons *c, double share, bool markdown,
                   struct strbuf *out);

void compare_explain(struct strbuf *out);

/* NULL: out of memory. */
json_t *compare_json(const struct comparisons *c, double share, bool gated);

#endif
