#include "base/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/err.h"
#include "base/os/os.h"

#ifdef BENCH_SANITIZED
enum {
  STACK_FACTOR = 16
};
#else
enum {
  STACK_FACTOR = 1
};
#endif

/* pthread_create() does not report what it lacks. */
static bool thread_stack_fits(size_t bytes)
{
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  if (p == MAP_FAILED)
    return false;
  (void)munmap(p, bytes);
  return true;
}

static int thread_refuse_stack(struct err *err, size_t bytes, int code)
{
  return err_set(err, -code,
                 "cannot use a thread stack of %zu bytes: %s (see "
                 "--thread-stack-size)",
                 bytes, strerror(code));
}

/* EAGAIN means too many threads if the stack `fits`. */
static int thread_refuse(struct err *err, bool fits, int code)
{
  if (code == EAGAIN && fits)
    return err_set(err, -code,
                   "cannot start a thread, errno = %d (%s): the system allows "
                   "no more of them (see ulimit -u, and pids.max of the "
                   "cgroup)",
                   code, strerror(code));
  errno = code;
  return err_sys(err, "cannot start a thread,");
}

int thread_start(pthread_t *ret, size_t stack_bytes, void *(*fn)(void *),
                 void *arg, struct err *err)
{
  size_t bytes, room = 0;
  pthread_attr_t attr;
  bool fits;
  int rc;

  if (__builtin_mul_overflow(stack_bytes, STACK_FACTOR, &bytes))
    return thread_refuse_stack(err, stack_bytes, ENOMEM);
  rc = pthread_attr_init(&attr);
  if (rc != 0)
    return thread_refuse(err, false, rc);
  if (bytes > 0)
    rc = pthread_attr_setstacksize(&attr, bytes);
  if (rc == 0)
    rc = pthread_attr_setguardsize(&attr, STACK_GUARD_BYTES);
  if (rc != 0) {
    (void)pthread_attr_destroy(&attr);
    return thread_refuse_stack(err, stack_bytes, rc);
  }
  (void)pthread_attr_getstacksize(&attr, &room);
  rc = pthread_create(ret, &attr, fn, arg);
  (void)pthread_attr_destroy(&attr);
  if (rc == 0)
    return 0;
  fits = thread_stack_fits(room);
  if (bytes > 0 && !fits)
    return thread_refuse_stack(err, stack_bytes, ENOMEM);
  return thread_refuse(err, fits, rc);
}

int thread_start_masked(pthread_t *ret, void *(*fn)(void *), void *arg,
                        struct err *err)
{
  sigset_t all, before;
  int rc;

  (void)sigfillset(&all);
  (void)pthread_sigmask(SIG_SETMASK, &all, &before); /* cannot fail */
  rc = thread_start(ret, 0, fn, arg, err);
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  return rc;
}

int thread_start_detached(size_t stack_bytes, void *(*fn)(void *), void *arg)
{
  pthread_attr_t attr;
  pthread_t thread;
  int rc = pthread_attr_init(&attr);

  if (rc != 0)
    return -rc;
  if (stack_bytes > 0)
    rc = pthread_attr_setstacksize(&attr, stack_bytes * STACK_FACTOR);
  if (rc == 0)
    rc = pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
  if (rc == 0)
    rc = pthread_create(&thread, &attr, fn, arg);
  (void)pthread_attr_destroy(&attr);
  return -rc;
}

bool thread_bind(int cpu)
{
  cpu_set_t set;

  if (cpu < 0 || cpu >= CPUS_MAX)
    return false;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  return sched_setaffinity(0, sizeof(set), &set) == 0;
}

/* for os_release() itself */
enum {
  STACK_KEPT = 1024
};

NOINLINE void thread_trim(void *low, size_t bytes)
{
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  const uintptr_t end = (here - STACK_KEPT) / page * page;

  if (end > (uintptr_t)low && end < (uintptr_t)low + bytes)
    (void)os_release(low, end - (uintptr_t)low);
}

void thread_trim_stack(void)
{
  size_t bytes;
  void *low;

  if (os_stack(&low, &bytes))
    thread_trim(low, bytes);
}

void thread_set_name(const char *name)
{
  os_name_thread(name);
}

void thread_exact_timers(bool exact)
{
#if defined(PR_SET_TIMERSLACK)
  (void)prctl(PR_SET_TIMERSLACK,
              exact ? 1UL : 0UL); /* 0 restores the default */
#else
  (void)exact;
#endif
}

void thread_sleep_until(uint64_t until_ns)
{
  const struct timespec until = clock_timespec(until_ns);

  thread_exact_timers(true);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0)
    ; /* interrupted */
  thread_exact_timers(false);
}

int thread_queue_open(void)
{
  return open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
}

/* No FILE, whose memory the thread would keep. */
bool thread_queue_read(int fd, uint64_t *ret)
{
  char text[80], *waited, *end;
  const ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

  if (n <= 0)
    return false;
  text[n] = '\0';
  waited = strchr(text, ' '); /* after the time on a CPU */
  if (!waited)
    return false;
  *ret = strtoull(waited, &end, 10);
  return end != waited;
}

bool thread_queue_ns(uint64_t *ret)
{
  const int fd = thread_queue_open();
  const bool known = fd >= 0 && thread_queue_read(fd, ret);

  if (fd >= 0)
    (void)close(fd);
  return known;
}
