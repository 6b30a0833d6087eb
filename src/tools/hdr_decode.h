/*
 * hdr_decode.h - histograms of result files: HdrHistogram's V2 encoding,
 * compressed, as base64 text.
 */
#ifndef BENCH_TOOLS_HDR_DECODE_H
#define BENCH_TOOLS_HDR_DECODE_H

struct hist_sum;

/*
 * 0, or -EINVAL: this is no such text, is cut off, or is a histogram of other
 * buckets than ours (three digits from 1); -ENOMEM.  *ret is set on success
 * only.
 */
int hdr_decode_text(struct hist_sum *ret, const char *text);

#endif
