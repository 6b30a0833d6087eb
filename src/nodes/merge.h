/*
 * merge.h - merges the reports of all ranks. Counters and histograms are added,
 * so percentiles of the whole are exact. One thread at a time uses a merge.
 */
#ifndef BENCH_NODES_MERGE_H
#define BENCH_NODES_MERGE_H

#include <stdint.h>

#include "nodes/pack.h"
#include "stats/report.h"

struct err;
struct error_count;
struct merge;
struct outage_report;
struct outage_sum;
struct strbuf;

void merge_error_pack(struct strbuf *b, const struct error_count *e);
void merge_error_unpack(struct unpack *from, struct error_count *ret);

/* `r` may be NULL. */
void merge_outages_pack(struct strbuf *b, const struct outage_report *r);

/* -EBADMSG or -ENOMEM. */
int merge_outages_add(struct outage_sum *s, struct unpack *u);

/* Without r->total. */
void merge_pack(struct strbuf *b, const struct report *r);

int merge_new(struct merge **ret, struct err *err);
void merge_free(struct merge *m);

void merge_clear(struct merge *m);

/* In the order of ranks and threads. -EBADMSG: nonsense; -ENOMEM. */
int merge_add(struct merge *m, struct unpack *from);

/*
 * A later report of the rank that was added last. Numbers of one moment
 * (running threads, waiting arrivals) come from the newer report, fairness
 * among threads from the first. Errors as above.
 */
int merge_add_more(struct merge *m, struct unpack *from);

/* Of this rank. */
int merge_add_report(struct merge *m, const struct report *r);

uint64_t merge_packed_events(struct unpack from);

/* Ranks. */
unsigned merge_count(const struct merge *m);

/*
 * Leaves out r->stalled_ns, and keeps kind, form, elapsed_ns, end_ns and the
 * flags of intervals. Borrowed parts are valid until merge_clear().
 *
 * period_ns: for an interval the mean over the ranks, because a rank can be
 * late or send two reports; otherwise the longest.
 */
void merge_report(struct merge *m, const struct report_setup *setup,
                  struct report *r);

/* A line about `threads` threads, listed only if complete. */
void merge_of_all(struct report *r, unsigned threads);

#endif
