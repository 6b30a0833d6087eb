/*
 * thread.h - threads of results: signals are the business of others.
 */
#ifndef BENCH_RESULTS_THREAD_H
#define BENCH_RESULTS_THREAD_H

#include <pthread.h>

struct err;

/* thread_start() with all signals blocked in the new thread. */
int results_thread_start(pthread_t *ret, void *(*fn)(void *), void *arg,
                         struct err *err);

#endif
