/*
 * rerun_tool.c - `bench rerun RESULT`: the program started again with the
 * options that a result was made with.
 *
 * Results hold no passwords: each one that was given then has to be given
 * again, on the command line or as a variable of the environment.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "opt/suggest.h"
#include "os/os.h"
#include "results/options.h"
#include "tools/result.h"
#include "tools/sweep_opts.h"
#include "tools/tool.h"

/* Options that belong to that process, or to its files. */
static const char *const left_out[] = {
  "sweep-role", "sweep-place", "test", "config-file", "help", "version",
};

struct args {
  char **of; /* owned */
  size_t n, room;
  bool failed;
};

/* Takes `text` over. */
static void add(struct args *a, char *text)
{
  if (a->n + 1 >= a->room) {
    const size_t room = a->room ? 2 * a->room : 64;
    char **more = realloc(a->of, room * sizeof(*more));

    if (!more) {
      a->failed = true;
      free(text);
      return;
    }
    a->of = more;
    a->room = room;
  }
  if (!text)
    a->failed = true;
  else
    a->of[a->n++] = text;
  a->of[a->n] = NULL;
}

static void add_option(struct args *a, const char *name, const char *value)
{
  struct strbuf b = { 0 };

  strbuf_addf(&b, "--%s=%s", name, value);
  add(a, b.failed ? NULL : mem_strdup(strbuf_str(&b)));
  strbuf_done(&b);
}

static void args_done(struct args *a)
{
  for (size_t i = 0; i < a->n; i++)
    free(a->of[i]);
  free(a->of);
}

/* Is the option among the present arguments? */
static bool is_given(const struct tool_args *args, const char *name)
{
  for (int i = 1; i < args->argc; i++) {
    const char *arg = args->argv[i];
    char *here;
    bool same;

    if (strncmp(arg, "--", 2) != 0)
      continue;
    here = mem_strndup(arg + 2, strcspn(arg + 2, "="));
    same = here && opt_name_equal(here, name);
    free(here);
    if (same)
      return true;
  }
  return false;
}

/* BENCH_MYSQL_PASSWORD */
static const char *from_environment(const char *name, char *variable,
                                    size_t size)
{
  size_t n = (size_t)snprintf(variable, size, "BENCH_%s", name);

  for (size_t i = 0; i < n && i < size; i++) {
    if (variable[i] == '-')
      variable[i] = '_';
    variable[i] = (char)toupper((unsigned char)variable[i]);
  }
  return getenv(variable);
}

static int check_secret(const struct tool_args *args, const char *name,
                        struct err *err)
{
  char variable[128];
  const char *value = from_environment(name, variable, sizeof(variable));

  if (!is_given(args, name) && !value)
    return err_set(err, -EINVAL,
                   "the value of --%.60s is not in results, "
                   "because it is secret: give it again, or set %s",
                   name, variable);
  return 0; /* the program reads the variable itself */
}

/* Check a value that contained a password. */
static int check_redacted(const char *name, const json_t *option,
                          struct err *err)
{
  if (!json_is_true(json_object_get(option, "redacted")))
    return 0;
  return err_set(err, -EINVAL,
                 "the password in --%.60s is not in results: give the option "
                 "again",
                 name);
}

/* Bytes that are not text cannot be told from the characters that documents
 * store instead of them. */
static bool is_text(const json_t *option)
{
  return !json_is_true(json_object_get(option, "latin1"));
}

static int check_text(const char *name, const json_t *option, struct err *err)
{
  if (is_text(option))
    return 0;
  return err_set(err, -EINVAL,
                 "the value of --%.60s is not in results, because it is no "
                 "valid UTF-8: give it again",
                 name);
}

/* Does each use of the option add a line? */
static bool has_lines(const char *name)
{
  for (const struct opt *o = sweep_opts; o->type != OPT_TYPE_END; o++) {
    if ((o->flags & OPT_COLLECT) && opt_name_equal(o->name, name))
      return true;
  }
  return false;
}

/* An empty value is a line. */
static void add_lines(struct args *a, const char *name, const char *lines)
{
  do {
    const size_t len = strcspn(lines, "\n");
    char *line = mem_strndup(lines, len);

    if (line)
      add_option(a, name, line);
    else
      a->failed = true;
    free(line);
    lines += len + (lines[len] == '\n');
  } while (*lines);
}

/* Documents store an empty text as null. */
static void add_value(struct args *a, const struct result *r, const char *name,
                      const json_t *option)
{
  struct strbuf value = { 0 };

  if (!result_option(r, name, &value) &&
      !json_is_null(json_object_get(option, "value")))
    return;
  if (value.failed)
    a->failed = true;
  else if (has_lines(name))
    add_lines(a, name, strbuf_str(&value));
  else
    add_option(a, name, strbuf_str(&value));
  strbuf_done(&value);
}

/* The user did not set the value: it was found out, and will be again. */
static bool is_made(const char *source)
{
  static const char *const made[] = { "default", "script", "dsn", "client_file",
                                      "password" };

  for (size_t i = 0; i < ARRAY_SIZE(made); i++) {
    if (strcmp(made[i], source) == 0)
      return true;
  }
  return false;
}

