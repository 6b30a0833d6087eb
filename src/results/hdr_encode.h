/*
 * hdr_encode.h - histograms in the form that HdrHistogram's tools read.
 */
#ifndef BENCH_RESULTS_HDR_ENCODE_H
#define BENCH_RESULTS_HDR_ENCODE_H

#include <stddef.h>
#include <stdint.h>

struct hist_sum;
struct strbuf;

/*
 * The V2 encoding of a histogram of 1 ns to 2^42 - 1 ns with three significant
 * digits: a header, then the counts as zigzag LEB128, with each run of zeros as
 * one negative number.
 */
void hdr_encode(struct strbuf *out, const struct hist_sum *h);

/* The same, compressed, as base64 text: "HISTFAAAA...".  Returns 0 or
 * -ENOMEM. */
int hdr_encode_text(struct strbuf *out, const struct hist_sum *h);

void hdr_encode_base64(struct strbuf *out, const void *bytes, size_t len);

#endif
