/*
 * target.c - chooses the server of a script.
 *
 * The values of --dsn, option files and the environment become values of the
 * driver's options. Each source sets only options without a value, so the order
 * of calls in target_settle() is the order of precedence. Exception: a password
 * read for this run replaces all but one on the command line or in a
 * configuration file.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/secret.h"
#include "base/strbuf.h"
#include "db/driver.h"
#include "db/url.h"
#include "nodes/nodes.h"
#include "opt/file.h"
#include "opt/suggest.h"
#include "program/internal.h"
#include "run/runner.h"

/* ---- passwords from a file or a terminal ---- */

#define PASSWORD_INHERITED "BENCH_PASSWORD_FD"

enum {
  PASSWORD_MAX = 4096,
};

static void password_warn_if_open(int fd, const char *path)
{
  struct stat st;

  if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
      (st.st_mode & (S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH)) != 0)
    log_msg(LOG_WARNING,
            "other users may read the password file '%s' (chmod 600 helps)",
            path);
}

/* Up to the end of the first line; -1: errno. */
static ssize_t password_read_line(int fd, char *to, size_t size)
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

/* `what` names `fd`. */
static int password_take_line(int fd, const char *what, char **ret,
                              struct err *err)
{
  char text[PASSWORD_MAX + 1];
  const ssize_t n = password_read_line(fd, text, PASSWORD_MAX);
  const char *line;
  int rc = 0;

