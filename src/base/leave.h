/*
 * leave.h - leaves behind threads that are stuck in a server, a script or a
 * pipe: the last report is printed, and the process ends with _exit().
 *
 *   - who has waited in vain for a thread calls leave_thread();
 *   - the report thread calls leave_step() before each step, and the
 *     conductor ends the steps with leave_end_steps();
 *   - before code joins a thread or frees what threads use, it asks
 *     leave_any(). If so, program_leave() (src/program/say.c) ends the process.
 *
 * A stuck thread can come back at any moment. So the plan, the test, the
 * recorders and the reporters stay valid. Workers write only to recorders, the
 * report thread only to its file and Lua state: see outfile_leave() and
 * script_end_output().
 */
#ifndef BENCH_BASE_LEAVE_H
#define BENCH_BASE_LEAVE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* All 0 at the start. */
struct leave {
  _Atomic uint32_t steps;
  _Atomic uint32_t closed;
  _Atomic uint32_t behind;
};

/* By the report thread. False: do not touch anything more. */
static inline bool leave_step(struct leave *l)
{
  (void)atomic_fetch_add(&l->steps, 1);
  return atomic_load(&l->closed) == 0;
}

/* By the conductor. Makes all before the last step visible; the last step
 * itself can still be going on. */
static inline void leave_end_steps(struct leave *l)
{
  atomic_store(&l->closed, 1);
  (void)atomic_load(&l->steps);
}

/* By the conductor: the run goes on without a stuck thread. */
static inline void leave_thread(struct leave *l)
{
  (void)atomic_fetch_add(&l->behind, 1);
}

/* If so, free nothing that threads use. */
static inline bool leave_any(const struct leave *l)
{
  return atomic_load(&l->behind) > 0;
}

#endif
