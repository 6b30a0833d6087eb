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
  bool known; /* there is a comparison, with an interval */
  enum boot_state state;
  /* If it is not known: why, in a few words.  Static. */
  const char *reason;
  double share; /* COMPARE_CLASS: share of the time of the base's classes */
  /* If known; the ratio is 0 if the throughput is.  Without an interval, base,
   * other and ratio are there nevertheless, unless the ratio is 0. */
  struct boot_result r;
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

/* If no figure at all is known: the reason of the one that decides, or NULL. */
const char *comparisons_untold(const struct comparisons *c);

/* Does more of it cost more, and not take longer? */
static inline bool compare_is_cost(enum compare_kind kind)
{
  return kind == COMPARE_CPU || kind == COMPARE_SERVER_CPU ||
         kind == COMPARE_SERVER;
}

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
 * of the cpu test, and for a test with several figures of its own, it is the
 * geometric mean of the ratios.  A run without any event
 * is always slower.
 */
const struct comparison *comparisons_decisive(const struct comparisons *c);

#endif
