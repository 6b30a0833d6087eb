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

/* Wake-ups of the calling thread are put off for 50 us, so that several can be
 * one; from now on they are not, or are again. */
void thread_exact_timers(bool exact);

/*
 * Give back the pages of the calling thread's stack that deeper calls than the
 * present one have used.  For a thread that will wait for long, or that never
 * goes as deep again.
 */
void thread_trim_stack(void);

/* What the calling thread is called in lists of the system (`top -H`); at most
 * 15 characters. */
void thread_set_name(const char *name);

/* Until that moment of the program's clock, as exactly as the system can. */
void thread_sleep_until(uint64_t until_ns);

/* Time that the calling thread has waited for a processor although it could
 * run; false: the system does not tell. */
bool thread_queue_ns(uint64_t *ret);

#endif
