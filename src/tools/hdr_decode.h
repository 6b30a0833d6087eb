/*
 * hdr_decode.h - HdrHistogram's V2 encoding, compressed, in base64.
 */
#ifndef BENCH_TOOLS_HDR_DECODE_H
#define BENCH_TOOLS_HDR_DECODE_H

struct hist_sum;

/* -EINVAL: damaged, or other buckets than ours (three digits from 1);
 * -ENOMEM. */
int hdr_decode_text(struct hist_sum *ret, const char *text);

#endif