  if (n < 0)
    return err_sys(err, "cannot read the password from %s,", what);
  if (n == PASSWORD_MAX && !memchr(text, '\n', PASSWORD_MAX)) {
    rc = err_set(err, -EFBIG, "the password in %s is longer than %d bytes",
                 what, PASSWORD_MAX - 1);
  } else {
    line = secret_first_line(text, (size_t)n);
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

static int password_from_file(const struct program *p, const char *path,
                              char **ret, struct err *err)
{
  char what[400];
  int fd, rc;

  if (strcmp(path, "-") == 0) {
    if (!p->cmdline.test)
      return err_set(err, -EINVAL,
                     "--password-file=- is not possible: the script is read "
                     "from the standard input");
    return password_take_line(STDIN_FILENO, "the standard input", ret, err);
  }
  fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0)
    return err_sys(err, "cannot open the password file '%.300s',", path);
  password_warn_if_open(fd, path);
  (void)snprintf(what, sizeof(what), "the password file '%.300s'", path);
  rc = password_take_line(fd, what, ret, err);
  (void)close(fd);
  return rc;
}

static void password_ending_signals(sigset_t *set)
{
  static const int all[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP };

  (void)sigemptyset(set);
  for (size_t i = 0; i < ARRAY_SIZE(all); i++)
    (void)sigaddset(set, all[i]);
}

/* 1: input; 0: a signal is pending; -1: error. */
static int password_wait_for_line(int tty, int signals)
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

/* 1: a signal is pending; the caller lets it act. */
static int password_ask_once(int tty, int signals, const char *who, char **ret,
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
  rc = password_wait_for_line(tty, signals);
  if (rc < 0)
    rc = err_sys(err, "cannot ask for a password,");
  else if (rc > 0)
    rc = password_take_line(tty, "what was typed", ret, err);
  else
    rc = 1;
  (void)tcsetattr(tty, TCSAFLUSH, &old);
  if (rc == 1)
    (void)dprintf(tty, "\n");
  return rc;
}

static int password_ask(const char *who, char **ret, struct err *err)
{
  sigset_t set, old;
  int tty, signals;
  int rc = 1;

  tty = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
  if (tty < 0)
    return err_set(err, -ENOTTY,
                   "--ask-password needs a terminal (--password-file does "
                   "not)");
  password_ending_signals(&set);
  (void)sigprocmask(SIG_BLOCK, &set, &old);
  while (rc == 1) {
    signals = signalfd(-1, &set, SFD_CLOEXEC); /* signals from now on */
    rc = signals < 0 ? err_sys(err, "cannot ask for a password,")
                     : password_ask_once(tty, signals, who, ret, err);
    if (signals >= 0)
      (void)close(signals);
    if (rc == 1) { /* ends or stops the process here, or is ignored */
      (void)sigprocmask(SIG_SETMASK, &old, NULL);
      (void)sigprocmask(SIG_BLOCK, &set, NULL);
    }
  }
  (void)sigprocmask(SIG_SETMASK, &old, NULL);
  (void)close(tty);
  return rc;
}

static int password_from_parent(const char *number, char **ret, struct err *err)
{
  char text[PASSWORD_MAX + 1] = "";
  int64_t fd;
  ssize_t n = -1;

  if (parse_int(number, &fd) == 0 && fd > STDERR_FILENO && fd <= INT_MAX) {
    n = pread((int)fd, text, PASSWORD_MAX,
              0); /* other processes read it, too */
    (void)close((int)fd);
  }
  (void)unsetenv(PASSWORD_INHERITED);
  if (n <= 0)
    return err_set(err, -EINVAL, "%s does not name a readable password",
                   PASSWORD_INHERITED);
  *ret = mem_strndup(text, (size_t)n);
  explicit_bzero(text, sizeof(text));
  return *ret ? 0 : err_set(err, -ENOMEM, "not enough memory");
}

int program_hand_down_password(const char *password, struct err *err)
{
  const size_t len = strlen(password);
  char number[16];
  int fd = memfd_create("password", 0); /* inherited by children */
  int rc = 0;

  (void)snprintf(number, sizeof(number), "%d", fd);
  if (fd < 0 || write(fd, password, len) != (ssize_t)len ||
      setenv(PASSWORD_INHERITED, number, 1) < 0)
    rc = err_sys(err, "cannot hand the password to the steps of a sweep,");
  if (rc < 0 && fd >= 0)
    (void)close(fd);
  return rc;
}

int program_read_password(struct program *p, const char *who, char **ret,
                          struct err *err)
{
  const char *path = p->opts.db.password_file;
  const char *inherited = getenv(PASSWORD_INHERITED);
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
    return *ret || !p->ranks->password
             ? 0
             : err_set(err, -ENOMEM, "not enough memory");
  }
  if (inherited && *inherited)
    return password_from_parent(inherited, ret, err);
  rc = *path ? password_from_file(p, path, ret, err)
             : password_ask(who, ret, err);
  if (rc == 0 && p->ranks && !(p->ranks->password = mem_strdup(*ret)))
    rc = err_set(err, -ENOMEM, "not enough memory");
  return rc;
}

struct source {
  struct program *p;
  enum opt_source kind;
  const char *where; /* [opt] "FILE:LINE" */
  const char *skip;  /* [opt] an option to leave out */
  bool exact;        /* empty values are not defaults */
};

static bool target_is_given(void *ctx, const char *option,
                            const char **ret_value)
{
  const struct source *s = ctx;
  const struct opt_entry *e = optset_find(&s->p->set, option);

  if (ret_value)
    *ret_value = opt_get_string(e);
  return e->source != OPT_SOURCE_DEFAULT;
}

static int target_replace(void *ctx, const char *option, const char *value,
                          struct err *err)
{
  const struct source *s = ctx;
  const struct opt_given given = {
    .name = option,
    .arg = option,
    .text = value,
    .source = s->kind,
    .where = s->where,
    .exact = s->exact,
  };

  return opt_set(optset_find(&s->p->set, option), &given, err);
}

