/*
 * test_patience.c - threads that interrupt nobody when they wake up.
 */
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

#include "base/thread.h"
#include "tests/unit/tap.h"

#if defined(SCHED_BATCH) && defined(SCHED_RESET_ON_FORK)

enum {
  NICE = 5, /* more than that of the tests */
};

struct seen {
  int policy, nice;
};

static struct seen look(void)
{
  return (struct seen){ sched_getscheduler(0) & ~SCHED_RESET_ON_FORK,
                        getpriority(PRIO_PROCESS, 0) };
}

static struct seen before, after;

static void *patient(void *arg)
{
  (void)arg;
  (void)setpriority(PRIO_PROCESS, 0, NICE);
  before = look();
  thread_be_patient();
  after = look();
  return NULL;
}

static struct seen of_idle;

static void *with_policy(void *arg)
{
  const struct sched_param none = { 0 };

  (void)arg;
  MUST(sched_setscheduler(0, SCHED_IDLE, &none) == 0);
  thread_be_patient();
  of_idle = look();
  return NULL;
}

int main(void)
{
  pthread_t t;

  if (look().policy != SCHED_OTHER) {
    printf("1..0 # SKIP the tests have a policy of their own\n");
    return 0;
  }
  MUST(pthread_create(&t, NULL, patient, NULL) == 0);
  MUST(pthread_join(t, NULL) == 0);
  OK(before.policy == SCHED_OTHER && after.policy == SCHED_BATCH,
     "a patient thread is one of SCHED_BATCH");
  OK(after.nice == before.nice, "its nice value is as before");
  MUST(pthread_create(&t, NULL, with_policy, NULL) == 0);
  MUST(pthread_join(t, NULL) == 0);
  OK(of_idle.policy == SCHED_IDLE, "a policy of its own stays");
  return TAP_EXIT();
}

#else

int main(void)
{
  printf("1..0 # SKIP the system has no SCHED_BATCH\n");
  return 0;
}

#endif
