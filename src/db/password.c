#include "db/password.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "base/secret.h"
#include "db/connect_limiter.h"
#include "db/driver.h"
#include "db/outcome.h"
#include "loop/loop.h"

enum {
  PASSWORD_ROOM = 32 * 1024 /* tokens can have some KiB */
};

#define PAUSE_NS (NS_PER_S / 2) /* after a failure */

static const char name[] = "--password-command";

static _Atomic int password_group;

void password_init(struct password_command *p, const char *command,
                   double ttl_s)
{
  *p = (struct password_command){ .command = command,
                                  .ttl_ns = (uint64_t)(ttl_s * NS_PER_S) };
  (void)pthread_mutex_init(&p->lock, NULL);
}

void password_stop(void)
{
  const int group = atomic_exchange(&password_group, 0);

  if (group > 0)
    (void)kill(-group, SIGKILL);
}

void password_done(struct password_command *p)
{
  mem_free_secret(p->last);
  p->last = NULL;
  (void)pthread_mutex_destroy(&p->lock);
}

/* A process group, to kill all of it. */
static int password_spawn(const char *command, int out, pid_t *ret)
{
  char *const argv[] = { (char[]){ "sh" }, (char[]){ "-c" }, (char *)command,
                         NULL };
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attr;
  sigset_t none, usual;
  int rc;

  (void)sigemptyset(&none);
  (void)sigfillset(&usual);
  (void)posix_spawn_file_actions_init(&files);
  (void)posix_spawnattr_init(&attr);
  (void)posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP |
                                          POSIX_SPAWN_SETSIGMASK |
                                          POSIX_SPAWN_SETSIGDEF);
  (void)posix_spawnattr_setsigmask(&attr, &none);
  (void)posix_spawnattr_setsigdefault(&attr, &usual);
  rc = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null",
                                        O_RDONLY, 0);
  if (rc == 0)
    rc = posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
  if (rc == 0)
    rc = posix_spawn(ret, "/bin/sh", &files, &attr, argv, environ);
  (void)posix_spawnattr_destroy(&attr);
  (void)posix_spawn_file_actions_destroy(&files);
  return -rc;
}

/* Up to the end of the output. -ETIMEDOUT, or another error. */
static ssize_t password_read(int fd, char *to, size_t room, uint64_t until_ns)
{
  size_t n = 0;

  while (n < room) {
    const uint64_t now = clock_now_ns();
    struct pollfd wait = { .fd = fd, .events = POLLIN };
    ssize_t got;

    if (now >= until_ns)
      return -ETIMEDOUT;
    if (poll(&wait, 1, (int)((until_ns - now) / NS_PER_MS) + 1) <= 0)
      continue;
    got = read(fd, to + n, room - n);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return got < 0 ? -errno : (ssize_t)n;
    n += (size_t)got;
  }
  return -EFBIG;
}

static int password_is_late(struct err *err)
{
  return err_set(err, -ETIMEDOUT, "%s did not end in time", name);
}

static int password_check(ssize_t n, int status, char *text, struct err *err)
{
  if (n == -ETIMEDOUT)
    return password_is_late(err);
  if (n == -EFBIG)
    return err_set(err, -EFBIG, "%s printed more than %d bytes", name,
                   PASSWORD_ROOM - 1);
  if (n < 0)
    return err_set(err, (int)n, "cannot read what %s prints: %s", name,
                   strerror((int)-n));
  if (WIFSIGNALED(status))
    return err_set(err, -EINVAL, "%s was ended by signal %d", name,
                   WTERMSIG(status));
  if (status != 0)
    return err_set(err, -EINVAL, "%s failed with status %d", name,
                   WEXITSTATUS(status));
  if (!secret_first_line(text, (size_t)n))
    return err_set(
      err, -EINVAL,
      "the first line of what %s printed is empty, or has a zero byte", name);
  return 0;
}

static int password_copy(const char *from, char **ret, struct err *err)
{
  *ret = mem_strdup(from);
  return *ret ? 0 : err_set(err, -ENOMEM, "not enough memory for a password");
}

static int password_run(const char *command, uint64_t until_ns, char **ret,
                        struct err *err)
{
  char text[PASSWORD_ROOM];
  int ends[2], status = 0, rc;
  ssize_t n;
  pid_t pid;

