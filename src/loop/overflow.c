/*
 * overflow.c - Lua does not limit calls from Lua to C to Lua, such as
 * table.sort() in a sort function.  These calls end in the guard pages below
 * the stack.
 */
#include "loop/overflow.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/os/os.h"
#include "base/thread.h"
#include "loop/fiber.h"
#include "loop/task.h"

#ifdef BENCH_SANITIZED

void overflow_watch(void)
{
}

#else

enum {
  HANDLER_STACK = 24 << 10
};

static bool overflow_is_below(uintptr_t at, const void *stack)
{
  return at < (uintptr_t)stack && at >= (uintptr_t)stack - STACK_GUARD_BYTES;
}

/* A signal handler on a full stack: no locks, no memory. */
static void overflow_end(int number, siginfo_t *info, void *context)
{
  static const char line[] = "FATAL: stack overflow: see --thread-stack-size "
                             "(of init, done and commands: ulimit -s)\n";
  const ucontext_t *interrupted = context;
  const uintptr_t at = (uintptr_t)info->si_addr;
  const struct fiber *f = fiber_here();
  const void *stack = f ? ((const struct task *)f)->context.stack
                        : interrupted->uc_stack.ss_sp;
  ssize_t written;

  if (!overflow_is_below(at, stack)) {
    (void)signal(number, SIG_DFL); /* the fault happens again */
    return;
  }
  written = write(STDERR_FILENO, line, sizeof(line) - 1);
  (void)written;
  _exit(EXIT_FAILURE);
}

/* The handler runs on the far end of the thread's stack, which an overflow
 * makes useless. */
void overflow_watch(void)
{
  struct sigaction how = { .sa_sigaction = overflow_end,
                           .sa_flags = SA_SIGINFO | SA_ONSTACK };
  stack_t end = { .ss_size = HANDLER_STACK };
  size_t bytes;

  if (!os_stack(&end.ss_sp, &bytes) || sigaltstack(&end, NULL) < 0)
    return;
  (void)sigaction(SIGSEGV, &how, NULL);
}

#endif
