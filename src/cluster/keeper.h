/*
 * keeper.h - a process between the work and a launcher that kills all processes
 * as soon as one of them has died.
 *
 * MPICH's launcher does that with SIGKILL, to the session of each process that
 * it has started, so that nobody could save or say anything.  So what it has
 * started stays behind as a keeper, and the work is done by a child in a
 * session of its own:
 *
 * - A child that dies is not reported to the launcher until the others have
 *   had the time to miss it and to end in an orderly way.
 * - A keeper that is killed, alone or by the launcher, leaves a child that
 *   gets SIGTERM: it can save what it has.
 * - Signals that the launcher sends are passed on, and the keeper ends as its
 *   child does.
 */
#ifndef BENCH_CLUSTER_KEEPER_H
#define BENCH_CLUSTER_KEEPER_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Returns in the child, with the keeper's id; the calling process becomes the
 * keeper and never comes back.  0: there can be no child, and work goes on
 * without a keeper.  To be called while there is one thread, and before an MPI
 * library is opened.
 */
pid_t keeper_leave_behind(void);

/* In the child: the keeper's death is (not) to be noticed.  While it is not,
 * SIGTERM waits. */
void keeper_ignore_death(bool ignore);

/* In the child: is it alone? */
bool keeper_is_gone(pid_t keeper);

#endif
