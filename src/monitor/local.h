/*
 * local.h - the processes of a server on this machine, in files below `root`
 * ("" except in tests).
 */
#ifndef BENCH_MONITOR_LOCAL_H
#define BENCH_MONITOR_LOCAL_H

#include <stdbool.h>
#include <sys/types.h>

struct server_reading;

/* The listening process at the other end; 0: elsewhere, in a container, or
 * hidden from this user. */
pid_t local_server(int fd);

/* At a port of this machine; 0 as above. */
pid_t local_listener(unsigned port);

/* Checks the age, because a server in a container can report the number of
 * another process. */
bool local_is_of_age(const char *root, pid_t pid, double age_s);

/* 0: none, or one with another name, which is not the server that forked the
 * process. */
pid_t local_parent(const char *root, pid_t pid);

/* Adds the use of the process and its children, also ended ones. */
void local_read(const char *root, pid_t server, struct server_reading *ret);

#endif
