/*
 * password.c - a password that is read from a file or typed.
 *
 * It is read once.  Steps of a sweep get it in an anonymous file, whose
 * descriptor a variable of the environment names, so that it appears neither on
 * a command line nor in an environment.  The other processes of one run get it
 * from process 0, with its arguments.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/parse.h"
#include "nodes/nodes.h"
#include "program/internal.h"

#define INHERITED "BENCH_PASSWORD_FD"

enum {
  PASSWORD_MAX = 4096,
};

/*
 * Returns the first line of the text, without its end; NULL: it is empty, or
 * not text.
 */
static char *first_line(char *text, size_t len)
{
  size_t n = 0;

  while (n < len && text[n] != '\n')
    n++;
  if (n > 0 && text[n - 1] == '\r')
    n--;
  if (n == 0 || memchr(text, '\0', n))
    return NULL;
  text[n] = '\0';
  return text;
}

/* ---- from a file ---- */

static void warn_if_open(int fd, const char *path)
{
  struct stat st;

  if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
      (st.st_mode & (S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH)) != 0)
    log_msg(LOG_WARNING,
            "other users may read the password file '%s' (chmod 600 helps)",
            path);
}

/*
 * Reads up to the end of the first line.  Returns the number of bytes, or -1
 * with errno.
 */
static ssize_t read_line(int fd, char *to, size_t size)
{
  size_t n = 0;

  while (n < size && !memchr(to, '\n', n)) {
    const ssize_t got = read(fd, to + n, size - n);

    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return got < 0 ? -1 : (ssize_t)n;
    n += (size_t)got;
  }
  return (ssize_t)n;
}

/* `fd` is open; `what` names it. */
static int take_line(int fd, const char *what, char **ret, struct err *err)
{
  char text[PASSWORD_MAX + 1];
  const ssize_t n = read_line(fd, text, PASSWORD_MAX);
  const char *line;
  int rc = 0;

  if (n < 0)
    return err_sys(err, "cannot read the password from %s,", what);
  if (n == PASSWORD_MAX && !memchr(text, '\n', PASSWORD_MAX)) {
    rc = err_set(err, -EFBIG, "the password in %s is longer than %d bytes",
                 what, PASSWORD_MAX - 1);
  } else {
    line = first_line(text, (size_t)n);
    *ret = line ? mem_strdup(line) : NULL;
    if (!line)
      rc = err_set(err, -EINVAL, "there is no password in the first line of %s",
                   what);
    else if (!*ret)
      rc = err_set(err, -ENOMEM, "not enough memory");
  }
  explicit_bzero(text, sizeof(text));
  return rc;
}

static int from_file(const struct program *p, const char *path, char **ret,
                     struct err *err)
{
  char what[400];
  int fd, rc;

  if (strcmp(path, "-") == 0) {
    if (!p->cmdline.test)
      return err_set(err, -EINVAL,
                     "--password-file=- is not possible: the script is read "
                     "from the standard input");
    return take_line(STDIN_FILENO, "the standard input", ret, err);
  }
  fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0)
    return err_sys(err, "cannot open the password file '%.300s',", path);
  warn_if_open(fd, path);
  (void)snprintf(what, sizeof(what), "the password file '%.300s'", path);
  rc = take_line(fd, what, ret, err);
  (void)close(fd);
  return rc;
}

/* ---- from the terminal ---- */

/* The set of signals that would leave the terminal without echo. */
static void ending_signals(sigset_t *set)
{
  static const int all[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP };

  (void)sigemptyset(set);
  for (size_t i = 0; i < ARRAY_SIZE(all); i++)
    (void)sigaddset(set, all[i]);
}

/*
 * Waits for a line.  1: there is something to read; 0: a signal is pending; -1:
 * it failed.
 */
static int wait_for_line(int tty, int signals)
{
  struct pollfd fds[] = { { .fd = tty, .events = POLLIN },
                          { .fd = signals, .events = POLLIN } };
  int rc;

  do
    rc = poll(fds, ARRAY_SIZE(fds), -1);
  while (rc < 0 && errno == EINTR);
  if (rc < 0)
    return -1;
  return fds[1].revents ? 0 : 1;
}

/* Prompts once.  1: a signal is pending, and the caller lets it act. */
static int ask_once(int tty, int signals, const char *who, char **ret,
                    struct err *err)
{
  struct termios old, quiet;
  int rc;

