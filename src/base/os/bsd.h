/*
 * bsd.h - calls of Linux that macOS and FreeBSD have under other names.
 */
#ifndef BENCH_OS_BSD_H
#define BENCH_OS_BSD_H

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

extern char **environ;

/* ---- byte order: all CPUs of these systems have the lowest first ---- */

#define os_swap16 __builtin_bswap16
#define os_swap32 __builtin_bswap32
#define os_swap64 __builtin_bswap64

/* ---- sys/epoll.h ---- */

enum {
  EPOLL_CLOEXEC = 1,
  EPOLL_CTL_ADD = 1,
  EPOLL_CTL_DEL = 2,
  EPOLL_CTL_MOD = 3,
};
#define EPOLLIN 0x001u
#define EPOLLOUT 0x004u
#define EPOLLERR 0x008u
#define EPOLLHUP 0x010u
#define EPOLLRDHUP 0x2000u
#define EPOLLET 0x80000000u

struct epoll_event {
  uint32_t events;
  union {
    void *ptr;
    int fd;
    uint64_t u64;
  } data;
};

int epoll_create1(int flags);
int epoll_ctl(int epoll, int how, int fd, struct epoll_event *event);
int epoll_wait(int epoll, struct epoll_event *events, int n, int timeout_ms);

/* ---- sys/signalfd.h ---- */

enum {
  SFD_CLOEXEC = 1,
};

/* Readable from the first signal on: can be polled, not read. */
int signalfd(int fd, const sigset_t *set, int flags);

/* ---- pthread.h ---- */

/* Polls. */
int pthread_timedjoin_np(pthread_t thread, void **ret,
                         const struct timespec *until);

/* ---- sys/socket.h ---- */

/* Sends at once. */
#define MSG_MORE 0

/* ---- sched.h ---- */

/* Threads keep their ordinary priority. */
#define SCHED_IDLE SCHED_OTHER

/* ---- sys/prctl.h ---- */

enum {
  PR_SET_PDEATHSIG = 1,
};

/* For nothing else; macOS cannot. */
int prctl(int what, ...);

#endif
