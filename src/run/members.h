/*
 * members.h - the members of a mix in a run: each has counts of its own,
 * perhaps clients and a rate.
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

/* The member of this worker; members->n: all. */
unsigned run_members_only(const struct run_members *members, unsigned worker);

/* Has a member a rate of its own?  `members` can be NULL. */
bool run_members_rated(const struct run_members *members);

/* Makes run->members and prepares the workers. */
int members_make(struct run *run, struct err *err);

#endif
