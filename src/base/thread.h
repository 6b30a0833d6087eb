/*
 * thread.h - starting threads with a stack of a given size.
 */
#ifndef BENCH_BASE_THREAD_H
#define BENCH_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

/*
 * Start fn(arg) in a joinable thread.  stack_bytes 0 means the system's
 * default.  Programs with a sanitizer get more stack than asked for: their
 * frames are several times as large.
 */
int thread_start(pthread_t *ret, size_t stack_bytes, void *(*fn)(void *),
                 void *arg, struct err *err);

/* Time that the calling thread has waited for a processor although it could
 * run; false: the system does not tell. */
bool thread_queue_ns(uint64_t *ret);

#endif