/* Both drivers' words in libpq's order. */
static int target_tls_strength(const char *mode)
{
  static const char *const words[] = {
    "DISABLED",  "disable",   "allow",           "allow",
    "PREFERRED", "prefer",    "REQUIRED",        "require",
    "VERIFY_CA", "verify-ca", "VERIFY_IDENTITY", "verify-full",
  };
  int i = 0;
  bool on;

  if (parse_bool(mode, &on) == 0)
    return on ? 3 : 0;
  while (i < (int)ARRAY_SIZE(words) && strcasecmp(mode, words[i]) != 0)
    i++;
  return i / 2;
}

static int target_check_mode(const struct program *p, const char *option,
                             const char *value, struct err *err)
{
  static const int asked[] = { 0, 2, 3, 5 };
  const int tls = p->opts.db.tls, has = target_tls_strength(value);

  if (tls < 0 || (tls == 0 ? has == 0 : has >= asked[tls]))
    return 0;
  return err_set(err, -EINVAL,
                 "--%s=%.60s contradicts --tls=%s (expected one of the two)",
                 option, value, program_value(&p->set, "tls"));
}

static int target_put(void *ctx, const char *option, const char *value,
                      struct err *err)
{
  const struct source *s = ctx;
  const struct opt_entry *e = optset_find(&s->p->set, option);

  if (s->kind == OPT_SOURCE_DSN && e->source == OPT_SOURCE_SHORTHAND) {
    const int rc = target_check_mode(s->p, option, value, err);

    return rc < 0 ? rc : target_replace(ctx, option, value, err);
  }
  if (target_is_given(ctx, option, NULL) ||
      (s->skip && strcmp(s->skip, option) == 0))
    return 0;
  return target_replace(ctx, option, value, err);
}

static struct target_sink target_sink_of(struct source *s)
{
  return (struct target_sink){ .ctx = s,
                               .is_given = target_is_given,
                               .put = target_put,
                               .replace = target_replace };
}

/* ---- the driver, and --dsn ---- */

static int target_refuse_scheme(const struct program *p, const char *what,
                                const char *scheme, struct err *err)
{
  static const char *const schemes[] = { "mysql", "mariadb", "postgresql",
                                         "postgres", "sqlite" };
  struct suggest s;
  const char *meant;

  suggest_init(&s, scheme);
  for (size_t i = 0; i < ARRAY_SIZE(schemes); i++) {
    if (program_find_scheme(p, schemes[i]))
      suggest_offer(&s, schemes[i]);
  }
  meant = suggest_result(&s);
  return err_set(
    err, -EINVAL,
    "%s: the URL is for no driver of this build (expected one of:%s%s%s)%s%s%s",
    what, program_find_scheme(p, "mysql") ? " mysql://" : "",
    program_find_scheme(p, "postgresql") ? " postgresql://" : "",
    program_find_scheme(p, "sqlite") ? " sqlite:" : "",
    meant ? "\ndid you mean " : "", meant ? meant : "", meant ? ":?" : "");
}

static int target_use_url(struct source *s, const char *what,
                          const struct url *url, struct err *err)
{
  struct program *p = s->p;
  const struct driver *d = program_find_scheme(p, url->scheme);
  const struct target_sink sink = target_sink_of(s);
  const struct driver *chosen;
  int rc;

  if (!d)
    return target_refuse_scheme(p, what, url->scheme, err);
  if (target_is_given(s, "db-driver", NULL)) {
    chosen = program_find_driver(p, p->opts.db.driver);
    if (chosen != d)
      return err_set(err, -EINVAL,
                     "%s is for the driver %s, and --db-driver says '%.60s' "
                     "(expected one of them, or both for the same driver)",
                     what, d->name, p->opts.db.driver);
  }
  rc = target_put(s, "db-driver", d->name, err);
  if (rc == 0)
    rc = d->names->url(url, &sink, err);
  if (rc == -EINVAL)
    err_prefix(err, "%s", what);
  return rc;
}

