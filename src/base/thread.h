/*
 * thread.h - starts threads, and what a thread can ask of the system.
 */
#ifndef BENCH_BASE_THREAD_H
#define BENCH_BASE_THREAD_H

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

/* Numbers of processors that a cpu_set_t has room for.  CPU_SETSIZE is less
 * with musl: an eighth of them. */
enum {
  CPUS_MAX = 8 * sizeof(cpu_set_t),
};

/* Below each stack, pages that nobody may touch.  They are more than the
 * largest frame, that of the functions of Lua's library which build a text. */
#define STACK_GUARD_BYTES ((size_t)16 << 10)

/*
 * Start fn(arg) in a joinable thread.  If stack_bytes is 0, the stack has the
 * system's default size.  Programs with a sanitizer get more stack than asked
 * for, because their frames are several times as large.
 */
int thread_start(pthread_t *ret, size_t stack_bytes, void *(*fn)(void *),
                 void *arg, struct err *err);

/* The same with all signals blocked in the new thread, and in the threads that
 * it starts.  The stack is the system's default. */
int thread_start_masked(pthread_t *ret, void *(*fn)(void *), void *arg,
                        struct err *err);

/*
 * Start fn(arg) in a thread that nobody joins, because it may hang for a long
 * time; stack_bytes as for thread_start().  Returns 0 or a negative errno
 * value.
 */
int thread_start_detached(size_t stack_bytes, void *(*fn)(void *), void *arg);

/* Linux puts off wake-ups of a thread for 50 us, so that several can be one.
 * This turns that off for the calling thread, or on again. */
void thread_exact_timers(bool exact);

/* Bind the calling thread to this processor.  False: there is none, or it may
 * not run there. */
bool thread_bind(int cpu);

/*
 * Give back the pages of the calling thread's stack that deeper calls than the
 * present one have used.  Useful in a thread that will wait for a long time, or
 * that never goes as deep again.
 */
void thread_trim_stack(void);

/* The same for a stack that the program has made, which is in use. */
void thread_trim(void *low, size_t bytes);

/* The name of the calling thread in lists of the system (`top -H`); at most 15
 * characters. */
void thread_set_name(const char *name);

/* Sleep until that moment of the program's clock, as exactly as the system
 * can. */
void thread_sleep_until(uint64_t until_ns);

/* How long the calling thread has waited for a processor although it could run;
 * false: the system does not say. */
bool thread_queue_ns(uint64_t *ret);

/* The same for a thread that asks often: a file, and what it reads from it.
 * -1: the system does not count. */
int thread_queue_open(void);
bool thread_queue_read(int fd, uint64_t *ret);

#endif
