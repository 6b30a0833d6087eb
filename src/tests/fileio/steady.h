/*
 * steady.h - when is the throughput steady?  As specifications of storage tests
 * say: when the last windows differ little, and show no trend.
 */
#ifndef BENCH_TESTS_FILEIO_STEADY_H
#define BENCH_TESTS_FILEIO_STEADY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct facts;
struct worker;

enum {
  STEADY_WINDOWS = 5 /* the last ones */
};

/* What the last windows say. */
struct steady_state {
  double mean;  /* events per second */
  double range; /* from the lowest to the highest, of the mean */
  double slope; /* of the straight line through them, from the first to the
                 * last, of the mean; may be negative */
};

struct steady {
  /* Constant while workers exist. */
  double limit; /* of range and slope, as a share of the mean */
  uint64_t window_ns;

  /* By the first worker. */
  double rate[STEADY_WINDOWS]; /* the last ones; [n % STEADY_WINDOWS] is next */
  unsigned n;                  /* windows so far */
  uint64_t start_ns;           /* of the present window; 0: none has begun */
  uint64_t before;             /* events before it */

  _Atomic bool reached; /* read by all workers */
};

void steady_init(struct steady *s, double percent, double window_s);

/* The last windows; false: there were too few. */
bool steady_look(const struct steady *s, struct steady_state *ret);

/* A window has ended, with this many events per second. */
void steady_add(struct steady *s, double rate);

/* Between events; false: the throughput is steady, and the worker can leave. */
bool steady_goes_on(struct steady *s, const struct worker *w);

/* After the run: print whether it became steady, with the figures of the last
 * windows; the same for the structured results. */
void steady_tell(const struct steady *s);
void steady_facts(const struct steady *s, struct facts *to);

#endif
