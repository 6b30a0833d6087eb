/*
 * hdr_encode.h - writes histograms in HdrHistogram's format.
 */
#ifndef BENCH_RESULTS_HDR_ENCODE_H
#define BENCH_RESULTS_HDR_ENCODE_H

#include <stddef.h>
#include <stdint.h>

struct hist_sum;
struct strbuf;

/* V2 encoding, 1 ns to 2^42 - 1 ns with three digits: a header, then counts as
 * zigzag LEB128; a run of zeros is one negative number. */
void hdr_encode(struct strbuf *out, const struct hist_sum *h);

/* Compressed, base64: "HISTFAAAA...".  0 or -ENOMEM. */
int hdr_encode_text(struct strbuf *out, const struct hist_sum *h);

void hdr_encode_base64(struct strbuf *out, const void *bytes, size_t len);

#endif
