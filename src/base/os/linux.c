/*
 * linux.c - Linux has what the program asks for.
 */
#include <errno.h>
#include <linux/futex.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/os/os.h"

/* Since Linux 6.13. */
#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif

#define RAMFS_TYPE 0x858458f6u
#define TMPFS_TYPE 0x01021994u

const char *const os_lacks = "";

/* Without /proc: the path of the command line. */
bool os_program(char ret[PATH_MAX])
{
  const ssize_t len = readlink("/proc/self/exe", ret, PATH_MAX - 1);
  const char *started = (const char *)getauxval(AT_EXECFN);

  if (len > 0) {
    ret[len] = '\0';
    return true;
  }
  return started && realpath(started, ret) != NULL;
}

/* ---- threads ---- */

/* The C library has gettid() since 2.30. */
pid_t os_thread(void)
{
  return (pid_t)syscall(SYS_gettid);
}

void os_name_thread(const char *name)
{
  (void)prctl(PR_SET_NAME, name); /* without a name on failure */
}

bool os_stack(void **ret_low, size_t *ret_bytes)
{
  pthread_attr_t attr;
  bool ok;

  if (pthread_getattr_np(pthread_self(), &attr) != 0)
    return false;
  ok = pthread_attr_getstack(&attr, ret_low, ret_bytes) == 0;
  (void)pthread_attr_destroy(&attr);
  return ok;
}

/* The caller looks again. */
void os_wait(_Atomic uint32_t *word, uint32_t value,
             const struct timespec *until)
{
  (void)syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, value, until, NULL,
                FUTEX_BITSET_MATCH_ANY);
}

void os_wake(_Atomic uint32_t *word)
{
  (void)syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* ---- memory ---- */

int os_release(void *at, size_t bytes)
{
  return madvise(at, bytes, MADV_DONTNEED);
}

/* Emulators (qemu) accept unknown advice without effect. */
bool os_can_guard(void)
{
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  void *p = MAP_FAILED;
  bool can;

  if (madvise(NULL, 0, -1) < 0)
    p = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
             -1, 0);
  if (p == MAP_FAILED)
    return false;
  can = os_guard(p, page) == 0;
  (void)munmap(p, page);
  return can;
}

int os_guard(void *page, size_t bytes)
{
  return madvise(page, bytes, MADV_GUARD_INSTALL);
}

/* ---- sockets ---- */

#if defined(__x86_64__)

/* syscall() moves the arguments from register to register. */
static inline long linux_call(long number, long a, long b, long c, long d)
{
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = 0;
  register long r9 __asm__("r9") = 0;
  long rc;

  __asm__ volatile("syscall"
                   : "=a"(rc)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8),
                     "r"(r9)
                   : "rcx", "r11", "memory");
  if (rc >= 0)
    return rc;
  errno = (int)-rc;
  return -1;
}

#else

static inline long linux_call(long number, long a, long b, long c, long d)
{
  return syscall(number, a, b, c, d, 0L, 0L);
}

#endif

ssize_t os_send(int fd, const void *buf, size_t n, int flags)
{
  return linux_call(SYS_sendto, fd, (long)buf, (long)n, flags | MSG_NOSIGNAL);
}

ssize_t os_recv(int fd, void *buf, size_t n)
{
  return linux_call(SYS_recvfrom, fd, (long)buf, (long)n, 0);
}

/* 64-bit ARM and newer architectures lack poll(). */
int os_poll(struct pollfd *fd)
{
#ifdef SYS_poll
  return (int)linux_call(SYS_poll, (long)fd, 1, -1, 0);
#else
  return (int)linux_call(SYS_ppoll, (long)fd, 1, 0, 0);
#endif
}

int os_unsent(int fd, int *ret)
{
  return ioctl(fd, SIOCOUTQ, ret);
}

uint64_t os_round_trip_ns(int fd)
{
  struct tcp_info info = { 0 };
  socklen_t len = sizeof(info);

  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) < 0 ||
      info.tcpi_min_rtt == UINT32_MAX)
    return 0;
  return (uint64_t)info.tcpi_min_rtt * 1000;
}

pid_t os_peer(int fd)
{
  struct ucred peer = { 0 };
  socklen_t len = sizeof(peer);

  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 ? peer.pid
                                                                   : 0;
}

/* ---- files ---- */

bool os_in_memory(int fd)
{
  struct statfs fs;

  return fstatfs(fd, &fs) == 0 && ((unsigned)fs.f_type == TMPFS_TYPE ||
                                   (unsigned)fs.f_type == RAMFS_TYPE);
}

/* ---- processors ---- */

unsigned long elf_hwcap(void)
{
  return getauxval(AT_HWCAP);
}
