/*
 * clock.h - nanoseconds of CLOCK_MONOTONIC, also for deadlines of system calls.
 * A trusted CPU counter costs about half of clock_gettime(), which serves
 * elsewhere and before clock_calibrate().
 */
#ifndef BENCH_BASE_CLOCK_H
#define BENCH_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_S UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_US UINT64_C(1000)

/* Any thread. Readings of a thread go back by no more than the reordering of a
 * few instructions. */
uint64_t clock_now_ns(void);

/* 0: not available. */
uint64_t clock_read_ns(clockid_t clock);

static inline struct timespec clock_timespec(uint64_t ns)
{
  return (struct timespec){ .tv_sec = (time_t)(ns / NS_PER_S),
                            .tv_nsec = (long)(ns % NS_PER_S) };
}

/* Chooses the source. Call before threads exist; takes up to 3 ms. */
void clock_calibrate(void);

/* One thread calls this about once a second, while others read. */
void clock_discipline(void);

/* "tsc", "cntvct" (ARM) or "clock_gettime". */
const char *clock_source(void);

/* Of one reading. Takes a millisecond at most. */
double clock_cost_ns(void);

#endif
