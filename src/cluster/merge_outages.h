/*
 * merge_outages.h - outages of a run on their way to rank 0.
 */
#ifndef BENCH_CLUSTER_MERGE_OUTAGES_H
#define BENCH_CLUSTER_MERGE_OUTAGES_H

struct outage_report;
struct outage_sum;
struct strbuf;
struct unpack;

/* NULL: the report has none. */
void merge_outages_pack(struct strbuf *b, const struct outage_report *r);

/* Add what was packed.  -EBADMSG or -ENOMEM. */
int merge_outages_add(struct outage_sum *s, struct unpack *u);

#endif
