/*
 * merge_tally.h - packs and unpacks what tests count by themselves, for rank 0.
 */
#ifndef BENCH_CLUSTER_MERGE_TALLY_H
#define BENCH_CLUSTER_MERGE_TALLY_H

struct error_count;
struct strbuf;
struct tally;
struct tally_report;
struct unpack;

void merge_tally_pack(struct strbuf *b, const struct tally_report *r);

/* Pack or unpack one error, with its text. */
void merge_error_pack(struct strbuf *b, const struct error_count *e);
void merge_error_unpack(struct unpack *from, struct error_count *ret);

/* Add what was packed; from->failed: the bytes make no sense.  Returns 0 or
 * -ENOMEM. */
int merge_tally_add(struct tally *to, struct unpack *from);

#endif
