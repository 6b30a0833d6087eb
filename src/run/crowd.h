/*
 * crowd.h - are all processors of this machine at work?
 *
 * What is done only on a crowded machine may itself be why a processor gets
 * idle.  So each time that one is, it takes longer until the machine counts as
 * crowded again.
 */
#ifndef BENCH_RUN_CROWD_H
#define BENCH_RUN_CROWD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
  CROWD_WAIT_MAX = 64, /* periods */
};

/* Of the threads of a run; zero at first. */
struct crowd {
  _Atomic uint64_t due_ns; /* when it is looked at again */
  _Atomic bool crowded;
  atomic_flag reading; /* a thread has the rest: */
  bool begun;
  uint64_t idle_ns, busy_ns; /* at the last reading */
  unsigned wait;             /* periods at work until it is crowded */
  unsigned left;             /* of these */
};

#define CROWD_PERIOD_NS UINT64_C(200000000)

/* Any thread may call it, now and then; one of them reads the system's file
 * below `root` when a period is over. */
bool crowd_look(struct crowd *c, const char *root, uint64_t now_ns);

#endif
