/*
 * grid.h - a histogram on a logarithmic grid, and its rows as text.
 *
 * Bucket i of `size` represents exp(ln min + i * (ln max - ln min) / (size -
 * 1)).  Reports use 1024 buckets from 0.001 to 100000 ms.  Not thread-safe.
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
  double buckets_per_e; /* per factor of e */
  uint64_t *count;      /* [size] */
};

/* `counts` [size]: zeroed, owned by the caller. -EINVAL unless size >= 2 and 0
 * < min < max, finite. */
int grid_place(struct grid *g, uint64_t *count, size_t size, double min,
               double max, struct err *err);

/* Allocates the counts, until grid_done(). -ENOMEM. */
int grid_init(struct grid *g, size_t size, double min, double max,
              struct err *err);
void grid_done(struct grid *g);

int grid_init_latency(struct grid *g, struct err *err);

double grid_value(const struct grid *g, size_t index);

/* Clamped to the first and last bucket; not for NaN. */
size_t grid_index(const struct grid *g, double value);

/* False: NaN, not counted. */
bool grid_update(struct grid *g, double value);

/* Converts nanoseconds to ms. */
void grid_add_hist(struct grid *g, const struct hist_sum *sum);

/* Titles and a row for each bucket that is not empty; nothing if all are
 * empty. */
void grid_print(struct strbuf *b, const struct grid *g);

#endif
