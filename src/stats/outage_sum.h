/*
 * outage_sum.h - the outages of several processes of a run as those of one.
 *
 * No client was served when none of any process was: a stall of the whole is a
 * time that is in a stall of each process that has not ended.  Clients are
 * added up.  Times are those since the measured start of each process, which
 * begin together.
 * Brown-outs are not known: each process knows its own throughput only.
 *
 * A process keeps its longest stalls.  If one has not kept all, stalls of the
 * whole that are no longer than those that it dropped may be missing.
 */
#ifndef BENCH_STATS_OUTAGE_SUM_H
#define BENCH_STATS_OUTAGE_SUM_H

#include <stddef.h>
#include <stdint.h>

#include "stats/outage_report.h"

/* In the order of time; the last one never ends. */
struct outage_list {
  struct stall *of;
  unsigned n;
  uint64_t end_ns; /* of the last process */
};

struct outage_sum {
  unsigned parts; /* that were added */
  struct outage_report all;
  struct outage_list list;     /* owned */
  struct stall *stalls;        /* owned; [list.n], of the report */
  uint64_t *longest, *noticed; /* owned; [n], of each affected client */
  size_t n;
};

/* Adds a copy; {0} is empty.  -ENOMEM: only outage_sum_clear() may follow. */
int outage_sum_add(struct outage_sum *s, const struct outage_report *r);

/* What was added, or NULL: nothing was.  Valid until the next call of another
 * function. */
const struct outage_report *outage_sum_report(struct outage_sum *s);

/* Empty again. */
void outage_sum_clear(struct outage_sum *s);

#endif
