/*
 * grid.h - a histogram over a fixed logarithmic grid, and its rows as text.
 *
 * The grid has `size` buckets.  Bucket i represents the value exp(ln min + i *
 * (ln max - ln min) / (size - 1)).  The latency histogram of a report has a
 * grid of 1024 buckets from 0.001 to 100000 ms; scripts make their own grids.
 * One thread at a time uses a grid.
 */
#ifndef BENCH_REPORT_GRID_H
#define BENCH_REPORT_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct hist_sum;
struct strbuf;

struct grid {
  size_t size;
  double min, max;
  double log_min;
  double buckets_per_e; /* buckets for a factor of e */
  uint64_t *count;      /* [size] */
};

/* An empty grid, whose counts the caller has zeroed, keeps and frees; [size].
 * -EINVAL unless size >= 2 and 0 < min < max, finite. */
int grid_place(struct grid *g, uint64_t *count, size_t size, double min,
               double max, struct err *err);

/* The same with counts of its own, until grid_done(); -ENOMEM. */
int grid_init(struct grid *g, size_t size, double min, double max,
              struct err *err);
void grid_done(struct grid *g);

/* The empty grid of the latency histogram, in milliseconds. */
int grid_init_latency(struct grid *g, struct err *err);

/* The value that the bucket `index` represents. */
double grid_value(const struct grid *g, size_t index);

/* The bucket nearest to `value` by logarithm: the first one for values up to
 * min, the last one for values from max on.  `value` is not NaN. */
size_t grid_index(const struct grid *g, double value);

/* Count one value.  Returns false for NaN, which is not counted. */
bool grid_update(struct grid *g, double value);

/* Add all counts of `sum` (nanoseconds) to a grid of milliseconds. */
void grid_add_hist(struct grid *g, const struct hist_sum *sum);

/* Write the line with the titles and a row for each bucket that is not empty,
 * in ascending order; nothing if all are empty. */
void grid_print(struct strbuf *b, const struct grid *g);

#endif
