/*
 * macos.h - calls of Linux that macOS lacks.
 */
#ifndef BENCH_OS_MACOS_H
#define BENCH_OS_MACOS_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/_types/_socklen_t.h>
#include <unistd.h>

#include "base/os/bsd.h"

#define htobe16(x) os_swap16(x)
#define htobe32(x) os_swap32(x)
#define htobe64(x) os_swap64(x)
#define be16toh(x) os_swap16(x)
#define be32toh(x) os_swap32(x)
#define be64toh(x) os_swap64(x)
#define htole16(x) ((uint16_t)(x))
#define htole32(x) ((uint32_t)(x))
#define htole64(x) ((uint64_t)(x))
#define le16toh(x) ((uint16_t)(x))
#define le32toh(x) ((uint32_t)(x))
#define le64toh(x) ((uint64_t)(x))

/* ---- memory, random bytes, names ---- */

void *reallocarray(void *p, size_t n, size_t size);
void explicit_bzero(void *p, size_t n);
ssize_t getrandom(void *to, size_t n, unsigned flags);
double lgamma_r(double x, int *ret_sign);
/* A file without a name. */
int memfd_create(const char *name, unsigned flags);
#define program_invocation_short_name getprogname()

/* ---- descriptors ---- */

#define TCP_KEEPIDLE TCP_KEEPALIVE
#define SOCK_CLOEXEC 0x10000000
#define SOCK_NONBLOCK 0x20000000
struct sockaddr;
int accept4(int fd, struct sockaddr *ret, socklen_t *len, int flags);
/* The system has it since version 27; older ones do not. */
#define pipe2 os_pipe2
int pipe2(int fds[2], int flags);
int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *limit,
          const sigset_t *mask);

/* sys/eventfd.h: a socket that sends to itself, and does not count. */
enum {
  EFD_CLOEXEC = SOCK_CLOEXEC,
  EFD_NONBLOCK = SOCK_NONBLOCK,
};
int eventfd(unsigned value, int flags);

/* ---- files ---- */

/* Only os_open() understands it. */
#define O_DIRECT 0x10000000
#define O_PATH O_RDONLY

/* Flushes the device's cache, as on Linux. */
int fdatasync(int fd);
enum {
  POSIX_FADV_DONTNEED = 4,
};
/* Drops a whole file from the cache. */
int posix_fadvise(int fd, off_t from, off_t n, int advice);
int posix_fallocate(int fd, off_t from, off_t n);

/* ---- names in object files ---- */

#define OS_MODULE_SUFFIX ".dylib"
#define OS_ASM_BEGIN(name)      \
  ".text\n"                     \
  ".globl _" name "\n"          \
  ".private_extern _" name "\n" \
  ".p2align 4\n"                \
  "_" name ":\n"
#define OS_ASM_END(name)

/* ---- time, threads and signals ---- */

/* The system's CLOCK_MONOTONIC counts microseconds, and goes on while
 * suspended. */
#undef CLOCK_MONOTONIC
#define CLOCK_MONOTONIC CLOCK_UPTIME_RAW
#define TIMER_ABSTIME 1
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *until,
                    struct timespec *ret_left);
int sigtimedwait(const sigset_t *set, siginfo_t *info,
                 const struct timespec *limit);
int sigwaitinfo(const sigset_t *set, siginfo_t *info);

/* ---- sched.h: threads cannot be bound to CPUs ---- */

#define CPU_SETSIZE 1024
typedef struct {
  uint64_t bits[CPU_SETSIZE / 64];
} cpu_set_t;

size_t os_cpus_bytes(size_t cpus);
bool os_cpu_is_in(size_t cpu, size_t bytes, const cpu_set_t *set);
void os_cpu_add(size_t cpu, size_t bytes, cpu_set_t *set);
void os_cpu_clear(size_t bytes, cpu_set_t *set);
int os_cpu_count(const cpu_set_t *set);
int sched_getaffinity(pid_t thread, size_t bytes, cpu_set_t *ret);
int sched_setaffinity(pid_t thread, size_t bytes, const cpu_set_t *set);

#define CPU_ALLOC_SIZE(n) os_cpus_bytes(n)
#define CPU_ALLOC(n) ((cpu_set_t *)calloc(1, os_cpus_bytes(n)))
#define CPU_FREE(set) free(set)
#define CPU_ZERO_S(bytes, set) os_cpu_clear(bytes, set)
#define CPU_SET_S(cpu, bytes, set) os_cpu_add((size_t)(cpu), bytes, set)
#define CPU_ISSET_S(cpu, bytes, set) os_cpu_is_in((size_t)(cpu), bytes, set)
#define CPU_ZERO(set) os_cpu_clear(sizeof(cpu_set_t), set)
#define CPU_SET(cpu, set) os_cpu_add((size_t)(cpu), sizeof(cpu_set_t), set)
#define CPU_ISSET(cpu, set) os_cpu_is_in((size_t)(cpu), sizeof(cpu_set_t), set)
#define CPU_COUNT(set) os_cpu_count(set)

#endif
