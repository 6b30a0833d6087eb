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

/* The process that listens at a port of this machine; 0, as above. */
pid_t local_listener(unsigned port);

/*
 * Does a process have this age in seconds, or nearly?  A server in a container
 * may report a number that another process has on this machine.
 */
bool local_is_of_age(const char *root, pid_t pid, double age_s);

/* The parent of a process; 0: none, or its name is another, so that it has not
 * forked the process as a server does. */
pid_t local_parent(const char *root, pid_t pid);

/*
 * Put what the process and its children have used so far into *ret: those that
 * have ended are included.  Nothing, if it is gone.
 */
void local_read(const char *root, pid_t server, struct server_reading *ret);

#endif
