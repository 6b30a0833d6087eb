/*
 * fiber.h - what a fiber may ask and say of itself.
 *
 * Machine code of LuaJIT on the stack forbids to park a fiber: callers of Lua
 * code use fiber_allow(false), and functions that Lua calls in a safe way use
 * fiber_allow(true) while they run.  Where forbidden, and outside of fibers,
 * functions of loop.h block the thread.
 */
#ifndef BENCH_LOOP_FIBER_H
#define BENCH_LOOP_FIBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loop;

/* Of the fiber that runs in this thread. */
struct fiber {
  struct loop *loop;
  bool may_park;     /* at first true */
  uint64_t switches; /* times parked */
  uint64_t lag_ns; /* how long it went on too late: see loop_on_lag(); a sum */
};

/* Of the calling thread; NULL: none. */
static inline struct fiber *fiber_here(void)
{
  extern _Thread_local struct fiber *fiber_of_thread;

  return fiber_of_thread;
}

/* NULL: none, the thread has to block. */
static inline struct fiber *fiber_parkable(void)
{
  struct fiber *f = fiber_here();

  return f && f->may_park ? f : NULL;
}

/* Returns the value before.  No effect outside of a fiber. */
static inline bool fiber_allow(bool may)
{
  struct fiber *f = fiber_here();
  const bool before = f && f->may_park;

  if (f)
    f->may_park = may;
  return before;
}

/* Others have run if this has changed. */
static inline uint64_t fiber_switches(void)
{
  const struct fiber *f = fiber_here();

  return f ? f->switches : 0;
}

/* This fiber goes on so long after its answer has come, which another one has
 * received: see loop_on_lag(). */
void fiber_note_lag(uint64_t ns);

/* Let other fibers run. */
void fiber_yield(void);

bool fiber_is_alone(void);

/* Park this fiber, which must be parkable, until fiber_wake() in its thread. */
void fiber_sleep(void);
void fiber_wake(struct fiber *f);

/* Free memory of the stack that deeper calls have used. */
void fiber_trim_stack(void);

#endif
