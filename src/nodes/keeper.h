/*
 * keeper.h - a process between the work and a launcher that kills all processes
 * as soon as one of them has died.
 *
 * MPICH's launcher does that with SIGKILL, to the session of each process that
 * it has started, so that no process could save or report anything.  Therefore
 * the process that it has started stays as a keeper, and a child in a session
 * of its own does the work:
 *
 *   - When a child dies, the launcher does not learn of it until the other
 *     ranks have had the time to miss it and to end in an orderly way.
 *   - When a keeper is killed, alone or by the launcher, its child gets
 *     SIGTERM, and can save what it has.
 *   - Signals that the launcher sends are passed on, and the keeper ends as its
 *     child does.
 */
#ifndef BENCH_NODES_KEEPER_H
#define BENCH_NODES_KEEPER_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Returns in the child, with the keeper's id.  The calling process becomes the
 * keeper and never returns.  0: there can be no child, and the work goes on
 * without a keeper.  Call it while there is one thread, and before an MPI
 * library is opened.
 */
pid_t keeper_leave_behind(void);

/* In the child: ignore the keeper's death, or notice it again.  While it is
 * ignored, SIGTERM stays pending. */
void keeper_ignore_death(bool ignore);

/* In the child: has the keeper gone? */
bool keeper_is_gone(pid_t keeper);

#endif
