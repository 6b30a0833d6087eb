/*
 * parallel.h - calls one function in several threads, and waits for all.
 */
#ifndef BENCH_RUN_PARALLEL_H
#define BENCH_RUN_PARALLEL_H

#include <stdbool.h>
#include <stddef.h>

struct err;

struct parallel_ops {
  int (*fn)(void *arg, unsigned tid, struct err *err);

  /* Thread `tid` has failed; an empty error: it and the later ones were not
   * started.  One call at a time. */
  void (*failed)(void *arg, unsigned tid, const struct err *why);

  bool (*is_over)(void *arg); /* no more threads are to be started */
};

/*
 * Call fn(arg, tid, err) for tid = 0..n-1, each in a thread of its own. Returns
 * how many have failed (a negative return); negative: a thread could not be
 * started (those that were started have ended).
 */
int parallel_run(unsigned n, size_t stack_bytes, const struct parallel_ops *ops,
                 void *arg, struct err *err);

#endif
