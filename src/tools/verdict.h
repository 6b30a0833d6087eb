/*
 * verdict.h - what a comparison of one figure says, in one of four words, and
 * whether it passes a limit for slowdowns.  Pure functions.
 *
 * `share` is the threshold: 0.05 is 5 %.
 */
#ifndef BENCH_TOOLS_VERDICT_H
#define BENCH_TOOLS_VERDICT_H

struct comparison;

/* Without --fail-if-slower: changes that matter to few people are smaller, and
 * runs of a minute can show it. */
#define VERDICT_SHARE 0.05

enum verdict {
  VERDICT_SAME,   /* the whole interval is inside of the threshold */
  VERDICT_FASTER, /* the interval does not contain 0 */
  VERDICT_SLOWER,
  VERDICT_INCONCLUSIVE, /* anything else, and what could not be compared */
};

/* More of a throughput is faster; of all other figures it is slower. */
enum verdict verdict_of(const struct comparison *c, double share);

/* "same", "faster", "slower", "inconclusive". */
const char *verdict_name(enum verdict v);

enum gate {
  GATE_PASSED,  /* a slowdown beyond the threshold is outside of the interval */
  GATE_SLOWER,  /* the whole interval is beyond the threshold */
  GATE_UNKNOWN, /* it is partly beyond, or nothing could be compared */
};

enum gate gate_of(const struct comparison *c, double share);

/* The largest slowdown that the interval contains, as a share; 0: none.  Only
 * of a figure that could be compared. */
double verdict_unnoticed(const struct comparison *c);

#endif
