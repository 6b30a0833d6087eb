/*
 * thread.h - starts threads, and per-thread services of the system.
 */
#ifndef BENCH_BASE_THREAD_H
#define BENCH_BASE_THREAD_H

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

/* Room in a cpu_set_t. musl's CPU_SETSIZE is an eighth of this. */
enum {
  CPUS_MAX = 8 * sizeof(cpu_set_t),
};

/* Below each stack. More than the largest frame, in Lua's functions that build
 * a text. */
#define STACK_GUARD_BYTES ((size_t)16 << 10)

/* Joinable. stack_bytes 0: the system's default. Sanitizers get more, because
 * their frames are several times as large. */
int thread_start(pthread_t *ret, size_t stack_bytes, void *(*fn)(void *),
                 void *arg, struct err *err);

/* With the default stack, and all signals blocked in the thread and in those
 * that it starts. */
int thread_start_masked(pthread_t *ret, void *(*fn)(void *), void *arg,
                        struct err *err);

/* Detached, for work that can hang; stack_bytes as above. Returns 0 or a
 * negative errno value. */
int thread_start_detached(size_t stack_bytes, void *(*fn)(void *), void *arg);

/* Unless `exact`, Linux delays the thread's wake-ups by 50 us. */
void thread_exact_timers(bool exact);

/* Binds the calling thread. False: no such CPU, or not allowed. */
bool thread_bind(int cpu);

/* Before a long wait: gives back the stack's pages that deeper calls have
 * used. */
void thread_trim_stack(void);

/* The same for a stack of the program's own, which is in use. */
void thread_trim(void *low, size_t bytes);

/* Of the calling thread (`top -H`); at most 15 characters. */
void thread_set_name(const char *name);

/* Until that moment of clock_now_ns(), as exactly as possible. */
void thread_sleep_until(uint64_t until_ns);

/* Time as runnable without a CPU; false: not counted. */
bool thread_queue_ns(uint64_t *ret);

/* The same for frequent use: a file, and its content. -1: not counted. */
int thread_queue_open(void);
bool thread_queue_read(int fd, uint64_t *ret);

#endif
