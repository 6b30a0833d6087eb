/*
 * target.c - chooses the server that a script works on.  The values of --dsn,
 * option files and the environment become values of the driver's options.
 *
 * Each source sets only options that have no value yet, so the order of the
 * calls in settle() is the order of precedence.  A password that is read for
 * this run is the exception: it replaces every other one, except one on the
 * command line or in a configuration file.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "db/client_file.h"
#include "db/driver.h"
#include "db/names.h"
#include "db/url.h"
#include "nodes/nodes.h"
#include "opt/file.h"
#include "opt/suggest.h"
#include "program/internal.h"
#include "run/runner.h"

/* A source of values, and its name in messages. */
struct source {
  struct program *p;
  enum opt_source kind;
  const char *where; /* [opt] "FILE:LINE" of the values */
  const char *skip;  /* [opt] an option that it cannot set */
  bool exact;        /* its empty values do not stand for defaults */
};

static bool is_given(void *ctx, const char *option, const char **ret_value)
{
  const struct source *s = ctx;
  const struct opt_entry *e = optset_find(&s->p->set, option);

  if (ret_value)
    *ret_value = opt_get_string(e);
  return e->source != OPT_SOURCE_DEFAULT;
}

static int replace(void *ctx, const char *option, const char *value,
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

static int put(void *ctx, const char *option, const char *value,
               struct err *err)
{
  const struct source *s = ctx;

  if (is_given(ctx, option, NULL) || (s->skip && strcmp(s->skip, option) == 0))
    return 0;
  return replace(ctx, option, value, err);
}

static struct target_sink sink_of(struct source *s)
{
  return (struct target_sink){
    .ctx = s, .is_given = is_given, .put = put, .replace = replace
  };
}

/* ---- the driver, and --dsn ---- */

static int refuse_scheme(const struct program *p, const char *what,
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

/* `url` is the value of --dsn, or of the source that `what` names. */
static int use_url(struct source *s, const char *what, const struct url *url,
                   struct err *err)
{
  struct program *p = s->p;
  const struct driver *d = program_find_scheme(p, url->scheme);
  const struct target_sink sink = sink_of(s);
  const struct driver *chosen;
  int rc;

  if (!d)
    return refuse_scheme(p, what, url->scheme, err);
  if (is_given(s, "db-driver", NULL)) {
    chosen = program_find_driver(p, p->opts.db.driver);
    if (chosen != d)
      return err_set(err, -EINVAL,
                     "%s is for the driver %s, and --db-driver says '%.60s' "
                     "(expected one of them, or both for the same driver)",
                     what, d->name, p->opts.db.driver);
  }
  rc = put(s, "db-driver", d->name, err);
  if (rc == 0)
    rc = d->names->url(url, &sink, err);
  if (rc == -EINVAL)
    err_prefix(err, "%s", what);
  return rc;
}

static int use_dsn(struct program *p, struct err *err)
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
  rc = use_url(&s, what, &url, err);
  url_done(&url);
  return rc;
}

/*
 * Returns the only driver whose options are on the command line or in a
 * configuration file; NULL: there is none, or there are several.
 */
static const char *driver_of_options(const struct program *p)
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

/* `--pgsql-host=db1` says which driver is meant.  In sysbench it does not. */
static int use_options(struct program *p, struct err *err)
{
  struct source s = { .p = p, .kind = OPT_SOURCE_SCRIPT };
  const char *name = p->set.as_sysbench ? NULL : driver_of_options(p);

  return name ? put(&s, "db-driver", name, err) : 0;
}

/* Changes an alias to the name that reports show. */
static int use_real_name(struct program *p, const struct driver *d,
                         struct err *err)
{
  const struct opt_entry *e = optset_find(&p->set, "db-driver");
  struct source s = { .p = p, .kind = e->source };

  if (*p->opts.db.driver == '\0' || strcmp(d->name, p->opts.db.driver) == 0)
    return 0;
  return replace(&s, "db-driver", d->name, err);
}

/* ---- option files ---- */

/* Returns the path of ~/NAME, or NULL; owned by the caller. */
static char *home_path(const char *name)
{
  const char *home = getenv("HOME");
  struct strbuf path = { 0 };

  if (!home || !*home)
    return NULL;
  strbuf_addf(&path, "%s%s", home, name + 1);
  if (!path.failed)
    return path.text; /* ownership moves */
  strbuf_done(&path);
  return NULL;
}

/* Does this process read the files, or does process 0? */
static bool reads_files(const struct program *p)
{
  return !p->ranks || p->ranks->rank == 0;
}

/*
 * Returns why a file in the home folder, which was not asked for explicitly, is
 * not read; NULL: it is read, or does not exist.  MySQL's programs also ignore
 * a file that all users can write to, because another user could name a server
 * there.  Opening a pipe could block for ever.
 */
static const char *why_not_read(const char *path)
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

static int load_file(const struct program *p, const char *name,
                     const char *path, char **ret_text, size_t *ret_len)
{
  if (p->ranks)
    return nodes_load_as(p->ranks, name, path, ret_text, ret_len);
  return opt_file_load(path, ret_text, ret_len);
}

/* Is there a password variable?  It takes precedence over option files. */
static bool has_password_variable(const struct driver *d)
{
  const char *text = d->names->password_env ? getenv(d->names->password_env)
                                            : NULL;

  return text && *text;
}

static int read_file(struct program *p, const struct driver *d,
                     const char *name, const char *path, bool must_be,
                     struct err *err)
{
  struct source s = {
    .p = p,
    .kind = OPT_SOURCE_CLIENT_FILE,
    .where = name,
    .skip = has_password_variable(d) ? d->names->password : NULL,
  };
  const struct target_sink sink = sink_of(&s);
  struct client_file file = { 0 };
  char *text;
  size_t len;
  int rc = load_file(p, name, path, &text, &len);

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

static int use_file(struct program *p, const struct driver *d, struct err *err)
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
    return read_file(p, d, path, path, true, err);
  if (p->cmdline.identity == IDENTITY_SYSBENCH)
    return 0;
  home = home_path(name);
  why = home && reads_files(p) ? why_not_read(home) : NULL;
  if (why) {
    log_msg(LOG_WARNING, "%s is ignored, since %s", name, why);
    rc = 0;
  } else {
    /* Other ranks know the file by its name. */
    rc = read_file(p, d, name, home ? home : "", false, err);
  }
  free(home);
  return rc;
}

/* ---- environment ---- */

static int use_variables(struct program *p, const struct driver *d,
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
    if (s.exact) /* the service sets it, or otherwise the library reads it */
      value = v->always ? NULL : "";
    else if (!value || !*value || (!all && !v->always))
      value = NULL;
    if (value)
      rc = put(&s, v->option, value, err);
    if (rc == -EINVAL)
      err_prefix(err, "the environment variable %s", v->name);
  }
  return rc;
}

