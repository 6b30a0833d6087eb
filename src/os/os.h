/*
 * os.h - what the program may ask of every system.
 *
 * The program is written for Linux.  Where another system has no such function,
 * its file in this folder has one of the same name that does the same, or fails
 * like a kernel that lacks it; the headers in `include` have the names of those
 * of Linux.  The callers do not differ.  What configure writes includes this
 * file before all others on such a system.
 */
#ifndef BENCH_OS_OS_H
#define BENCH_OS_OS_H

#if defined(__APPLE__) && !defined(_XOPEN_SOURCE)
#define _XOPEN_SOURCE 700 /* ucontext.h; _DARWIN_C_SOURCE keeps the rest */
#endif

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/* What cannot be had here, for --version: words between commas, or "". */
extern const char *const os_lacks;

/* Where the running program is: a whole path without links.  Call it before the
 * current folder changes.  False: the system does not say. */
bool os_program(char ret[PATH_MAX]);

/* A socket that does not block, and that other programs do not inherit. */
int os_stream_socket(int domain);

/* Bytes of a connection that the other end has not acknowledged.  0, or -1. */
int os_unsent(int fd, int *ret);

/* The process at the other end of a Unix socket; 0: unknown. */
pid_t os_peer(int fd);

/* The system's number of the calling thread. */
pid_t os_thread(void);

#if defined(__APPLE__)
#include "os/macos.h"
#elif defined(__FreeBSD__)
#include "os/freebsd.h"
#elif !defined(__linux__)
#error "bench has no file for this system in src/os"
#endif

#endif
