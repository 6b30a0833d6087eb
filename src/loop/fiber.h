/*
 * fiber.h - what a fiber can do about itself.
 *
 * A fiber cannot be parked while machine code of LuaJIT is on its stack:
 * callers of Lua code use fiber_allow(false).  Functions that Lua calls in a
 * safe way use fiber_allow(true) while they run.  Where parking is forbidden,
 * and outside of fibers, functions of loop.h block the thread.
 */
#ifndef BENCH_LOOP_FIBER_H
#define BENCH_LOOP_FIBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loop;

struct fiber {
  struct loop *loop;
  bool may_park; /* true at first */
  uint64_t switches;
  uint64_t lag_ns; /* sum of fiber_note_lag() */
};

/* The calling thread's fiber, or NULL. */
static inline struct fiber *fiber_here(void)
{
  extern _Thread_local struct fiber *fiber_of_thread;

  return fiber_of_thread;
}

/* NULL: the thread has to block. */
static inline struct fiber *fiber_parkable(void)
{
  struct fiber *f = fiber_here();

  return f && f->may_park ? f : NULL;
}

/* Returns the old value.  No effect outside of a fiber. */
static inline bool fiber_allow(bool may)
{
  struct fiber *f = fiber_here();
  const bool before = f && f->may_park;

  if (f)
    f->may_park = may;
  return before;
}

/* A new value means that others have run. */
static inline uint64_t fiber_switches(void)
{
  const struct fiber *f = fiber_here();

  return f ? f->switches : 0;
}

/* For an answer that another fiber has received: how long it waited for this
 * fiber.  See loop_on_lag(). */
void fiber_note_lag(uint64_t ns);

void fiber_yield(void);

bool fiber_is_alone(void);

/* Park this fiber, which must be parkable, until fiber_wake() in its thread. */
void fiber_sleep(void);
void fiber_wake(struct fiber *f);

/* Frees memory of the stack that deeper calls have used. */
void fiber_trim_stack(void);

#endif
