/*
 * compare.h - compares two groups of runs, figure by figure: the change, its
 * interval, and the smallest visible change.
 */
#ifndef BENCH_TOOLS_COMPARE_H
#define BENCH_TOOLS_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/bootstrap.h"
#include "tools/groups.h"

struct err;

enum compare_kind {
  COMPARE_THROUGHPUT, /* per second; also of kernels */
  COMPARE_LATENCY,    /* nanoseconds */
  COMPARE_CPU,        /* ns of the client's CPUs */
  COMPARE_CLASS,      /* mean latency */
  COMPARE_BANDWIDTH,  /* bytes per second, named by the test */
  COMPARE_ACCESS,     /* ns, named by the test */
  COMPARE_WORK,       /* per second, named by the test */
  COMPARE_RATIO,      /* named by the test: more is better */
  COMPARE_SERVER_CPU, /* ns of the servers' CPUs per event */
  COMPARE_SERVER,     /* server counters per event */
};

/* Is more of it better? */
static inline bool compare_is_rate(enum compare_kind kind)
{
  return kind == COMPARE_THROUGHPUT || kind == COMPARE_BANDWIDTH ||
         kind == COMPARE_WORK || kind == COMPARE_RATIO;
}

struct comparison {
  char *name; /* owned: "events/s", "p95", the text of a statement */
  /* [opt] member of a mix; borrowed from the base */
  const char *member;
  enum compare_kind kind;
  bool known; /* has an interval */
  enum boot_state state;
  /* If not known: why, in a few words.  Static. */
  const char *reason;
  double share; /* COMPARE_CLASS: of the time of all classes */
  /* If known.  The throughput can be 0: then ratio is 0.  Otherwise base,
   * other and ratio are set unless ratio is 0. */
  struct boot_result r;
};

struct difference {
  char *what;         /* owned: "option threads" */
  char *base, *other; /* owned */
};

struct comparisons {
  const struct group *base, *other; /* borrowed */
  struct comparison *of;            /* owned */
  size_t n;
  struct difference *differences; /* owned */
  size_t n_differences;
  bool failed; /* out of memory: incomplete */
};

/* The run that lost the largest share of its CPU time. */
struct compare_loss {
  const char *path; /* NULL: none */
  double share;
  const char *how, *remedy;
};

struct compare_loss comparisons_loss(const struct comparisons *c);

/* If no figure is known: the reason of the decisive figure; else NULL. */
const char *comparisons_untold(const struct comparisons *c);

/* Is more of it a higher cost, and not slower? */
static inline bool compare_is_cost(enum compare_kind kind)
{
  return kind == COMPARE_CPU || kind == COMPARE_SERVER_CPU ||
         kind == COMPARE_SERVER;
}

/* If the test has figures of its own, only these are compared: its events
 * are samples.  -EINVAL: results of different tests; -ENOMEM. */
int comparisons_init(struct comparisons *ret, const struct group *base,
                     const struct group *other, struct err *err);
void comparisons_done(struct comparisons *c);

/*
 * The figure that decides which group is slower: events per second; the mean
 * latency if both had the same --rate, which fixes the throughput; the
 * geometric mean of the ratios of several figures.  A run without events is
 * always slower.
 */
const struct comparison *comparisons_decisive(const struct comparisons *c);

#endif
