/*
 * hdr_log.h - an HdrHistogram interval log, format 1.3, in nanoseconds.
 *
 * All events have no tag; a class has its name, with `_` for blanks, commas and
 * the like.
 */
#ifndef BENCH_RESULTS_HDR_LOG_H
#define BENCH_RESULTS_HDR_LOG_H

#include <stddef.h>

#include "report/reporter.h"
#include "results/outfile.h"

struct hist_sum;
struct results_shared;
struct strbuf;

/* V2 encoding, 1 ns to 2^42 - 1 ns with three digits: a header, then counts
 * as zigzag LEB128; a negative number stands for a run of zeros. */
void hdr_encode(struct strbuf *out, const struct hist_sum *h);

/* Compressed, base64: "HISTFAAAA...".  0 or -ENOMEM. */
int hdr_encode_text(struct strbuf *out, const struct hist_sum *h);

void hdr_encode_base64(struct strbuf *out, const void *bytes, size_t len);

/* Context of hdr_log_reporter; `file` is open.  The caller calls
 * outfile_flush(). */
struct hdr_log {
  struct outfile file;
  const struct results_shared *shared;
};

extern const struct reporter hdr_log_reporter;

#endif
