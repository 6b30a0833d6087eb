/*
 * wait.c - sleep until a word changes or a moment comes.
 */
#include "base/wait.h"

#include <limits.h>
#include <time.h>

#include "base/clock.h"

#if defined(__linux__)

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

void wait_while(_Atomic uint32_t *word, uint32_t value, uint64_t until_ns)
{
  struct timespec ts;
  struct timespec *until = NULL;

  if (until_ns != WAIT_FOREVER) {
    ts.tv_sec = (time_t)(until_ns / NS_PER_S);
    ts.tv_nsec = (long)(until_ns % NS_PER_S);
    until = &ts;
  }
  /* Whatever the reason for returning is, the caller looks again.  The time is
   * absolute. */
  (void)syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, value, until, NULL,
                FUTEX_BITSET_MATCH_ANY);
}

void wait_wake_all(_Atomic uint32_t *word)
{
  (void)syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

#else

#include <pthread.h>

/* Systems without futexes share one condition between all words. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

void wait_while(_Atomic uint32_t *word, uint32_t value, uint64_t until_ns)
{
  uint64_t now = clock_now_ns();

  (void)pthread_mutex_lock(&lock);
  if (atomic_load(word) == value && until_ns > now) {
    struct timespec ts;
    uint64_t left = until_ns - now;

    if (left > NS_PER_S)
      left = NS_PER_S;
    (void)clock_gettime(CLOCK_REALTIME, &ts);
    left += (uint64_t)ts.tv_nsec;
    ts.tv_sec += (time_t)(left / NS_PER_S);
    ts.tv_nsec = (long)(left % NS_PER_S);
    (void)pthread_cond_timedwait(&changed, &lock, &ts);
  }
  (void)pthread_mutex_unlock(&lock);
}

void wait_wake_all(_Atomic uint32_t *word)
{
  (void)word;
  (void)pthread_mutex_lock(&lock);
  (void)pthread_cond_broadcast(&changed);
  (void)pthread_mutex_unlock(&lock);
}

#endif
