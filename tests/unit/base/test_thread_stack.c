/*
 * test_thread_stack.c - a thread gives back the stack below its current call,
 * and nothing else; a detached thread has the stack that was asked for.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "base/thread.h"
#include "base/wait.h"
#include "tests/unit/tap.h"

enum {
  STACK = 128 * 1024,
};

/* Bytes below a frame: half of them are in another page than the frame. */
static size_t deep(void)
{
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);

  return page > 10240 ? 4 * page : 40960;
}

struct seen {
  bool before, after, kept;
};

/* Uses the stack down to so many bytes below `top`. */
__attribute__((noinline)) static void dive(uintptr_t top, size_t bytes)
{
  volatile char room[1024];

  room[0] = room[1023] = 1;
  if (top - (uintptr_t)__builtin_frame_address(0) < bytes)
    dive(top, bytes);
  room[0] = 2; /* prevents a tail call */
}

/* Does the page that far below an address have memory? */
static bool is_there(uintptr_t top, size_t below)
{
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  unsigned char in_core = 0;

  (void)mincore((void *)((top - below) / page * page), page, &in_core);
  return in_core & 1;
}

static void *work(void *arg)
{
  const uintptr_t top = (uintptr_t)__builtin_frame_address(0);
  const size_t bytes = deep();
  struct seen *seen = arg;
  volatile unsigned char mine[512];

  for (size_t i = 0; i < sizeof(mine); i++)
    mine[i] = (unsigned char)i;
  dive(top, bytes);
  seen->before = is_there(top, bytes / 2);
  thread_trim_stack();
  seen->after = is_there(top, bytes / 2);
  seen->kept = true;
  for (size_t i = 0; i < sizeof(mine); i++)
    seen->kept &= mine[i] == (unsigned char)i;
  return NULL;
}

/* What a detached thread reports; static, because nobody joins it. */
struct report {
  _Atomic uint32_t done;
  bool detached;
  size_t stack;
};

static void *report(void *arg)
{
  struct report *r = arg;
  pthread_attr_t attr;
  int state = -1;

  if (pthread_getattr_np(pthread_self(), &attr) == 0) {
    (void)pthread_attr_getdetachstate(&attr, &state);
    (void)pthread_attr_getstacksize(&attr, &r->stack);
    (void)pthread_attr_destroy(&attr);
  }
  r->detached = state == PTHREAD_CREATE_DETACHED;
  atomic_store(&r->done, 1);
  wait_wake_all(&r->done);
  return NULL;
}

static void test_detached(void)
{
  static struct report r;

  OK(thread_start_detached(1, report, &r) == -EINVAL,
     "a stack that is too small is refused");
  OK(thread_start_detached(STACK, report, &r) == 0, "a detached thread starts");
  while (atomic_load(&r.done) == 0)
    wait_while(&r.done, 0, WAIT_FOREVER);
  OK(r.detached && r.stack >= STACK && r.stack < 64 * STACK,
     "it is detached, and its stack has the size asked for");
}

int main(void)
{
  struct seen seen = { 0 };
  struct err err = { "" };
  pthread_t thread;

  if (thread_start(&thread, STACK + 2 * deep(), work, &seen, &err) < 0) {
    OK(false, err.text);
    return TAP_EXIT();
  }
  (void)pthread_join(thread, NULL);
  OK(seen.before, "deep calls take memory");
#if defined(__linux__)
  OK(!seen.after, "which is given back");
#endif
  OK(seen.kept, "what is in use stays");
  test_detached();
  return TAP_EXIT();
}