static int add_one(struct args *a, const struct tool_args *args,
                   const struct result *r, const char *name,
                   const json_t *option, struct err *err)
{
  const char *source = result_text_at(option, "source");
  int rc;

  if (opt_rows_have(results_opts, name))
    return 0;
  for (size_t i = 0; i < ARRAY_SIZE(left_out); i++) {
    if (strcmp(left_out[i], name) == 0)
      return 0;
  }
  if (!source || is_made(source))
    return 0;
  if (json_is_true(json_object_get(option, "secret")))
    return check_secret(args, name, err);
  if (is_given(args, name) && !(has_lines(name) && is_text(option)))
    return 0;
  rc = check_text(name, option, err);
  if (rc == 0)
    rc = check_redacted(name, option, err);
  if (rc == 0)
    add_value(a, r, name, option);
  return rc;
}

/* Sweeps are run again as sweeps; single steps and runs without their sweep. */
static bool belongs_to_sweep(const char *name)
{
  return strcmp(name, "repeat") == 0 || strcmp(name, "pause") == 0 ||
         strcmp(name, "reset") == 0 || strcmp(name, "reference-every") == 0 ||
         strncmp(name, "sweep", 5) == 0;
}

static bool is_swept(const struct result_file *f, const char *name)
{
  return f->is_sweep && json_object_get(f->steps[0].values, name) != NULL;
}

static int add_options(struct args *a, const struct tool_args *args,
                       const struct result_file *f, const struct result *r,
                       struct err *err)
{
  const char *name;
  json_t *option;

  json_object_foreach(json_object_get(r->json, "options"), name, option)
  {
    int rc;

    if ((belongs_to_sweep(name) && !f->is_sweep) || is_swept(f, name))
      continue;
    rc = add_one(a, args, r, name, option, err);
    if (rc < 0)
      return rc;
  }
  return 0;
}

/* Present arguments, after the file's name, come last and take precedence. */
static void add_today(struct args *a, const struct tool_args *args)
{
  for (int i = 1; i < args->argc; i++) {
    if (args->argv[i] != args->tool_name && args->argv[i] != args->files[0])
      add(a, mem_strdup(args->argv[i]));
  }
}

static const struct result *first_run(const struct result_file *f)
{
  if (!f->is_sweep)
    return &f->run;
  for (size_t i = 0; i < f->n_steps; i++) {
    if (f->steps[i].run)
      return f->steps[i].run;
  }
  return NULL;
}

static int make_args(struct args *a, const struct tool_args *args,
                     const struct result_file *f, struct err *err)
{
  const struct result *r = first_run(f);
  int rc;

  if (f->has_parts)
    return err_set(err, -EINVAL,
                   "'%.400s' is of bench machine: start that again", f->path);
  if (!r)
    return err_set(err, -EINVAL, "'%.400s' has no run to repeat", f->path);
  if (json_object_get(r->json, "merged"))
    return err_set(err, -EINVAL,
                   "'%.400s' is of bench merge: repeat the runs whose files "
                   "its \"merged\" names",
                   f->path);
  add(a, mem_strdup(args->argv[0]));
  add(a, mem_strdup(r->test));
  rc = add_options(a, args, f, r, err);
  add_today(a, args);
  add(a, mem_strdup("run"));
  if (rc == 0 && a->failed)
    rc = err_set(err, -ENOMEM, "not enough memory for the arguments");
  return rc;
}

static int run_rerun(const struct tool_args *args, struct err *err)
{
  struct result_file file = { 0 };
  struct args a = { 0 };
  char path[PATH_MAX];
  int rc;

  if (args->n_files != 1) {
    (void)err_set(err, -EINVAL, "rerun needs one file");
    return TOOL_BAD_INPUT;
  }
  rc = result_load(&file, args->files[0], err);
  if (rc == 0)
    rc = make_args(&a, args, &file, err);
  result_file_done(&file);
  if (rc < 0) {
    args_done(&a);
    return rc == -ENOMEM ? TOOL_FAILED : TOOL_BAD_INPUT;
  }
  (void)fflush(NULL);
  /* make_args() has set it.
   * NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker) */
  (void)execv("/proc/self/exe", a.of);
  /* A path of the program helps if there is no such file.  It may be the one of
   * a program that was removed, which would hide why this one was not started.
   */
  if (errno != E2BIG && os_program(path))
    (void)execv(path, a.of);
  rc = err_sys(err, "cannot start the program again,");
  args_done(&a);
  return rc == -E2BIG ? TOOL_BAD_INPUT : TOOL_FAILED;
}

static const struct opt no_opts[] = { OPT_END };

const struct tool tool_rerun = {
  .name = "rerun",
  .summary = "run again with the options of a result",
  .usage = "RESULT.json [OPTION ...]",
  .opts = no_opts,
  .cfg_size = 1,
  .takes_any_option = true,
  .run = run_rerun,
};
