/*
 * test_signals.c - signals reach the thread that waits for them.
 */
#include <poll.h>
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
#include "tests/unit/tap.h"

static _Atomic uint32_t arrived; /* the test waits for it */

static int await_arrival(void)
{
  while (atomic_load(&arrived) == 0)
    wait_while(&arrived, 0, WAIT_FOREVER);
  return (int)atomic_load(&arrived);
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

/*
 * Acts like a thread that a library has started: it blocks no signals.  It ends
 * when the other end of the pipe is closed.
 */
static void *be_there(void *arg)
{
  struct pollfd end = { .fd = *(int *)arg, .events = POLLIN };

  while (poll(&end, 1, -1) < 0)
    continue; /* interrupted */
  return NULL;
}

/* The system prefers this thread to one that it must search for. */
static void test_older_thread(int number)
{
  struct signals s;
  pthread_t older;
  int ends[2];

  if (pipe(ends) != 0 || pthread_create(&older, NULL, be_there, &ends[0]) != 0)
    abort();
  begin(&s);
  send(number);
  OK(await_arrival() == number,
     "a thread that is older than the run does not keep a signal");
  signals_stop(&s);
  (void)close(ends[1]);
  (void)pthread_join(older, NULL);
  (void)close(ends[0]);
}

/* A thread that unblocks signals gets the signal afterwards. */
static void test_open(void)
{
  struct signals s;

  begin(&s);
  signals_open();
  send(SIGTERM);
  signals_close();
  OK(await_arrival() == SIGTERM,
     "what arrives while a thread is open is handed on");
  signals_stop(&s);
}

/* Launchers and batch systems send this signal. */
static void test_foreign(void)
{
  struct signals s;

  begin(&s);
  send(SIGUSR2);
  send(SIGTERM);
  OK(await_arrival() == SIGTERM,
     "SIGUSR2 from outside does not end the wait for signals");
  signals_stop(&s);
  OK(!s.started, "the run itself does");
}

static _Atomic uint32_t begun; /* the test waits for it */

static void *be_hit(void *arg)
{
  (void)arg;
  while (atomic_load(&begun) == 0)
    wait_while(&begun, 0, WAIT_FOREVER);
  (void)raise(SIGUSR2);
  return NULL;
}

/* Acts as if the system had chosen a thread that is older than the run. */
static void test_foreign_older(void)
{
  struct signals s;
  pthread_t older;

  if (pthread_create(&older, NULL, be_hit, NULL) != 0)
    abort();
  begin(&s);
  atomic_store(&begun, 1);
  wait_wake_all(&begun);
  (void)pthread_join(older, NULL);
  send(SIGTERM);
  OK(await_arrival() == SIGTERM, "nor does it end the process in any thread");
  signals_stop(&s);
}

static void test_foreign_open(void)
{
  struct signals s;
  struct sigaction now;

  begin(&s);
  signals_open();
  (void)raise(SIGTERM);
  (void)raise(SIGUSR2);
  signals_close();
  OK(await_arrival() == SIGTERM,
     "a thread that is open forgets nothing because of it");
  signals_stop(&s);
  (void)sigaction(SIGUSR2, NULL, &now);
  OK(now.sa_handler == SIG_DFL, "afterwards it does what it did before");
}

int main(void)
{
  (void)alarm(60); /* against a hang; nothing waits for it */
  test_older_thread(SIGINT);
  test_older_thread(SIGTERM);
  test_open();
  test_foreign();
  test_foreign_older();
  test_foreign_open();
  return TAP_EXIT();
}
