/*
 * members.h - the members of a mix, as a run sees them: each has events,
 * errors and latencies of its own, and may have clients and a rate of its own.
 */
#ifndef BENCH_RUN_MEMBERS_H
#define BENCH_RUN_MEMBERS_H

#include "stats/report.h"
#include <stdbool.h>

struct err;
struct run;

struct run_members {
  unsigned n;
  const struct report_member *of; /* [n] */
};

/*
 * The only member that this worker runs; members->n: it runs all of them.
 */
unsigned run_members_only(const struct run_members *members, unsigned worker);

/* Has a member a rate of its own?  NULL: it is no mix. */
bool run_members_rated(const struct run_members *members);

/* Make run->members, and prepare the workers, which exist. */
int members_make(struct run *run, struct err *err);

#endif
