/*
 * compare.h - compares two groups of runs, figure by figure: what changed, how
 * certain that is, and which change would have been noticed.
 */
#ifndef BENCH_TOOLS_COMPARE_H
#define BENCH_TOOLS_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/bootstrap.h"
#include "tools/groups.h"

struct err;

enum compare_kind {
  COMPARE_THROUGHPUT, /* per second: more is better; also of kernels */
  COMPARE_LATENCY,    /* nanoseconds */
  COMPARE_CPU,        /* nanoseconds of the client's processors */
  COMPARE_CLASS,      /* mean latency of a class of operations */
  COMPARE_BANDWIDTH,  /* a figure of the test's own, bytes per second */
  COMPARE_ACCESS,     /* a figure of the test's own, nanoseconds */
  COMPARE_WORK,       /* a figure of the test's own, operations per second */
  COMPARE_RATIO,      /* a figure of the test's own: more is better */
  COMPARE_SERVER_CPU, /* nanoseconds of the servers' processors, per event */
  COMPARE_SERVER,     /* what servers count, per event */
};

/* Is more of it better? */
static inline bool compare_is_rate(enum compare_kind kind)
{
  return kind == COMPARE_THROUGHPUT || kind == COMPARE_BANDWIDTH ||
         kind == COMPARE_WORK || kind == COMPARE_RATIO;
}

struct comparison {
  char *name; /* owned: "events/s", "p95", the text of a statement */
  /* [opt] borrowed from the base: a figure of this member of a mix. */
  const char *member;
  enum compare_kind kind;
  bool known;   /* there is a comparison */
  bool too_few; /* too few events for this percentile: hence not known */
  double share; /* COMPARE_CLASS: share of the time of the base's classes */
  struct boot_result r; /* if known; the ratio is 0 if the throughput is */
};

/* Something that differs between the two. */
struct difference {
  char *what;         /* owned: "option threads" */
  char *base, *other; /* owned */
};

struct comparisons {
  const struct group *base, *other; /* borrowed */
  struct comparison *of;            /* owned */
  size_t n;
  struct difference *differences; /* owned: options, versions, machines */
  size_t n_differences;
  bool failed; /* out of memory: something is missing */
};

/*
 * A test with figures of its own is compared by these alone: its events are
 * only samples.  -EINVAL: the two are results of different tests; -ENOMEM.
 */
int comparisons_init(struct comparisons *ret, const struct group *base,
                     const struct group *other, struct err *err);
void comparisons_done(struct comparisons *c);

/*
 * The figure that decides which one is slower: events per second, or the mean
 * latency if both had the same --rate, which fixes the throughput.  For kernels
 * of the cpu test it is the geometric mean; for a test with other figures of
 * its own, the one that may have become worse by most.  A run without any event
 * is always slower.
 */
const struct comparison *comparisons_decisive(const struct comparisons *c);

/* Fills in the list of differences; used by comparisons_init(). */
void differences_find(struct comparisons *c);

#endif
