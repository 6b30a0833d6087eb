/*
 * parallel.h - the same function in several threads, until all have returned.
 */
#ifndef BENCH_RUN_PARALLEL_H
#define BENCH_RUN_PARALLEL_H

#include <stddef.h>

struct err;

/*
 * fn(arg, tid, err) for tid = 0..n-1, each in a thread of its own.  What a
 * thread that failed (a negative return) has to say is passed to `failed`, one
 * call at a time.  Returns the number of threads that failed; negative: the
 * threads could not be started (those that were have ended).
 */
int parallel_run(unsigned n, size_t stack_bytes,
                 int (*fn)(void *arg, unsigned tid, struct err *err), void *arg,
                 void (*failed)(void *arg, unsigned tid, const struct err *why),
                 struct err *err);

#endif
