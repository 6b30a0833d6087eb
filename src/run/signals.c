#include "run/signals.h"

#include <errno.h>
#include <stddef.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/thread.h"

/* Ends the thread if `ending` is set; launchers and batch systems also send
 * it, without effect. */
#define SIGNAL_END SIGUSR2

static const struct {
  int number;
  const char *name;
} awaited[] = {
  { SIGINT, "SIGINT" },   { SIGTERM, "SIGTERM" }, { SIGHUP, "SIGHUP" },
  { SIGXCPU, "SIGXCPU" }, { SIGNAL_END, "" },
};
_Static_assert(ARRAY_SIZE(awaited) == SIGNALS_MAX, "room for each of them");

const char *signals_name(int number)
{
  for (size_t i = 0; i < SIGNALS_MAX; i++) {
    if (awaited[i].number == number)
      return awaited[i].name;
  }
  return "a signal";
}

/* The system sends and repeats it.  Not awaited if ignored before. */
static bool signals_is_of_system(int number)
{
  return number == SIGHUP || number == SIGXCPU;
}

static bool signals_is_off(size_t i)
{
  struct sigaction how;

  return signals_is_of_system(awaited[i].number) &&
         sigaction(awaited[i].number, NULL, &how) == 0 &&
         how.sa_handler == SIG_IGN;
}

/* A blocked signal becomes pending even if ignored. */
static void signals_awaited_set(sigset_t *set)
{
  (void)sigemptyset(set);
  for (size_t i = 0; i < SIGNALS_MAX; i++) {
    if (!signals_is_off(i))
      (void)sigaddset(set, awaited[i].number);
  }
}

/* Of this thread.  `came`: 0, or after signals_open() the signal or NOTHING. */
enum {
  NOTHING = -1,
};
static _Thread_local volatile sig_atomic_t came;
static _Thread_local sigset_t closed;

/*
 * Threads that do not block the signals: between signals_open() and
 * signals_close(), older, or of libraries.  The latter two then block the
 * signal and send it again, for the waiting thread.
 */
static void signals_note(int number, siginfo_t *info, void *context)
{
  ucontext_t *interrupted = context;
  const int before = errno;

  (void)info;
  if (came != 0) {
    if (number != SIGNAL_END)
      came = number;
    return;
  }
  (void)sigaddset(&interrupted->uc_sigmask, number);
  (void)kill(getpid(), number);
  errno = before;
}

void signals_child_mask(sigset_t *ret)
{
  (void)pthread_sigmask(SIG_SETMASK, NULL, ret);
  for (size_t i = 0; i < SIGNALS_MAX; i++)
    (void)sigdelset(ret, awaited[i].number);
}

void signals_open(void)
{
  sigset_t mask;

  came = NOTHING;
  signals_child_mask(&mask);
  (void)pthread_sigmask(SIG_SETMASK, &mask, &closed);
}

void signals_close(void)
{
  int number;

  (void)pthread_sigmask(SIG_SETMASK, &closed, NULL);
  number = came;
  came = 0;
  if (number > 0)
    (void)kill(getpid(), number);
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

/* 0: patience_s has passed. */
static int signals_next_signal(const struct signals *s, const sigset_t *set,
                               bool first)
{
  const struct timespec patience = { .tv_sec = s->patience_s };
  int number;

  do {
    if (first || s->patience_s == 0)
      number = sigwaitinfo(set, NULL);
    else
      number = sigtimedwait(set, NULL, &patience);
  } while (number < 0 && errno == EINTR);
  return number < 0 ? 0 : number;
}

static bool signals_is_echo(int number, int first, uint64_t first_ns)
{
  if (number == 0 || first == 0)
    return false;
  return signals_is_of_system(number) ||
         (number == first && clock_now_ns() - first_ns < SIGNAL_ECHO_NS);
}

static void *wait_for_signals(void *arg)
{
  struct signals *s = arg;
  uint64_t first_ns = 0;
  int first = 0;
  sigset_t set;

  signals_awaited_set(&set);
  for (;;) {
    const int number = signals_next_signal(s, &set, first == 0);

    if (number == SIGNAL_END && atomic_load(&s->ending))
      return NULL;
    if (number == SIGNAL_END)
      continue;
    if (signals_is_echo(number, first, first_ns))
      continue;
    if (number == 0 && s->late && !s->late(s->arg))
      continue;
    if (first != 0)
      signals_die(number ? number : first);
    first = number;
    s->arrived(s->arg, number);
    first_ns = clock_now_ns(); /* a signal in the meantime is an echo */
  }
}

static void signals_restore(struct signals *s)
{
  for (size_t i = 0; i < SIGNALS_MAX; i++)
    (void)sigaction(awaited[i].number, &s->before[i], NULL);
  (void)pthread_sigmask(SIG_SETMASK, &s->old, NULL);
}

int signals_start(struct signals *s, void (*arrived)(void *arg, int number),
                  void *arg, struct err *err)
{
  const struct sigaction noted = { .sa_sigaction = signals_note,
                                   .sa_flags = SA_RESTART | SA_SIGINFO };
  sigset_t set;
  int rc;

  s->arrived = arrived;
  s->arg = arg;
  s->started = false;
  atomic_store(&s->ending, false);
  signals_awaited_set(&set);
  rc = pthread_sigmask(SIG_BLOCK, &set, &s->old);
  if (rc != 0)
    return err_set(err, -rc, "cannot block signals");
  /* system() in a script of a background job restores SIG_IGN, which would
   * lose a pending signal. */
  for (size_t i = 0; i < SIGNALS_MAX; i++)
    (void)sigaction(awaited[i].number, signals_is_off(i) ? NULL : &noted,
                    &s->before[i]);
  rc = thread_start(&s->thread, 0, wait_for_signals, s, err);
  if (rc < 0) {
    signals_restore(s);
    return rc;
  }
  s->started = true;
  return 0;
}

void signals_stop(struct signals *s)
{
  if (!s->started)
    return;
  atomic_store(&s->ending, true);
  (void)pthread_kill(s->thread, SIGNAL_END);
  (void)pthread_join(s->thread, NULL);
  signals_restore(s);
  s->started = false;
}
