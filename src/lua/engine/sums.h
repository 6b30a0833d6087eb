/*
 * sums.h - many sums by number, which all states of a script add to.
 */
#ifndef BENCH_LUA_ENGINE_SUMS_H
#define BENCH_LUA_ENGINE_SUMS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct sums {
  pthread_mutex_t lock; /* protects the making of the cells */
  size_t n;             /* constant once there are cells */
  /* owned; NULL: not made yet.  Any thread adds and reads; all relaxed, since
   * sums do not depend on each other. */
  _Atomic double *cell;
};

void sums_init(struct sums *s);
void sums_done(struct sums *s);

/* Make `n` cells of 0; the same number any other time does nothing.  0,
 * -ENOMEM, or -EINVAL: there is another number of cells. */
int sums_open(struct sums *s, size_t n);

/* After sums_open() by this thread; what is beyond the cells is nothing. */
void sums_add(struct sums *s, size_t i, double amount);
double sums_value(const struct sums *s, size_t i);

#endif