static int target_use_dsn(struct program *p, struct err *err)
{
  struct source s = { .p = p, .kind = OPT_SOURCE_DSN };
  const char *what = "--dsn";
  const char *text = p->opts.db.dsn;
  struct url url;
  int rc;

  if (!text || !*text) {
    text = getenv("BENCH_DSN");
    what = "BENCH_DSN";
  }
  if (!text || !*text)
    return 0;
  rc = url_parse(text, &url, err);
  if (rc == -EINVAL)
    err_prefix(err, "%s cannot be read", what);
  if (rc < 0)
    return rc;
  rc = target_use_url(&s, what, &url, err);
  url_done(&url);
  return rc;
}

/* Only one driver has options on the command line or in a configuration
 * file; else NULL. */
static const char *target_driver_of_options(const struct program *p)
{
  const char *only = NULL;

  for (size_t i = 0; i < p->set.n; i++) {
    const struct opt_entry *e = p->set.entries[i];

    if (e->section != OPT_SECTION_DRIVER ||
        (e->source != OPT_SOURCE_CMDLINE && e->source != OPT_SOURCE_FILE))
      continue;
    if (only && strcmp(only, e->owner) != 0)
      return NULL;
    only = e->owner;
  }
  return only;
}

/* `--pgsql-host=db1` chooses the driver, but not as sysbench. */
static int target_use_options(struct program *p, struct err *err)
{
  struct source s = { .p = p, .kind = OPT_SOURCE_SCRIPT };
  const char *name = p->set.as_sysbench ? NULL : target_driver_of_options(p);

  return name ? target_put(&s, "db-driver", name, err) : 0;
}

static int target_use_real_name(struct program *p, const struct driver *d,
                                struct err *err)
{
  const struct opt_entry *e = optset_find(&p->set, "db-driver");
  struct source s = { .p = p, .kind = e->source };

  if (*p->opts.db.driver == '\0' || strcmp(d->name, p->opts.db.driver) == 0)
    return 0;
  return target_replace(&s, "db-driver", d->name, err);
}

/* ---- option files ---- */

/* ~/NAME; owned by the caller, or NULL. */
static char *target_home_path(const char *name)
{
  const char *home = getenv("HOME");
  struct strbuf path = { 0 };

  if (!home || !*home)
    return NULL;
  strbuf_addf(&path, "%s%s", home, name + 1);
  if (!path.failed)
    return path.text;
  strbuf_done(&path);
  return NULL;
}

/*
 * Why a file of the home folder is not read, or NULL.  As for MySQL's programs,
 * a file that all users can write to is refused: they could name a server.
 * Opening a pipe could block forever.
 */
static const char *target_why_not_read(const char *path)
{
  struct stat st;

  if (stat(path, &st) < 0)
    return NULL;
  if (!S_ISREG(st.st_mode) && !S_ISCHR(st.st_mode)) /* such as /dev/null */
    return "it is not a regular file";
  return S_ISREG(st.st_mode) && (st.st_mode & S_IWOTH) != 0
           ? "all users can write to it"
           : NULL;
}

static int target_load_file(const struct program *p, const char *name,
                            const char *path, char **ret_text, size_t *ret_len)
{
  if (p->ranks)
    return nodes_load_as(p->ranks, name, path, ret_text, ret_len);
  return opt_file_load(path, ret_text, ret_len);
}

static bool target_has_password_variable(const struct driver *d)
{
  const char *text = d->names->password_env ? getenv(d->names->password_env)
                                            : NULL;

  return text && *text;
}

static int target_read_file(struct program *p, const struct driver *d,
                            const char *name, const char *path, bool must_be,
                            struct err *err)
{
  struct source s = {
    .p = p,
    .kind = OPT_SOURCE_CLIENT_FILE,
    .where = name,
    .skip = target_has_password_variable(d) ? d->names->password : NULL,
  };
  const struct target_sink sink = target_sink_of(&s);
  struct client_file file = { 0 };
  char *text;
  size_t len;
  int rc = target_load_file(p, name, path, &text, &len);

