/*
 * think.h - how long a worker waits between two events.
 */
#ifndef BENCH_RUN_THINK_H
#define BENCH_RUN_THINK_H

#include <stdint.h>

struct rng;

enum think_kind {
  THINK_NONE,
  THINK_FIXED,       /* always a_ns */
  THINK_EXPONENTIAL, /* a_ns on average */
  THINK_UNIFORM,     /* from a_ns to b_ns */
};

struct think {
  enum think_kind kind;
  uint64_t a_ns, b_ns;
};

/* "50ms", "exp:MEAN", "uniform:MIN:MAX"; no time is THINK_NONE.  -EINVAL:
 * *ret is unchanged. */
int think_parse(const char *text, struct think *ret);

uint64_t think_draw(const struct think *think, struct rng *rng);

#endif
