/*
 * merge.h - the reports of all ranks of a run, merged into one.
 *
 * Counters are summed up and histograms added, so that percentiles of the whole
 * are as exact as those of a part.  A report travels as bytes.
 *
 * One thread at a time uses a merge.
 */
#ifndef BENCH_CLUSTER_MERGE_H
#define BENCH_CLUSTER_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/report.h"

struct err;
struct merge;
struct strbuf;
struct unpack;

/* Add the bytes of a report to `b`, without r->total. */
void merge_pack(struct strbuf *b, const struct report *r);

int merge_new(struct merge **ret, struct err *err);
void merge_free(struct merge *m);

/* Begin anew. */
void merge_clear(struct merge *m);

/* Add one; those of processes in the order of their ranks, because that is the
 * order of threads.  -EBADMSG: the bytes make no sense; -ENOMEM. */
int merge_add(struct merge *m, struct unpack *from);

/*
 * The process that was added last has one more, which covers the time behind
 * that.  Of what is true of a moment (threads that run, waiting arrivals) the
 * newer one counts.  How fairly its threads shared the work is taken from the
 * first one.  Errors as above.
 */
int merge_add_more(struct merge *m, struct unpack *from);

/* merge_add() for one of this process. */
int merge_add_report(struct merge *m, const struct report *r);

/* How many processes were added. */
unsigned merge_count(const struct merge *m);

/*
 * The report of the whole.  Kind, style, elapsed_ns, end_ns and the flags of
 * intervals stay as the caller has set them in *r; the rest is written.  What
 * it borrows is valid until the next merge_clear().
 *
 * period_ns is the mean over the processes for an interval, in which each may
 * have been a little late, or have given two reports because it was very late;
 * for all other kinds it is the longest one's.
 */
void merge_report(struct merge *m, const struct report_setup *setup,
                  struct report *r);

/* Of a line of which processes may be missing: it is said to be of `threads`
 * threads, and those are listed only if all of them are in it. */
void merge_of_all(struct report *r, unsigned threads);

#endif
