/*
 * test_choice.c - which engine a loop gets.
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>

#ifdef __linux__
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#endif

#include "base/err.h"
#include "loop/loop.h"
#include "tests/unit/tap.h"

enum {
  STACK = 64 * 1024,
};

static int try_loop(enum loop_engine engine, struct loop **l, struct err *err)
{
  const struct loop_setup setup = { .stack_bytes = STACK, .engine = engine };

  return loop_new(l, &setup, err);
}

static bool opens(enum loop_engine engine)
{
  struct loop *l = NULL;
  struct err err;

  if (try_loop(engine, &l, &err) < 0)
    return false;
  loop_free(l);
  return true;
}

static const char *name_of(enum loop_engine engine)
{
  const char *name;
  struct loop *l = NULL;
  struct err err;

  MUST(try_loop(engine, &l, &err) == 0);
  name = loop_engine_name(l);
  loop_free(l);
  return name;
}

/* As a container does it, for this thread. */
static bool forbid_uring(void)
{
#if defined(__linux__) && defined(SYS_io_uring_setup)
  struct sock_filter code[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog filter = { sizeof(code) / sizeof(*code), code };

  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
#else
  return false;
#endif
}

struct choice {
  bool forbidden;
  const char *name;
  int rc;
  struct err err;
};

static void *choose(void *arg)
{
  struct choice *c = arg;
  struct loop *l = NULL;

  c->forbidden = forbid_uring();
  if (!c->forbidden)
    return NULL;
  c->name = name_of(LOOP_AUTO);
  c->rc = try_loop(LOOP_URING, &l, &c->err);
  return NULL;
}

static void test_choice(void)
{
  struct choice c = { .forbidden = false };
  pthread_t thread;

  OK_STR(name_of(LOOP_EPOLL), "epoll", "an engine can be asked for");
  OK_STR(name_of(LOOP_AUTO), opens(LOOP_URING) ? "io_uring" : "epoll",
         "io_uring is chosen where it opens");
  MUST(pthread_create(&thread, NULL, choose, &c) == 0);
  MUST(pthread_join(thread, NULL) == 0);
  if (!c.forbidden) {
    printf("# this system has no filter of system calls\n");
    return;
  }
  OK_STR(c.name, "epoll", "where the system forbids it, it is epoll");
  OK(c.rc < 0 && strstr(c.err.text, "io_uring"),
     "a loop with nothing but io_uring is refused, with its name");
}

int main(void)
{
  test_choice();
  return TAP_EXIT();
}