  if (pipe2(ends, O_CLOEXEC) < 0)
    return err_sys(err, "cannot make a pipe for %s,", name);
  rc = password_spawn(command, ends[1], &pid);
  (void)close(ends[1]);
  if (rc < 0) {
    (void)close(ends[0]);
    return err_set(err, rc, "cannot start %s: %s", name, strerror(-rc));
  }
  atomic_store(&password_group, pid);
  n = password_read(ends[0], text, sizeof(text), until_ns);
  (void)close(ends[0]);
  /* The command can outlive its output. */
  while (n >= 0 && waitpid(pid, &status, WNOHANG) == 0) {
    (void)poll(NULL, 0, 1);
    if (clock_now_ns() >= until_ns)
      n = -ETIMEDOUT;
  }
  if (n < 0) {
    (void)kill(-pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
      continue;
  }
  atomic_store(&password_group, 0);
  rc = password_check(n, status, text, err);
  if (rc == 0)
    rc = password_copy(text, ret, err);
  explicit_bzero(text, sizeof(text));
  return rc;
}

struct password_wish {
  struct password_command *p;
  uint64_t until_ns;
  char *copy; /* owned */
  int rc;
  struct err err;
};

static bool password_take(struct password_wish *w)
{
  struct password_command *p = w->p;
  uint64_t age_ns;
  bool known;

  (void)pthread_mutex_lock(&p->lock);
  age_ns = clock_now_ns() - p->at_ns;
  known = age_ns < (p->last ? p->ttl_ns : p->rc < 0 ? PAUSE_NS : 0);
  if (known && p->last) {
    w->rc = password_copy(p->last, &w->copy, &w->err);
  } else if (known) {
    w->rc = p->rc;
    w->err = p->err;
  }
  (void)pthread_mutex_unlock(&p->lock);
  return known;
}

static void password_refresh(struct password_wish *w)
{
  struct password_command *p = w->p;
  char *fresh = NULL;

  w->rc = password_run(p->command, w->until_ns, &fresh, &w->err);
  (void)pthread_mutex_lock(&p->lock);
  mem_free_secret(p->last);
  p->last = fresh;
  p->at_ns = clock_now_ns();
  p->rc = w->rc;
  p->err = w->err;
  if (fresh)
    w->rc = password_copy(fresh, &w->copy, &w->err);
  (void)pthread_mutex_unlock(&p->lock);
}

/* One runs the command; others wait. */
static void password_in_turn(void *arg)
{
  struct password_wish *w = arg;

  if (!password_take(w))
    password_refresh(w);
  atomic_store(&w->p->runs, 0);
  loop_wake_all(&w->p->runs);
}

static void password_get(struct password_wish *w)
{
  struct password_command *p = w->p;

  while (!password_take(w)) {
    uint32_t idle = 0;

    if (atomic_compare_exchange_strong(&p->runs, &idle, 1)) {
      loop_aside(password_in_turn, w, LOOP_ASIDE_CONNECT);
      return;
    }
    if (clock_now_ns() >= w->until_ns) {
      w->rc = err_set(&w->err, -ETIMEDOUT,
                      "%s did not end in time (it runs for one connection at "
                      "a time)",
                      name);
      return;
    }
    loop_wait_while(&p->runs, 1, w->until_ns);
  }
}

static int password_give(struct password_command *p, struct session *s,
                         uint64_t until_ns, struct outcome *out)
{
  struct password_wish w = { .p = p, .until_ns = until_ns };

  if (!p->command || !*p->command || s->params->password)
    return 0;
  session_forget(s);
  password_get(&w);
  s->secret = w.copy;
  if (w.rc == 0)
    return 0;
  s->no_secret = mem_strdup(w.err.text);
  *out = (struct outcome){ .lost = true, .msg = s->no_secret };
  return -1;
}

struct connect_call {
  struct session *s;
  uint64_t until_ns;
  struct outcome *out;
  bool again; /* log_in() */
  int rc;
};

static bool password_log_in(struct connect_call *a)
{
  const struct driver *d = a->s->driver;
  const enum visit_rc rc = d->log_in ? d->log_in(a->s, a->until_ns, a->out)
                                     : VISIT_CANNOT;

  a->rc = rc == VISIT_DONE ? 0 : -1;
  return rc != VISIT_CANNOT;
}

static void password_connect_aside(void *arg)
{
  struct connect_call *a = arg;

  if (a->again && password_log_in(a))
    return;
  a->rc = a->s->driver->connect(a->s, a->until_ns, a->out);
}

int password_connect(struct password_command *p, struct session *s,
                     const struct limiter *l, bool again, uint64_t until_ns,
                     struct outcome *out)
{
  const uint64_t begun_ns = clock_now_ns();
  struct connect_call a = { .s = s, .until_ns = until_ns, .out = out };

  if (password_give(p, s, until_ns, out) < 0)
    return -1;
  if (password_log_in(&a) &&
      (a.rc == 0 || clock_now_ns() < until_ns || !loop_was_held(begun_ns)))
    return a.rc;
  if (loop_was_held(begun_ns)) {
    a.until_ns = limiter_until(l, again, begun_ns, until_ns);
    a.again = true;
  }
  if (s->driver->caps & DRIVER_NEVER_WAITS)
    password_connect_aside(&a);
  else
    loop_aside(password_connect_aside, &a, LOOP_ASIDE_CONNECT);
  return a.rc;
}
