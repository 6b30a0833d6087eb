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
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct pollfd;
struct timespec;

/* What cannot be had here, for --version: words between commas, or "". */
extern const char *const os_lacks;

/* Where the running program is: a whole path without links.  Call it before the
 * current folder changes.  False: the system does not say. */
bool os_program(char ret[PATH_MAX]);

/* ---- threads ---- */

/* The system's number of the calling thread. */
pid_t os_thread(void);

/* The name of the calling thread in lists of the system. */
void os_name_thread(const char *name);

/* Where the stack of the calling thread is.  False: the system does not say. */
bool os_stack(void **ret_low, size_t *ret_bytes);

/*
 * Sleep while *word == value, until that time of CLOCK_MONOTONIC; NULL: without
 * a limit.  May return early.
 */
void os_wait(_Atomic uint32_t *word, uint32_t value,
             const struct timespec *until);

/* Wake all who wait for this word to change. */
void os_wake(_Atomic uint32_t *word);

/* ---- memory ---- */

/* Give these pages back to the system; what was in them is lost. */
int os_release(void *at, size_t bytes);

/* Can pages be made to fault without a map of their own?  If so, how. */
bool os_can_guard(void);
int os_guard(void *page, size_t bytes);

/* ---- sockets ---- */

/* A socket that does not block, and that other programs do not inherit. */
int os_stream_socket(int domain);

/*
 * send(), recv() and poll() of one descriptor without a limit, for hot paths:
 * on Linux they are no cancellation points, which the C library's functions
 * are.  That costs three times as many instructions as the rest of them in a
 * program with threads.  A broken connection gives EPIPE, and no signal.
 */
ssize_t os_send(int fd, const void *buf, size_t n, int flags);
ssize_t os_recv(int fd, void *buf, size_t n);
int os_poll(struct pollfd *fd);

/* Bytes of a connection that the other end has not acknowledged.  0, or -1. */
int os_unsent(int fd, int *ret);

/* The process at the other end of a Unix socket; 0: unknown. */
pid_t os_peer(int fd);

/* ---- files ---- */

/* openat() that knows O_DIRECT on every system: what the cache has of the file
 * is not read. */
int os_open(int folder, const char *path, int flags, mode_t mode);

/* Does the file system of this descriptor keep its files in memory? */
bool os_in_memory(int fd);

/* ---- processors ---- */

/* Instructions that some 64-bit ARM processors lack. */
enum os_arm {
  OS_ARM_AES,
  OS_ARM_SHA2,
  OS_ARM_CRC32,
};
#if defined(__aarch64__)
bool os_arm_has(enum os_arm what);
#endif

#if defined(__APPLE__)
#include "os/macos.h"
#elif defined(__FreeBSD__)
#include "os/freebsd.h"
#elif !defined(__linux__)
#error "bench has no file for this system in src/os"
#endif
#if !defined(__APPLE__)
#include "os/elf.h"
#endif

#endif