  if (rc < 0 && must_be)
    return err_set(err, rc, "--%s: cannot read '%.300s': %s",
                   d->names->file_option, path, strerror(-rc));
  if (rc < 0)
    return 0;
  rc = client_file_parse(text, len, name, &file, err);
  explicit_bzero(text, len);
  free(text);
  if (rc < 0)
    return rc;
  rc = d->names->file(file.pairs, file.n, &sink, err);
  client_file_done(&file);
  if (rc == -EINVAL)
    err_prefix(err, "'%.300s'", name);
  return rc;
}

static int target_use_file(struct program *p, const struct driver *d,
                           struct err *err)
{
  const char *name = d->names->home_file;
  const char *path, *why;
  char *home;
  int rc;

  if (!d->names->file_option)
    return 0;
  path = opt_get_string(optset_find(&p->set, d->names->file_option));
  if (!*path)
    path = getenv(d->names->file_env);
  if (path && strcmp(path, "none") == 0)
    return 0;
  if (path && *path)
    return target_read_file(p, d, path, path, true, err);
  if (p->cmdline.identity == IDENTITY_SYSBENCH)
    return 0;
  home = target_home_path(name);
  why = home && (!p->ranks || p->ranks->rank == 0) ? target_why_not_read(home)
                                                   : NULL;
  if (why) {
    log_msg(LOG_WARNING, "%s is ignored, since %s", name, why);
    rc = 0;
  } else {
    /* Other ranks find the file by its name. */
    rc = target_read_file(p, d, name, home ? home : "", false, err);
  }
  free(home);
  return rc;
}

static int target_use_variables(struct program *p, const struct driver *d,
                                struct err *err)
{
  struct source s = { .p = p, .kind = OPT_SOURCE_ENVIRONMENT };
  const bool all = p->cmdline.identity != IDENTITY_SYSBENCH;
  const char *service = all && d->names->service ? getenv(d->names->service)
                                                 : NULL;
  const struct target_name *v = d->names->variables;
  int rc = 0;

  for (; v && v->name && rc == 0; v++) {
    const char *value = getenv(v->name);

    s.exact = service && *service;
    if (s.exact) /* set by the service, or read by the library */
      value = v->always ? NULL : "";
    else if (!value || !*value || (!all && !v->always))
      value = NULL;
    if (value)
      rc = target_put(&s, v->option, value, err);
    if (rc == -EINVAL)
      err_prefix(err, "the environment variable %s", v->name);
  }
  return rc;
}

static int target_use_password(struct program *p, const struct driver *d,
                               struct err *err)
{
  struct source s = { .p = p, .kind = OPT_SOURCE_PASSWORD };
  const char *option = d && d->names ? d->names->password : NULL;
  struct strbuf who = { 0 };
  const struct opt_entry *e;
  char *password = NULL;
  struct db_cfg *db = &p->opts.db;
  const char *from = *db->password_file      ? "password-file"
                     : *db->password_command ? "password-command"
                                             : "ask-password";
  int rc;

  if (!*db->password_file && !*db->password_command && !db->ask_password)
    return 0;
  if (!option)
    return err_set(err, -EINVAL,
                   "--%s has no effect: the driver %s knows no passwords", from,
                   d ? d->name : db->driver);
  if (!!*db->password_file + !!*db->password_command + db->ask_password > 1)
    return err_set(err, -EINVAL, "--%s and --%s cannot be used together", from,
                   db->ask_password ? "ask-password" : "password-command");
  e = optset_find(&p->set, option);
  if ((e->source == OPT_SOURCE_CMDLINE || e->source == OPT_SOURCE_FILE) &&
      *opt_get_string(e)) {
    db->password_command = "";
    return 0;
  }
  if (*db->password_command) /* src/db runs it for each new connection */
    return 0;
  strbuf_addf(&who, "%s user '%s'", d->name,
              opt_get_string(optset_find(&p->set, d->names->user)));
  rc = program_read_password(p, strbuf_str(&who), &password, err);
  strbuf_done(&who);
  if (rc == 0 && password)
    rc = target_replace(&s, option, password, err);
  mem_free_secret(password);
  return rc;
}

