/*
 * thread.c - threads of results.
 */
#include "results/thread.h"

#include <signal.h>

#include "base/thread.h"

int results_thread_start(pthread_t *ret, void *(*fn)(void *), void *arg,
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
