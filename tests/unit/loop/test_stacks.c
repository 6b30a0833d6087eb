/*
 * test_stacks.c - stacks of fibers: their guards, and that they are used again.
 */
#include "loop/stacks.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/thread.h"
#include "tests/unit/tap.h"

enum {
  STACK = 20 * 1000, /* no whole number of pages */
  MANY = 1000
};

static char *take(struct stacks *s)
{
  struct err err;
  char *stack = NULL;

  MUST(stacks_take(s, &stack, &err) == 0);
  return stack;
}

/* How a process ends that writes to this byte. */
static bool faults(char *p)
{
  pid_t child;
  int status;

  (void)fflush(stdout); /* the child of a sanitizer would write it again */
  child = fork();
  MUST(child >= 0);
  if (child == 0) {
    (void)signal(SIGSEGV, SIG_DFL); /* a sanitizer has a handler of its own */
    (void)signal(SIGBUS, SIG_DFL);
    *(volatile char *)p = 1;
    _exit(0);
  }
  MUST(waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status);
}

static void test_bounds(void)
{
  struct stacks s;
  char *first, *second;

  stacks_init(&s, STACK);
  OK(s.bytes >= STACK && s.bytes % (size_t)sysconf(_SC_PAGESIZE) == 0,
     "a stack has whole pages");
  first = take(&s);
  second = take(&s);
  memset(first, 1, s.bytes);
  memset(second, 2, s.bytes);
  OK(first[0] == 1 && first[s.bytes - 1] == 1, "stacks do not overlap");
  OK(!faults(second) && !faults(second + s.bytes - 1),
     "all of a stack can be used");
  OK(faults(first - 1) && faults(second - 1), "nobody writes below a stack");
  OK(faults(second - STACK_GUARD_BYTES),
     "not even the first byte of a large frame");
  stacks_done(&s);
}

static void test_many(void)
{
  static char *all[MANY];
  struct stacks s;
  bool clean = true, again = true;

  stacks_init(&s, STACK);
  for (int i = 0; i < MANY; i++) {
    all[i] = take(&s);
    clean = clean && all[i][0] == 0 && (uintptr_t)all[i] % 16 == 0;
    memset(all[i], 1, s.bytes);
  }
  OK(clean, "each of many stacks is zeroed and aligned");
  OK(faults(all[MANY - 1] - 1), "and has a guard");
  for (int i = 0; i < MANY; i++)
    stacks_give_back(&s, all[i]);
  for (int i = MANY - 1; i >= 0; i--)
    again = take(&s) == all[i] && again;
  OK(again, "stacks that were given back are used again, the last one first");
  stacks_done(&s);
  OK(!s.stretches && take(&s), "after the end it begins anew");
  stacks_done(&s);
}

int main(void)
{
  test_bounds();
  test_many();
  return TAP_EXIT();
}
