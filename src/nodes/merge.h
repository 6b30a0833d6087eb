/*
 * merge.h - merges the reports of all ranks of a run into one.
 *
 * Counters are summed up and histograms added, so percentiles of the whole are
 * as exact as those of a part.  A report travels as bytes.  One thread at a
 * time uses a merge.
 */
#ifndef BENCH_NODES_MERGE_H
#define BENCH_NODES_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nodes/pack.h"
#include "stats/report.h"

struct err;
struct error_count;
struct merge;
struct outage_report;
struct outage_sum;
struct strbuf;
struct tally;
struct tally_report;
struct unpack;

/* ---- packs and unpacks what tests count by themselves, for rank 0 ---- */

/* Pack or unpack one error, with its text. */
void merge_error_pack(struct strbuf *b, const struct error_count *e);
void merge_error_unpack(struct unpack *from, struct error_count *ret);

/* ---- outages of a run on their way to rank 0 ---- */

/* NULL: the report has none. */
void merge_outages_pack(struct strbuf *b, const struct outage_report *r);

/* Add what was packed.  -EBADMSG or -ENOMEM. */
int merge_outages_add(struct outage_sum *s, struct unpack *u);

/* Add the bytes of a report to `b`, without r->total. */
void merge_pack(struct strbuf *b, const struct report *r);

int merge_new(struct merge **ret, struct err *err);
void merge_free(struct merge *m);

/* Start again with no reports. */
void merge_clear(struct merge *m);

/* Add one report.  Ranks are added in order, because that is the order of their
 * threads.  Returns -EBADMSG if the bytes make no sense, or -ENOMEM. */
int merge_add(struct merge *m, struct unpack *from);

/*
 * Add another report of the rank that was added last, about the time after its
 * first one.  Where a number is true of one moment (running threads, waiting
 * arrivals), the newer one counts.  The fairness among its threads is taken
 * from the first one.  Errors as above.
 */
int merge_add_more(struct merge *m, struct unpack *from);

/* merge_add() for a report of this rank. */
int merge_add_report(struct merge *m, const struct report *r);

/* The events of a packed report. */
uint64_t merge_packed_events(struct unpack from);

/* The number of ranks that were added. */
unsigned merge_count(const struct merge *m);

/*
 * Make the report of the whole, without r->stalled_ns.  Kind, form, elapsed_ns,
 * end_ns and the flags of intervals stay as the caller has set them in *r; the
 * rest is written. What it borrows is valid until the next merge_clear().
 *
 * For an interval, period_ns is the mean over the ranks: each may have been a
 * little late, or have sent two reports because it was very late.  For all
 * other kinds it is the longest one.
 */
void merge_report(struct merge *m, const struct report_setup *setup,
                  struct report *r);

/* Adapt a line in which ranks may be missing: it is about `threads` threads,
 * and they are listed only if the line has all of them. */
void merge_of_all(struct report *r, unsigned threads);

#endif
