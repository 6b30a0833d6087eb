/*
 * os.h - system calls of every system. The program is written for Linux. For
 * another system, a file of this folder has functions of the same name, which
 * do the same or fail like a kernel that lacks them; headers in `include` have
 * the names of Linux. configure includes this file there before all others.
 */
#ifndef BENCH_OS_OS_H
#define BENCH_OS_OS_H

#if defined(__APPLE__) && !defined(_XOPEN_SOURCE)
#define _XOPEN_SOURCE 700 /* for ucontext.h */
#endif

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct pollfd;
struct timespec;

/* For --version: words between commas, or "". */
extern const char *const os_lacks;

/* The absolute path of the running program, without links. Call before the
 * current folder changes. False: unknown. */
bool os_program(char ret[PATH_MAX]);

/* ---- threads ---- */

pid_t os_thread(void);

void os_name_thread(const char *name);

/* Of the calling thread. False: unknown. */
bool os_stack(void **ret_low, size_t *ret_bytes);

/* Sleeps while *word == value, until that time of CLOCK_MONOTONIC, or NULL. Can
 * return early. */
void os_wait(_Atomic uint32_t *word, uint32_t value,
             const struct timespec *until);

/* Wakes all who wait for this word. */
void os_wake(_Atomic uint32_t *word);

/* ---- memory ---- */

/* Loses the contents of these pages. */
int os_release(void *at, size_t bytes);

/* Can pages fault without a mapping of their own? */
bool os_can_guard(void);
int os_guard(void *page, size_t bytes);

/* ---- sockets ---- */

/* Does not block; not inherited. */
int os_stream_socket(int domain);

/*
 * send(), recv() and poll() of one descriptor, for hot paths: without
 * cancellation points, which cost three times the other instructions in a
 * program with threads. A broken connection gives EPIPE, and no signal.
 */
ssize_t os_send(int fd, const void *buf, size_t n, int flags);
ssize_t os_recv(int fd, void *buf, size_t n);
int os_poll(struct pollfd *fd);

/* Bytes that the other end has not acknowledged. 0, or -1. */
int os_unsent(int fd, int *ret);

/* The process at a Unix socket's other end; 0: unknown. */
pid_t os_peer(int fd);

/* The shortest recent round trip on a TCP connection; 0: unknown. */
uint64_t os_round_trip_ns(int fd);

/* ---- files ---- */

/* openat() with O_DIRECT on every system: reads bypass the cache. */
int os_open(int folder, const char *path, int flags, mode_t mode);

bool os_in_memory(int fd);

/* ---- processors ---- */

/* Some 64-bit ARM CPUs lack these. */
enum os_arm {
  OS_ARM_AES,
  OS_ARM_SHA2,
  OS_ARM_CRC32,
};
#if defined(__aarch64__)
bool os_arm_has(enum os_arm what);
#endif

#if defined(__APPLE__)
#include "base/os/macos.h"
#elif defined(__FreeBSD__)
#include "base/os/freebsd.h"
#elif !defined(__linux__)
#error "bench has no file for this system in src/base/os"
#endif
#if !defined(__APPLE__)
#include "base/os/elf.h"
#endif

#endif
