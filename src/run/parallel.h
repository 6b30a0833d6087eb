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

  /* Thread `tid` has failed; with an empty error, it and the later ones were
   * not started.  One call at a time. */
  void (*failed)(void *arg, unsigned tid, const struct err *why);

  bool (*is_over)(void *arg); /* start no more */
};

/*
 * Call fn(arg, tid, err) for tid = 0..n-1 in threads, and WAIT.  Returns how
 * many were negative; negative: a thread could not be started, and the others
 * have ended.
 */
int parallel_run(unsigned n, size_t stack_bytes, const struct parallel_ops *ops,
                 void *arg, struct err *err);

#endif
