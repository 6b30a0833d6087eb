/*
 * parallel.h - calls one function in several threads, and waits for all.
 */
#ifndef BENCH_RUN_PARALLEL_H
#define BENCH_RUN_PARALLEL_H

#include <stddef.h>

struct err;

/*
 * Call fn(arg, tid, err) for tid = 0..n-1, each in a thread of its own.  The
 * error of each thread that failed (a negative return) is passed to `failed`,
 * one call at a time.  Returns the number of threads that failed; negative: the
 * threads could not be started (those that were started have ended); `failed`
 * was then called with an empty error for the first one that was not.
 */
int parallel_run(unsigned n, size_t stack_bytes,
                 int (*fn)(void *arg, unsigned tid, struct err *err), void *arg,
                 void (*failed)(void *arg, unsigned tid, const struct err *why),
                 struct err *err);

#endif
