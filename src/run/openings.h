/*
 * openings.h - idle clients of a thread begin a few at a time.  Only for
 * src/run.
 *
 * A client that opens its connection needs a Lua environment, which it leaves
 * when it is idle.  If all did that at once, the memory of all these
 * environments would stay with the process.
 */
#ifndef BENCH_RUN_OPENINGS_H
#define BENCH_RUN_OPENINGS_H

#include <stdint.h>

struct err;
struct loop;
struct run;
struct worker;

/* Of one thread, which alone uses it. */
struct openings {
  struct run *run;
  struct loop *loop;
  unsigned next;   /* index of the worker to look at next */
  unsigned step;   /* from one worker of the thread to the next */
  unsigned inside; /* clients that have begun, and are not open yet */
  uint64_t ended;  /* clients that are open */
};

/*
 * Begin the idle ones of run->workers[first], [first + step] and so on, in
 * fibers of the loop.
 */
int openings_begin(struct openings *o, struct run *run, struct loop *l,
                   unsigned first, unsigned step, struct err *err);
/* In the loop's thread: an idle client is open, or has failed. */
void openings_next(struct openings *o);

#endif
