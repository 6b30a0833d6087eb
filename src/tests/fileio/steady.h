/*
 * steady.h - detects when the throughput is steady.  As in specifications of
 * storage tests, it is when the last windows differ little and show no trend.
 */
#ifndef BENCH_TESTS_FILEIO_STEADY_H
#define BENCH_TESTS_FILEIO_STEADY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct facts;
struct worker;

enum {
  STEADY_WINDOWS = 5 /* number of windows compared */
};

/* The figures of the last windows. */
struct steady_state {
  double mean;  /* events per second */
  double range; /* highest - lowest, as a share of the mean */
  double slope; /* change of the fitted line over the windows, as a share of
                 * the mean; may be negative */
};

struct steady {
  /* Constant while workers exist. */
  double limit; /* for range and slope, as a share of the mean */
  uint64_t window_ns;

  /* Used by the first worker only. */
  double rate[STEADY_WINDOWS]; /* a ring; [n % STEADY_WINDOWS] is next */
  unsigned n;                  /* windows so far */
  uint64_t start_ns;           /* of the current window, or 0 */
  uint64_t before;             /* events before it */

  _Atomic bool reached; /* read by all workers */
};

void steady_init(struct steady *s, double percent, double window_s);

/* Compute the figures of the last windows; false: there were too few. */
bool steady_look(const struct steady *s, struct steady_state *ret);

/* Add a window that has ended, with this many events per second. */
void steady_add(struct steady *s, double rate);

/*
 * Call this between events; false: the throughput is steady, and the worker can
 * leave.
 */
bool steady_goes_on(struct steady *s, const struct worker *w);

/*
 * Call this after the run: print whether the throughput became steady, with the
 * figures of the last windows, and add them to the structured results.
 */
void steady_tell(const struct steady *s);
void steady_facts(const struct steady *s, struct facts *to);

#endif
