/*
 * signals.c - a thread that waits for SIGINT and SIGTERM.
 */
#include "run/signals.h"

#include <errno.h>

#include "base/err.h"
#include "base/thread.h"

/* Tells the thread to end; blocked like the others. */
#define SIGNAL_END SIGUSR2

static void awaited(sigset_t *set)
{
  (void)sigemptyset(set);
  (void)sigaddset(set, SIGINT);
  (void)sigaddset(set, SIGTERM);
  (void)sigaddset(set, SIGNAL_END);
}

void signals_die(int number)
{
  sigset_t set;

  (void)signal(number, SIG_DFL);
  (void)sigemptyset(&set);
  (void)sigaddset(&set, number);
  (void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  (void)raise(number);
}

static void *wait_for_signals(void *arg)
{
  struct signals *s = arg;
  bool first = true;
  sigset_t set;
  int number;

  awaited(&set);
  for (;;) {
    if (sigwait(&set, &number) != 0)
      continue;
    if (number == SIGNAL_END)
      return NULL;
    if (!first)
      signals_die(number);
    first = false;
    s->arrived(s->arg, number);
  }
}

int signals_start(struct signals *s, void (*arrived)(void *arg, int number),
                  void *arg, struct err *err)
{
  sigset_t set;
  int rc;

  s->arrived = arrived;
  s->arg = arg;
  s->started = false;
  awaited(&set);
  rc = pthread_sigmask(SIG_BLOCK, &set, &s->old);
  if (rc != 0)
    return err_set(err, -rc, "cannot block signals");
  rc = thread_start(&s->thread, 0, wait_for_signals, s, err);
  if (rc < 0) {
    (void)pthread_sigmask(SIG_SETMASK, &s->old, NULL);
    return rc;
  }
  s->started = true;
  return 0;
}

void signals_stop(struct signals *s)
{
  if (!s->started)
    return;
  (void)pthread_kill(s->thread, SIGNAL_END);
  (void)pthread_join(s->thread, NULL);
  (void)pthread_sigmask(SIG_SETMASK, &s->old, NULL);
  s->started = false;
}
