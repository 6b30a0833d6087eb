/*
 * say.c - the program's messages, its inheritance from its parent, and its end.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/err.h"
#include "base/leave.h"
#include "base/log.h"
#include "base/secret.h"
#include "base/strbuf.h"
#include "db/password.h"
#include "nodes/nodes.h"
#include "opt/cmdline.h"
#include "program/internal.h"
#include "run/runner.h"

/* open() returns the lowest free number, and all numbers below `fd` are
 * taken. */
static bool say_inherited_open_null(int fd)
{
  if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
    return true;
  return open("/dev/null", fd == STDIN_FILENO ? O_RDONLY : O_WRONLY) == fd;
}

/* Ignores a signal.  Programs of scripts would inherit SIG_IGN, but no
 * handler. */
static void say_inherited_pass_over(int number)
{
  (void)number;
}

/* The parent can have chosen another action. */
static void say_inherited_pass_over_if_default(int number)
{
  const struct sigaction passed = { .sa_handler = say_inherited_pass_over,
                                    .sa_flags = SA_RESTART };
  struct sigaction now;

  if (sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_DFL)
    (void)sigaction(number, &passed, NULL);
}

bool program_mend(void)
{
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
    if (!say_inherited_open_null(fd))
      return false;
  }
  say_inherited_pass_over_if_default(SIGXFSZ);
  /* An ignored SIGCHLD would leave no status of children. */
  (void)signal(SIGCHLD, SIG_DFL);
  return true;
}

bool program_stack_suffices(void)
{
  struct rlimit limit;

  return getrlimit(RLIMIT_STACK, &limit) < 0 ||
         limit.rlim_cur >= PROGRAM_STACK_KIB * 1024;
}

void program_outlive_readers(void)
{
  say_inherited_pass_over_if_default(SIGPIPE);
}

/* Messages of libraries and options can quote a password. */
int program_fail(const struct err *err)
{
  struct strbuf shown = { 0 };

  if (err->said)
    return EXIT_FAILED;
  secret_redact(err->text, &shown);
  log_msg(LOG_FATAL, "%s", strbuf_str(&shown));
  strbuf_done(&shown);
  return EXIT_FAILED;
}

int program_refuse(const char *fmt, ...)
{
  struct err err = { "" };
  va_list ap;

  va_start(ap, fmt);
  (void)vsnprintf(err.text, sizeof(err.text), fmt, ap);
  va_end(ap);
  return program_fail(&err);
}

int program_fail_usage(int rc, const struct err *err)
{
  if (!cmdline_is_usage_error(rc))
    return program_fail(err);
  return program_complain("%s", err->text);
}

void program_put_text(struct strbuf *text)
{
  log_put(strbuf_str(text), text->len);
  strbuf_done(text);
}

int program_complain(const char *fmt, ...)
{
  struct strbuf line = { 0 }, shown = { 0 };
  va_list ap;

  va_start(ap, fmt);
  strbuf_vaddf(&line, fmt, ap);
  va_end(ap);
  secret_redact(strbuf_str(&line), &shown);
  strbuf_adds(&shown, "\n");
  log_flush();
  (void)fputs(strbuf_str(&shown), stderr);
  strbuf_done(&line);
  strbuf_done(&shown);
  return EXIT_FAILED;
}

/* An incomplete text must not look like success.  A user who has closed stdout
 * wants no text. */
static int say_check_stdout(int status)
{
  struct err err;
  int why;

  if (!log_lost_text(&why) || why == EPIPE || why == EBADF || log_is_unread())
    return status;
  errno = why;
  if (why != 0)
    (void)err_sys(&err, "cannot write to the standard output,");
  else
    (void)err_set(&err, -EIO, "cannot write to the standard output");
  (void)program_fail(&err);
  log_flush();
  return status == EXIT_OK ? EXIT_FAILED : status;
}

int program_finish(struct program *p, int status)
{
  password_stop();
  log_flush();
  status = say_check_stdout(status);
  return p->ranks ? nodes_leave(p->ranks, status) : status;
}

void program_leave(struct program *p, int status)
{
  if (leave_any(&p->leave))
    _exit(program_finish(p, status));
}