static const char *target_password_from(const struct program *p,
                                        const struct driver *d)
{
  const struct db_cfg *cfg = &p->opts.db;
  const struct opt_entry *e = optset_find(&p->set, d->names->password);

  if (*cfg->password_command)
    return "--password-command";
  if (!*opt_get_string(e) && target_has_password_variable(d))
    return d->names->password_env;
  if (!*opt_get_string(e) && getenv(d->names->library_env))
    return d->names->library_env;
  switch (e->source) {
  case OPT_SOURCE_PASSWORD:
    return *cfg->password_file ? "--password-file" : "--ask-password";
  case OPT_SOURCE_DSN:
    return *cfg->dsn ? "--dsn" : "BENCH_DSN";
  case OPT_SOURCE_FILE:
  case OPT_SOURCE_CLIENT_FILE:
    return e->where;
  default:
    return NULL;
  }
}

/* A connection string would win. */
static int target_check_tls(const struct program *p, const struct driver *d,
                            struct err *err)
{
  const char *db = program_value(&p->set, "pgsql-db");
  const char *option = "pgsql-sslmode";

  if (p->opts.db.tls < 0 || !d)
    return 0;
  if (strcmp(d->name, "mysql") != 0 && strcmp(d->name, "pgsql") != 0)
    return err_set(err, -EINVAL,
                   "--tls needs a server (expected --db-driver=mysql or pgsql, "
                   "and it is %s)",
                   d->name);
  if (strcmp(d->name, "mysql") == 0)
    option = "mysql-ssl";
  else if (strstr(db, "sslmode") && strpbrk(db, "=:"))
    return err_set(err, -EINVAL,
                   "--tls cannot be used with the sslmode in --pgsql-db "
                   "(expected one of the two)");
  return target_check_mode(p, option, program_value(&p->set, option), err);
}

static void target_warn_without_tls(const struct program *p)
{
  const bool ca = *program_value(&p->set, "mysql-ssl-ca") != '\0';

  if ((ca || *program_value(&p->set, "mysql-ssl-cert")) &&
      optset_find(&p->set, "mysql-ssl")->source == OPT_SOURCE_DEFAULT &&
      (!p->ranks || p->ranks->rank == 0))
    log_msg(LOG_WARNING,
            "TLS is off although --mysql-ssl-%s is given "
            "(--mysql-ssl=VERIFY_IDENTITY or --tls=verify switches it on)",
            ca ? "ca" : "cert");
}

static int target_settle(struct program *p, struct err *err)
{
  const struct driver *d;
  int rc = target_use_dsn(p, err);

  if (rc == 0)
    rc = target_use_options(p, err);
  if (rc < 0)
    return rc;
  d = program_find_driver(p, p->opts.db.driver); /* NULL: reported if needed */
  rc = target_check_tls(p, d, err);
  if (rc == 0 && d && d->names) {
    rc = target_use_real_name(p, d, err);
    if (rc == 0)
      rc = target_use_file(p, d, err);
    if (rc == 0)
      rc = target_use_variables(p, d, err);
    if (rc == 0 && strcmp(d->name, "mysql") == 0)
      target_warn_without_tls(p);
  }
  if (rc == 0)
    rc = target_use_password(p, d, err);
  if (rc == 0 && d && d->names && d->names->password_env)
    p->opts.db.password_from = target_password_from(p, d);
  return rc;
}

int program_settle_target(struct program *p)
{
  struct err err = { "" };

  /* The steps of a sweep do so, perhaps with other options. */
  if (sweep_wanted(&p->opts.sweep))
    return EXIT_OK;
  return target_settle(p, &err) < 0 ? program_fail(&err) : EXIT_OK;
}
