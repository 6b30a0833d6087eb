/*
 * leave.h - threads that are left behind.
 *
 * At the end of a run, a thread may be stuck in a call to a server, in a hook
 * of a script, or in a pipe that nobody reads. The run prints the last report
 * without the thread, and the process ends with _exit(). One struct leave
 * belongs to the program:
 *   - who has waited in vain for a thread calls leave_thread();
 *   - the report thread calls leave_step() before each step, and the conductor
 * ends the steps with leave_end_steps();
 *   - before code joins a thread or frees what threads use, it asks
 * leave_any(). Then program_leave() (src/program/say.c) ends the process.
 *
 * Threads that may run after leave_thread(), and come back at any moment:
 *   - workers stuck in an event or in closing a connection, although
 * interrupt() was called twice (src/run/deadline.c);
 *   - the report thread, in one reporter (src/run/reporting.c);
 *   - the thread of the event log, or the report thread, in outfile_write();
 *   - the thread that watches time limits of statements, and threads of a
 * driver's library, after process_done() has failed. So the plan, the test, the
 * recorders and the reporters stay valid. Recorders may be read: workers write
 * to nothing else that is shared, and what they count after the forced end is
 * not reported. Periods and reporters are the conductor's: a report thread that
 * comes back gets false from leave_step() and touches nothing more, except the
 * file and the Lua state that it is in: see outfile_leave() and
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
