/*
 * keeper.h - a process between the work and a launcher that kills all when one
 * has died.
 *
 * MPICH's launcher sends SIGKILL to the session of each process, before it
 * could report anything. Therefore a child in its own session does the work,
 * and its death is hidden until the other ranks have missed it and ended in
 * order. The keeper passes signals on and ends as its child does. When the
 * keeper is killed, its child gets SIGTERM.
 */
#ifndef BENCH_NODES_KEEPER_H
#define BENCH_NODES_KEEPER_H

#include <stdbool.h>
#include <sys/types.h>

/* Returns the keeper's id in the child; the caller becomes the keeper. 0: no
 * child. Call it with one thread, before opening an MPI library. */
pid_t keeper_leave_behind(void);

/* In the child. Ignored: SIGTERM stays pending. */
void keeper_ignore_death(bool ignore);

/* In the child. */
bool keeper_is_gone(pid_t keeper);

#endif
