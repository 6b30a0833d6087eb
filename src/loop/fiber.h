/*
 * fiber.h - what a fiber may ask and say of itself.
 *
 * A fiber may be parked only if nothing below it on the stack forbids that.
 * Machine code of LuaJIT does: whoever calls Lua code says fiber_allow(false),
 * and functions that Lua calls in a safe way say fiber_allow(true) for as long
 * as they run.  Where it is not allowed, and outside of fibers, those of
 * loop.h block the thread.
 */
#ifndef BENCH_LOOP_FIBER_H
#define BENCH_LOOP_FIBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loop;

/* What the other files may see of the fiber that runs in this thread. */
struct fiber {
  struct loop *loop;
  bool may_park;     /* see above; at first it may */
  uint64_t switches; /* how often it was parked */
  uint64_t came_ns;  /* see fiber_take_arrival() */
  uint64_t lag_ns; /* how long it went on too late: see loop_on_lag(); a sum */
};

/* The fiber that the calling thread is in; NULL: none. */
static inline struct fiber *fiber_here(void)
{
  extern _Thread_local struct fiber *fiber_of_thread;

  return fiber_of_thread;
}

/* The fiber that may be parked now; NULL: none, the thread has to block. */
static inline struct fiber *fiber_parkable(void)
{
  struct fiber *f = fiber_here();

  return f && f->may_park ? f : NULL;
}

/* May this fiber be parked from now on?  Returns what was true before.  Outside
 * of a fiber it does nothing. */
static inline bool fiber_allow(bool may)
{
  struct fiber *f = fiber_here();
  const bool before = f && f->may_park;

  if (f)
    f->may_park = may;
  return before;
}

/* How often this fiber was parked: others have run if that has changed. */
static inline uint64_t fiber_switches(void)
{
  const struct fiber *f = fiber_here();

  return f ? f->switches : 0;
}

/* When the bytes that this fiber has received last had come, as far as the loop
 * has seen; 0: it has received none since this was asked before. */
static inline uint64_t fiber_take_arrival(void)
{
  struct fiber *f = fiber_here();
  const uint64_t came_ns = f ? f->came_ns : 0;

  if (f)
    f->came_ns = 0;
  return came_ns;
}

/* This fiber goes on so long after its answer has come, which another one has
 * received: see loop_on_lag(). */
void fiber_note_lag(uint64_t ns);

/* Let the other fibers run that can. */
void fiber_yield(void);

/* Has the loop of this fiber no other one? */
bool fiber_is_alone(void);

/* Park this fiber, which must be parkable, until another one of its thread
 * calls fiber_wake(). */
void fiber_sleep(void);
void fiber_wake(struct fiber *f);

/* Give back the memory of the stack that deeper calls have used. */
void fiber_trim_stack(void);

#endif
