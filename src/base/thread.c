/*
 * thread.c - starting threads with a stack of a given size.
 */
#include "base/thread.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/err.h"

#ifdef BENCH_SANITIZED
enum {
  STACK_FACTOR = 16
};
#else
enum {
  STACK_FACTOR = 1
};
#endif

/* Can the address space take it?  pthread_create() does not say what it lacks.
 */
static bool stack_fits(size_t bytes)
{
  void *p = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  if (p == MAP_FAILED)
    return false;
  (void)munmap(p, bytes);
  return true;
}

static int refuse_stack(struct err *err, size_t bytes, int code)
{
  return err_set(err, -code, "cannot use a thread stack of %zu bytes: %s",
                 bytes, strerror(code));
}

int thread_start(pthread_t *ret, size_t stack_bytes, void *(*fn)(void *),
                 void *arg, struct err *err)
{
  size_t bytes;
  pthread_attr_t attr;
  int rc;

  if (__builtin_mul_overflow(stack_bytes, STACK_FACTOR, &bytes))
    return refuse_stack(err, stack_bytes, ENOMEM);
  rc = pthread_attr_init(&attr);
  if (rc != 0) {
    errno = rc;
    return err_sys(err, "cannot start a thread,");
  }
  if (bytes > 0)
    rc = pthread_attr_setstacksize(&attr, bytes);
  if (rc != 0) {
    (void)pthread_attr_destroy(&attr);
    return refuse_stack(err, stack_bytes, rc);
  }
  rc = pthread_create(ret, &attr, fn, arg);
  (void)pthread_attr_destroy(&attr);
  if (rc != 0 && bytes > 0 && !stack_fits(bytes))
    return refuse_stack(err, stack_bytes, ENOMEM);
  if (rc != 0) {
    errno = rc;
    return err_sys(err, "cannot start a thread,");
  }
  return 0;
}

bool thread_queue_ns(uint64_t *ret)
{
  unsigned long long ran_ns, waited_ns;
  FILE *f = fopen("/proc/thread-self/schedstat", "re");
  bool ok;

  if (!f)
    return false;
  ok = fscanf(f, "%llu %llu", &ran_ns, &waited_ns) == 2;
  (void)fclose(f);
  if (ok)
    *ret = waited_ns;
  return ok;
}