/* ---- passwords ---- */

static int use_password(struct program *p, const struct driver *d,
                        struct err *err)
{
  struct source s = { .p = p, .kind = OPT_SOURCE_PASSWORD };
  const char *option = d && d->names ? d->names->password : NULL;
  struct strbuf who = { 0 };
  const struct opt_entry *e;
  char *password = NULL;
  int rc;

  if (!*p->opts.db.password_file && !p->opts.db.ask_password)
    return 0;
  if (!option)
    return err_set(err, -EINVAL,
                   "--%s has no effect: the driver %s knows no passwords",
                   *p->opts.db.password_file ? "password-file" : "ask-password",
                   d ? d->name : p->opts.db.driver);
  e = optset_find(&p->set, option);
  if ((e->source == OPT_SOURCE_CMDLINE || e->source == OPT_SOURCE_FILE) &&
      *opt_get_string(e))
    return 0;
  strbuf_addf(&who, "%s user '%s'", d->name,
              opt_get_string(optset_find(&p->set, d->names->user)));
  rc = program_read_password(p, strbuf_str(&who), &password, err);
  strbuf_done(&who);
  if (rc == 0 && password)
    rc = replace(&s, option, password, err);
  if (password)
    explicit_bzero(password, strlen(password));
  free(password);
  return rc;
}

/* ---- all of it ---- */

/*
 * Returns NULL if there is no such driver.  That is reported if one is needed.
 */
static const struct driver *choose_driver(const struct program *p)
{
  return program_find_driver(p, p->opts.db.driver);
}

static int settle(struct program *p, struct err *err)
{
  const struct driver *d;
  int rc = use_dsn(p, err);

  if (rc == 0)
    rc = use_options(p, err);
  if (rc < 0)
    return rc;
  d = choose_driver(p);
  if (d && d->names) {
    rc = use_real_name(p, d, err);
    if (rc == 0)
      rc = use_file(p, d, err);
    if (rc == 0)
      rc = use_variables(p, d, err);
  }
  return rc == 0 ? use_password(p, d, err) : rc;
}

int program_settle_target(struct program *p)
{
  struct err err = { "" };

  /* The steps of a sweep do it, perhaps with other options. */
  if (sweep_wanted(&p->opts.sweep))
    return EXIT_OK;
  return settle(p, &err) < 0 ? program_fail(&err) : EXIT_OK;
}
