/*
 * abi_programs.c - programs that scripts start, and the end of this one.
 * Threads of a run block signals that their programs must not block.
 */
#include <errno.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/ffi_api.h"
#include "lua/engine/shared.h"
#include "lua/engine/state.h"
#include "run/plan.h"
#include "run/signals.h"
#include "run/worker.h"

void bench_signals_open(void)
{
  signals_open();
}

void bench_signals_close(void)
{
  signals_close();
}

/* -1: see errno. */
static pid_t abi_programs_start(const char *command)
{
  char *const argv[] = { (char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c",
                         (char *)(uintptr_t)command, NULL };
  posix_spawnattr_t attr;
  sigset_t mask;
  pid_t pid = -1;
  int rc = posix_spawnattr_init(&attr);

  if (rc == 0) {
    signals_child_mask(&mask);
    (void)posix_spawnattr_setsigmask(&attr, &mask);
    rc = posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
    if (rc == 0)
      rc = posix_spawn(&pid, "/bin/sh", NULL, &attr, argv, environ);
    (void)posix_spawnattr_destroy(&attr);
  }
  errno = rc;
  return rc == 0 ? pid : -1;
}

int bench_execute(const char *command)
{
  const pid_t pid = abi_programs_start(command);
  pid_t ended;
  int status;

  if (pid < 0)
    return -1;
  do {
    ended = waitpid(pid, &status, 0);
  } while (ended < 0 && errno == EINTR);
  return ended == pid ? status : -1;
}

/* The first call counts. */
static void leave_done(struct script *script, int status, const char *words)
{
  if (script->left)
    return;
  script->left = true;
  script->left_status = status;
  (void)err_set(&script->left_why, 0, "%s in done()", words);
}

bool bench_exit_run(int status, const char *words)
{
  struct state *s = state_current();
  const struct plan *plan = s ? s->script->setup.plan : NULL;
  struct err why;

  if (!s || plan->identity == IDENTITY_SYSBENCH ||
      !(s->worker || s->script->in_done))
    return false;
  if (!s->worker) {
    leave_done(s->script, (unsigned char)status, words);
    return true;
  }
  (void)err_set(&why, 0, "%s in %s %u", words, plan_worker_word(plan), s->tid);
  worker_exit(s->worker, (unsigned char)status, &why);
  return true;
}

void bench_finalizer_failed(const char *text)
{
  struct state *s = state_current();

  if (s)
    state_finalizer_failed(s, text);
}
