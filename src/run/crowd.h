/*
 * crowd.h - may loops sleep until several answers have come (loop/gather.h)?
 *
 * They may where no processor of this machine is idle, and where as many
 * answers come then.  The first is looked up; the second is tried: a period
 * without it and one with it are compared, now and then again.  Each time that
 * it does not hold, it takes longer until the next try.
 */
#ifndef BENCH_RUN_CROWD_H
#define BENCH_RUN_CROWD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Periods: */
enum {
  CROWD_KEEP = 25,     /* with it, until it is tried again */
  CROWD_REST_MAX = 64, /* without it after tries in vain, at most */
  CROWD_LOSS = 32, /* one answer less of so many is no reason to do without */
};

#define CROWD_PERIOD_NS UINT64_C(200000000)

/* Of the threads of a run; zero at first. */
struct crowd {
  _Atomic uint64_t due_ns; /* when the period is over */
  _Atomic bool allowed;
  atomic_flag reading; /* a thread has the rest: */
  bool begun;
  uint64_t idle_ns, busy_ns, answers; /* at the last reading */
  bool tried;                         /* it is allowed for a try */
  uint64_t without;                   /* answers of the last period without */
  unsigned keep, rest, left;
};

/*
 * Any thread may call it, now and then.  When a period is over, one of them
 * reads the system's file below `root`, and calls answers(ctx): how many have
 * come so far.  Returns whether loops may sleep so.
 */
bool crowd_look(struct crowd *c, const char *root, uint64_t now_ns,
                uint64_t (*answers)(const void *ctx), const void *ctx);

#endif
