/*
 * local.h - the processes of a server that runs on this machine.
 *
 * Files are read below `root`, "" for the system itself.
 */
#ifndef BENCH_MONITOR_LOCAL_H
#define BENCH_MONITOR_LOCAL_H

#include <stdbool.h>
#include <sys/types.h>

struct server_reading;

/*
 * The process at the other end of a socket: the one that listens.  0: it is on
 * another machine, or hidden in a container, or this user must not see it.
 */
pid_t local_server(int fd);

/*
 * Put what the process and its children have used so far into *ret: those that
 * have ended are included.  Nothing, if it is gone.
 */
void local_read(const char *root, pid_t server, struct server_reading *ret);

#endif