  if (tcgetattr(tty, &old) < 0)
    return err_sys(err, "cannot ask for a password,");
  quiet = old;
  quiet.c_lflag &= ~(tcflag_t)ECHO;
  quiet.c_lflag |= ECHONL | ICANON | ISIG;
  if (tcsetattr(tty, TCSAFLUSH, &quiet) < 0)
    return err_sys(err, "cannot switch off the echo of the terminal,");
  (void)dprintf(tty, "Password for %s: ", who);
  rc = wait_for_line(tty, signals);
  if (rc < 0)
    rc = err_sys(err, "cannot ask for a password,");
  else if (rc > 0)
    rc = take_line(tty, "what was typed", ret, err);
  else
    rc = 1;
  (void)tcsetattr(tty, TCSAFLUSH, &old);
  if (rc == 1)
    (void)dprintf(tty, "\n");
  return rc;
}

static int ask(const char *who, char **ret, struct err *err)
{
  sigset_t set, old;
  int tty, signals;
  int rc = 1;

  tty = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
  if (tty < 0)
    return err_set(err, -ENOTTY,
                   "--ask-password needs a terminal (--password-file does "
                   "not)");
  ending_signals(&set);
  (void)sigprocmask(SIG_BLOCK, &set, &old);
  while (rc == 1) {
    signals = signalfd(-1, &set, SFD_CLOEXEC); /* those from now on */
    rc = signals < 0 ? err_sys(err, "cannot ask for a password,")
                     : ask_once(tty, signals, who, ret, err);
    if (signals >= 0)
      (void)close(signals);
    if (rc == 1) { /* it ends or stops the process here, or is ignored */
      (void)sigprocmask(SIG_SETMASK, &old, NULL);
      (void)sigprocmask(SIG_BLOCK, &set, NULL);
    }
  }
  (void)sigprocmask(SIG_SETMASK, &old, NULL);
  (void)close(tty);
  return rc;
}

/* ---- from the process that started this one ---- */

static int from_parent(const char *number, char **ret, struct err *err)
{
  char text[PASSWORD_MAX + 1] = "";
  int64_t fd;
  ssize_t n = -1;

  if (parse_int(number, &fd) == 0 && fd > STDERR_FILENO && fd <= INT_MAX) {
    n = pread((int)fd, text, PASSWORD_MAX, 0); /* others read it, too */
    (void)close((int)fd);
  }
  (void)unsetenv(INHERITED);
  if (n <= 0)
    return err_set(err, -EINVAL, "%s does not name a readable password",
                   INHERITED);
  *ret = mem_strndup(text, (size_t)n);
  explicit_bzero(text, sizeof(text));
  return *ret ? 0 : err_set(err, -ENOMEM, "not enough memory");
}

int program_hand_down_password(const char *password, struct err *err)
{
  const size_t len = strlen(password);
  char number[16];
  int fd = memfd_create("password", 0); /* children inherit it */
  int rc = 0;

  (void)snprintf(number, sizeof(number), "%d", fd);
  if (fd < 0 || write(fd, password, len) != (ssize_t)len ||
      setenv(INHERITED, number, 1) < 0)
    rc = err_sys(err, "cannot hand the password to the steps of a sweep,");
  if (rc < 0 && fd >= 0)
    (void)close(fd);
  return rc;
}

int program_read_password(struct program *p, const char *who, char **ret,
                          struct err *err)
{
  const char *path = p->opts.db.password_file;
  const char *inherited = getenv(INHERITED);
  int rc;

  if (!*path && !p->opts.db.ask_password)
    return 0;
  if (p->cmdline.command && strcmp(p->cmdline.command, "help") == 0)
    return 0;
  if (*path && p->opts.db.ask_password)
    return err_set(err, -EINVAL,
                   "--password-file and --ask-password cannot be used "
                   "together");
  if (p->ranks && p->ranks->rank > 0) {
    *ret = p->ranks->password ? mem_strdup(p->ranks->password) : NULL;
    return 0;
  }
  if (inherited && *inherited)
    return from_parent(inherited, ret, err);
  rc = *path ? from_file(p, path, ret, err) : ask(who, ret, err);
  if (rc == 0 && p->ranks)
    p->ranks->password = mem_strdup(*ret);
  return rc;
}
