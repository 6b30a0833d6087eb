/*
 * leave.h - threads that are left behind.
 *
 * At the end of a run, a thread may be stuck in a call to a server, in a
 * script, or in a pipe that nobody reads. The last report is printed without
 * the thread, and the process ends with _exit(). One struct leave belongs to
 * the program:
 *   - who has waited in vain for a thread calls leave_thread();
 *   - the report thread calls leave_step() before each step, and the
 *     conductor ends the steps with leave_end_steps();
 *   - before code joins a thread or frees what threads use, it asks
 *     leave_any(). If so, program_leave() (src/program/say.c) ends the process.
 *
 * These threads may come back after leave_thread():
 *   - workers in an event or in closing a connection, although interrupt()
 *     was called twice (src/run/deadline.c);
 *   - the report thread, in one reporter, or in outfile_write();
 *   - the thread of the event log, in outfile_write();
 *   - the thread that watches time limits of statements, and threads of a
 *     driver's library, after process_done() has failed.
 * So the plan, the test, the recorders and the reporters stay valid. Workers
 * write only to recorders. After false from leave_step(), the report thread
 * touches only the file and the Lua state that it is in: see outfile_leave()
 * and script_end_output().
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

/* By the report thread. False: it may touch nothing more. */
static inline bool leave_step(struct leave *l)
{
  (void)atomic_fetch_add(&l->steps, 1);
  return atomic_load(&l->closed) == 0;
}

/* By the conductor. All before the last step is visible then; the last step
 * itself may still be going on. */
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

/* If so, nothing that threads use may be freed. */
static inline bool leave_any(const struct leave *l)
{
  return atomic_load(&l->behind) > 0;
}

#endif
