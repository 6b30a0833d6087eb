/*
 * metrics.h - the present state of a run as OpenMetrics text.
 */
#ifndef BENCH_RESULTS_METRICS_H
#define BENCH_RESULTS_METRICS_H

struct hist_sum;
struct results_shared;
struct strbuf;

/*
 * Everything since the load began, the warm-up included, up to now; any thread
 * may call while workers work.  `work` is for the function's own use.
 */
void metrics_write(struct strbuf *b, const struct results_shared *shared,
                   struct hist_sum *work);

/* The same of given numbers: cumulative counts of latencies, in seconds. */
void metrics_histogram(struct strbuf *b, const char *name,
                       const struct hist_sum *h, double sum_s);

/* NAME="VALUE" with what needs it escaped. */
void metrics_label(struct strbuf *b, const char *name, const char *value);

#endif
