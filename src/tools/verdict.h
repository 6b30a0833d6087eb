/*
 * verdict.h - the verdict on a comparison of one figure, in one of four words,
 * and whether it passes a limit for slowdowns.  Pure functions.
 *
 * `share` is the threshold: 0.05 is 5 %.
 */
#ifndef BENCH_TOOLS_VERDICT_H
#define BENCH_TOOLS_VERDICT_H

#include "tools/compare.h"

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

/* "same", "faster", "slower", "inconclusive"; of costs "less", "more". */
const char *verdict_name(enum verdict v, enum compare_kind kind);

enum gate {
  GATE_PASSED,  /* a slowdown beyond the threshold is outside of the interval */
  GATE_SLOWER,  /* the whole interval is beyond the threshold */
  GATE_UNKNOWN, /* it is partly beyond, or nothing could be compared */
};

enum gate gate_of(const struct comparison *c, double share);

/* The largest slowdown that the interval contains, as a share; 0: none.  Only
 * for a figure that could be compared. */
double verdict_unnoticed(const struct comparison *c);

#endif
