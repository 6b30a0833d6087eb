/*
 * thread.c - starting threads with a stack of a given size.
 */
#include "base/thread.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

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

int thread_start(pthread_t *ret, size_t stack_bytes, void *(*fn)(void *),
                 void *arg, struct err *err)
{
  pthread_attr_t attr;
  int rc;

  rc = pthread_attr_init(&attr);
  if (rc != 0) {
    errno = rc;
    return err_sys(err, "cannot start a thread,");
  }
  if (stack_bytes > 0)
    rc = pthread_attr_setstacksize(&attr, stack_bytes * STACK_FACTOR);
  if (rc != 0) {
    (void)pthread_attr_destroy(&attr);
    return err_set(err, -rc, "cannot use a thread stack of %zu bytes: %s",
                   stack_bytes, strerror(rc));
  }
  rc = pthread_create(ret, &attr, fn, arg);
  (void)pthread_attr_destroy(&attr);
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
