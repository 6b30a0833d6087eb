/*
 * merge_tally.h - what tests count by themselves, on its way to process 0.
 */
#ifndef BENCH_CLUSTER_MERGE_TALLY_H
#define BENCH_CLUSTER_MERGE_TALLY_H

struct error_count;
struct strbuf;
struct tally;
struct tally_report;
struct unpack;

void merge_tally_pack(struct strbuf *b, const struct tally_report *r);

/* One error, its text included. */
void merge_error_pack(struct strbuf *b, const struct error_count *e);
void merge_error_unpack(struct unpack *from, struct error_count *ret);

/* Add what was packed; from->failed: the bytes make no sense.  0 or -ENOMEM. */
int merge_tally_add(struct tally *to, struct unpack *from);

#endif
