/*
 * test_signals.c - signals find the thread that waits for them.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "base/wait.h"
#include "run/signals.h"
#include "tap.h"

/* Words that are waited for. */
static _Atomic uint32_t arrived, over;

static void await_change(_Atomic uint32_t *word)
{
  while (atomic_load(word) == 0)
    wait_while(word, 0, WAIT_FOREVER);
}

static void note_arrival(void *arg, int number)
{
  (void)arg;
  atomic_store(&arrived, (uint32_t)number);
  wait_wake_all(&arrived);
}

static void begin(struct signals *s)
{
  struct err err;

  *s = (struct signals){ 0 };
  atomic_store(&arrived, 0);
  if (signals_start(s, note_arrival, NULL, &err) < 0)
    abort();
}

static void send(int number)
{
  if (kill(getpid(), number) != 0)
    abort();
}

/* Like one that a library has started: it has no signals blocked. */
static void *be_there(void *arg)
{
  (void)arg;
  await_change(&over);
  return NULL;
}

/* The system prefers it to a thread that has to be looked for. */
static void test_older_thread(int number)
{
  struct signals s;
  pthread_t older;

  atomic_store(&over, 0);
  if (pthread_create(&older, NULL, be_there, NULL) != 0)
    abort();
  begin(&s);
  send(number);
  await_change(&arrived);
  OK(atomic_load(&arrived) == (uint32_t)number,
     "a thread that is older than the run does not keep a signal");
  signals_stop(&s);
  atomic_store(&over, 1);
  wait_wake_all(&over);
  (void)pthread_join(older, NULL);
}

/* Who opens himself gets the signal afterwards. */
static void test_open(void)
{
  struct signals s;

  begin(&s);
  signals_open();
  send(SIGTERM);
  signals_close();
  await_change(&arrived);
  OK(atomic_load(&arrived) == SIGTERM,
     "what arrives while a thread is open is handed on");
  signals_stop(&s);
}

int main(void)
{
  (void)alarm(60); /* against a hang; nothing waits for it */
  test_older_thread(SIGINT);
  test_older_thread(SIGTERM);
  test_open();
  return TAP_EXIT();
}
