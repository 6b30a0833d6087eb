/*
 * members.h - the members of a mix in a run: each has counts, and perhaps
 * clients and a rate, of its own.
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

/* The only member that this worker runs; members->n: it runs all. */
unsigned run_members_only(const struct run_members *members, unsigned worker);

/* Has a member a rate of its own?  `members` may be NULL. */
bool run_members_rated(const struct run_members *members);

/* Make run->members, and prepare the workers. */
int members_make(struct run *run, struct err *err);

#endif
