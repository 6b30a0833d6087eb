/*
 * clock.h - the one clock of the program: monotonic nanoseconds.
 *
 * Where the processor's time stamp counter runs at a constant rate and the
 * kernel itself trusts it, a reading costs about half of clock_gettime(); the
 * counter is scaled to CLOCK_MONOTONIC and kept in step with it by
 * clock_discipline().  Elsewhere, and before clock_calibrate(), a reading is
 * clock_gettime().  Values are in the domain of CLOCK_MONOTONIC in any case,
 * so that they serve as deadlines of system calls.
 */
#ifndef BENCH_BASE_CLOCK_H
#define BENCH_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_S UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_US UINT64_C(1000)

/* Any thread may call at any time.  Two readings in one thread never go
 * backwards by more than the reordering of a few instructions. */
uint64_t clock_now_ns(void);

/* What a clock of the system says, such as CLOCK_REALTIME; 0: there is none. */
uint64_t clock_read_ns(clockid_t clock);

/* A time span, or a moment of this clock, as system calls want it. */
static inline struct timespec clock_timespec(uint64_t ns)
{
  return (struct timespec){ .tv_sec = (time_t)(ns / NS_PER_S),
                            .tv_nsec = (long)(ns % NS_PER_S) };
}

/* Decide which source to use.  Call it before threads exist; it takes up to 3
 * ms. */
void clock_calibrate(void);

/* Correct the scale.  One thread calls this about once a second, while others
 * read the clock. */
void clock_discipline(void);

/* "tsc", "cntvct" (ARM) or "clock_gettime". */
const char *clock_source(void);

/* What one reading costs; takes a millisecond at most. */
double clock_cost_ns(void);

#endif
