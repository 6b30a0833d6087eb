/*
 * leave.h - the one owner of threads that are left behind.
 *
 * A thread may be stuck at the end of a run: in a call to a server, in a hook
 * of a script, or in a pipe that nobody reads.  The run does not wait for it.
 * It prints the last report without it, and the process ends with _exit().
 *
 * One struct leave belongs to the program.  Everybody else calls only this:
 *   - the part that has waited in vain for a thread calls leave_thread();
 *   - the report thread calls leave_step() before each step, and the conductor
 *     ends these steps with leave_end_steps();
 *   - the code that would join a thread or free what it uses, although the
 *     process goes on, asks leave_any().
 * program_leave() (src/program/say.c) then ends the process.  Nothing that
 * comes after it in the program's code runs with a thread left behind.
 *
 * These threads may still be running after leave_thread():
 *   - workers that are stuck in an event or in closing a connection, although
 *     interrupt() was called twice (src/run/deadline.c);
 *   - the report thread, in one reporter (src/run/reporting.c);
 *   - the thread of the event log, or the report thread, in outfile_write();
 *   - the thread that watches time limits of statements, and threads of a
 *     driver's library, after process_done() has failed.
 * They may come back at any moment.  All memory is therefore still valid,
 * and it stays so: the plan, the test, the recorders, the reporters.
 *   - Recorders may be read.  Workers write to nothing else that is shared,
 *     and what they count after the forced end is not reported.
 *   - Periods and reporters are the conductor's: a report thread that comes
 *     back gets false from leave_step(), and touches nothing more.  The
 *     exceptions are the file and the Lua state that it is in.  These stay
 *     with it: see outfile_leave() and script_end_output().
 */
#ifndef BENCH_BASE_LEAVE_H
#define BENCH_BASE_LEAVE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* All 0 at the start. */
struct leave {
  _Atomic uint32_t steps;  /* publishes what the report thread did before */
  _Atomic uint32_t closed; /* there are no more steps */
  _Atomic uint32_t behind; /* how often leave_thread() was called */
};

/* By the report thread.  False: it may touch nothing any more. */
bool leave_step(struct leave *l);

/* By the conductor: there is no next step.  What was done before the last step
 * is visible here.  The last step itself may still be going on. */
void leave_end_steps(struct leave *l);

/* By the conductor: a thread is stuck, and the run goes on without it. */
void leave_thread(struct leave *l);

/* Was a thread left behind?  Then nothing may be freed that threads use. */
bool leave_any(const struct leave *l);

#endif
