/*
 * rerun_tool.c - `bench rerun RESULT`: runs again with the options of a result.
 *
 * Results hold no passwords: give them again. A document can come from a
 * stranger: the command line is printed first, and options that run code
 * outside of bench, write a file or read a password need consent.
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
#include "base/os/os.h"
#include "base/strbuf.h"
#include "opt/optset.h"
#include "opt/suggest.h"
#include "results/options.h"
#include "tools/child.h"
#include "tools/result.h"
#include "tools/sweep_opts.h"
#include "tools/tool.h"

/* Of the process, or of its files. */
static const char *const left_out[] = {
  "sweep-role", "sweep-place", "test", "config-file", "help", "version",
};

/* These need consent. */
static const struct {
  const char *name, *does;
} asked[] = {
  { "sweep-reset", "runs a shell command" },
  { "reset", "runs a shell command" }, /* its old name */
  { "ack-log", "writes a log" },
  { "file-ack-log", "writes a log" },
  { "history-file", "writes a history" },
  { "history", "writes a history" },
  { "model-file", "writes a file" },
  { "mark", "makes a fifo" },
  { "failover", "makes a fifo" },
  { "luajit-cmd", "runs a module of LuaJIT, which may write a file" },
  { "yes-destroy", "destroys the data on a device" },
  { "mysql-cleartext", "sends the password as it is" },
  { "pgsql-cleartext", "sends the password as it is" },
  { "mysql-get-server-public-key", "takes the key of any server" },
  { "force", "drops tables of others" },
  { "password-file", "reads a password" },
  { "password-command", "runs a command" },
  { "mysql-defaults-file", "reads a password" },
};

struct rerun_cfg {
  bool trust;
};

static const struct opt rerun_opts[] = {
  {
    OPT_BOOL(struct rerun_cfg, trust),
    .name = "trust",
    .help = "ask no question about what the result runs, writes or reads",
    .man = "Without the option, scripts and files of SQL that are not part of "
           "bench, the command of --sweep-reset, logs, test files that fileio "
           "writes to, and files of passwords need a "
           "\"yes\" at the terminal.",
  },
  OPT_END,
};

struct rerun {
  struct child_words args;
  size_t n_today;     /* first argument of today */
  struct strbuf asks; /* with commas */
};

/* For a shell; harmless for a terminal. */
static void rerun_quote(struct strbuf *out, const char *text)
{
  static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "_@%+=:,./-";
  bool printable = true;

  if (*text && text[strspn(text, plain)] == '\0') {
    strbuf_adds(out, text);
    return;
  }
  for (const char *c = text; *c; c++)
    printable = printable && *c >= ' ' && *c <= '~';
  strbuf_adds(out, printable ? "'" : "$'");
  for (const char *c = text; *c; c++) {
    if (*c < ' ' || *c > '~')
      strbuf_addf(out, "\\%03o", (unsigned)(unsigned char)*c);
    else if (!printable && (*c == '\'' || *c == '\\'))
      strbuf_addf(out, "\\%c", *c);
    else if (*c == '\'')
      strbuf_adds(out, "'\\''");
    else
      strbuf_add(out, c, 1);
  }
  strbuf_adds(out, "'");
}

static void rerun_ask_for(struct rerun *a, const char *what, const char *does)
{
  strbuf_adds(&a->asks, a->asks.len > 0 ? ", " : "");
  rerun_quote(&a->asks, what);
  strbuf_addf(&a->asks, " (%s)", does);
}

/* Members of a mix: NAME.OPTION. */
static void rerun_ask_for_option(struct rerun *a, const char *arg, size_t from,
                                 size_t len)
{
  char *option = mem_strndup(arg, from + len);
  const char *name = option ? option + from : "";
  const char *dot = strrchr(name, '.');

  for (size_t i = 0; i < ARRAY_SIZE(asked); i++) {
    if (opt_name_equal(asked[i].name, dot ? dot + 1 : name))
      rerun_ask_for(a, option, asked[i].does);
  }
  a->args.failed |= !option;
  free(option);
}

/* Parameters of a URL can be such options. */
static bool rerun_ask_for_url(const char *arg)
{
  const char *query = strncmp(arg, "--dsn=", strlen("--dsn=")) == 0 ||
                          strncmp(arg,
                                  "--sweep=dsn:", strlen("--sweep=dsn:")) == 0
                        ? strchr(arg, '?')
                        : NULL;

  return query && (strcasestr(query, "public") || strchr(query, '%'));
}

/* `arg`: --NAME=VALUE. */
static void rerun_ask_about(struct rerun *a, const struct tool_args *args,
                            const char *arg)
{
  static const char sweep[] = "--sweep=", swept_mix[] = "--sweep=mix:";
  const size_t to_value = strcspn(arg, "=") + 1;

  rerun_ask_for_option(a, arg, 2, to_value - 3);
  if (rerun_ask_for_url(arg))
    rerun_ask_for(a, "--dsn", "takes the key of any server");
  if (strncmp(arg, sweep, strlen(sweep)) == 0)
    rerun_ask_for_option(a, arg, to_value, strcspn(arg + to_value, ":"));
  if (strncmp(arg, swept_mix, strlen(swept_mix)) == 0 ||
      (strncmp(arg, "--mix=", 6) == 0 &&
       !args->is_bundled(args->program, arg + to_value, true)))
    rerun_ask_for(a, arg, "runs scripts that are not part of bench");
}

static bool rerun_is_given(const struct tool_args *args, const char *name)
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
static const char *rerun_from_environment(const char *name, char *variable,
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
  const char *value = rerun_from_environment(name, variable, sizeof(variable));

  if (!rerun_is_given(args, name) && !value)
    return err_set(err, -EINVAL,
                   "the value of --%.60s is not in results, "
                   "because it is secret: give it again, or set %s",
                   name, variable);
  return 0; /* read by the program */
}

/* A value that contained a password. */
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

/* Documents replace bytes outside of UTF-8. */
static bool rerun_is_text(const json_t *option)
{
  return !json_is_true(json_object_get(option, "latin1"));
}

static int check_text(const char *name, const json_t *option, struct err *err)
{
  if (rerun_is_text(option))
    return 0;
  return err_set(err, -EINVAL,
                 "the value of --%.60s is not in results, because it is not "
                 "valid UTF-8: give it again",
                 name);
}

/* One line per use. */
static bool rerun_has_lines(const char *name)
{
  for (const struct opt *o = sweep_opts; o->type != OPT_TYPE_END; o++) {
    if ((o->flags & OPT_COLLECT) && opt_name_equal(o->name, name))
      return true;
  }
  return false;
}

static void rerun_add_lines(struct rerun *a, const char *name,
                            const char *lines)
{
  do {
    const size_t len = strcspn(lines, "\n");
    char *line = mem_strndup(lines, len);

    if (line)
      child_words_add_option(&a->args, name, line);
    else
      a->args.failed = true;
    free(line);
    lines += len + (lines[len] == '\n');
  } while (*lines);
}

/* An empty text is null in documents. */
static void rerun_add_value(struct rerun *a, const struct result *r,
                            const char *name, const json_t *option)
{
  struct strbuf value = { 0 };

  if (!result_option(r, name, &value) &&
      !json_is_null(json_object_get(option, "value")))
    return;
  if (value.failed)
    a->args.failed = true;
  else if (rerun_has_lines(name))
    rerun_add_lines(a, name, strbuf_str(&value));
  else
    child_words_add_option(&a->args, name, strbuf_str(&value));
  strbuf_done(&value);
}

/* Found out, not set by the user. */
static bool rerun_is_made(const char *source)
{
  static const char *const made[] = { "default",     "script",   "dsn",
                                      "client_file", "password", "shorthand" };

  for (size_t i = 0; i < ARRAY_SIZE(made); i++) {
    if (strcmp(made[i], source) == 0)
      return true;
  }
  return false;
}

static int rerun_add_one(struct rerun *a, const struct tool_args *args,
                         const struct result *r, const char *name,
                         const json_t *option, struct err *err)
{
  const char *source = result_text_at(option, "source");
  int rc;

  if (opt_rows_have(results_opts, name))
    return 0;
  for (size_t i = 0; i < ARRAY_SIZE(left_out); i++) {
    if (opt_name_equal(left_out[i], name))
      return 0;
  }
  if (strchr(name, '=')) /* the rest would be its value */
    return err_set(err, -EINVAL, "'%.400s' is not a result of bench: --%.60s",
                   args->files[0], name);
  if (!source || rerun_is_made(source))
    return 0;
  if (json_is_true(json_object_get(option, "secret")))
    return check_secret(args, name, err);
  if (rerun_is_given(args, name) &&
      !(rerun_has_lines(name) && rerun_is_text(option)))
    return 0;
  rc = check_text(name, option, err);
  if (rc == 0)
    rc = check_redacted(name, option, err);
  if (rc == 0)
    rerun_add_value(a, r, name, option);
  return rc;
}

/* Only sweeps are run again as sweeps. */
static bool rerun_belongs_to_sweep(const char *name)
{
  return strcmp(name, "repeat") == 0 || strcmp(name, "pause") == 0 ||
         strcmp(name, "reset") == 0 || strcmp(name, "reference-every") == 0 ||
         strncmp(name, "sweep", 5) == 0;
}

static bool rerun_is_swept(const struct result_file *f, const char *name)
{
  return f->is_sweep && json_object_get(f->steps[0].values, name) != NULL;
}

/* One process is another load. */
static int check_processes(const struct tool_args *args,
                           const struct result_file *f, const struct result *r,
                           struct err *err)
{
  const size_t n = json_array_size(json_object_get(r->json, "ranks"));

  if (n < 2 || rerun_is_given(args, "cluster"))
    return 0;
  return err_set(err, -EINVAL,
                 "'%.400s' is of a run of %zu processes, and rerun starts only "
                 "one: give the same options to mpirun -n %zu --bind-to none "
                 "bench %s ... run, or add --cluster=off to run one process",
                 f->path, n, n, r->test);
}

static int rerun_add_options(struct rerun *a, const struct tool_args *args,
                             const struct result_file *f,
                             const struct result *r, struct err *err)
{
  const char *name;
  json_t *option;
  int rc = check_processes(args, f, r, err);

  if (rc < 0)
    return rc;
  json_object_foreach(json_object_get(r->json, "options"), name, option)
  {
    if ((rerun_belongs_to_sweep(name) && !f->is_sweep) ||
        rerun_is_swept(f, name))
      continue;
    rc = rerun_add_one(a, args, r, name, option, err);
    if (rc < 0)
      return rc;
  }
  return 0;
}

static bool rerun_is_trust(const char *arg)
{
  const char *name = rerun_opts[0].name;
  const size_t len = strlen(name);

  return strncmp(arg, "--", 2) == 0 && strncmp(arg + 2, name, len) == 0 &&
         (arg[2 + len] == '\0' || arg[2 + len] == '=');
}

/* All options but --trust are the test's. */
static int rerun_take_trust(const struct tool_args *args, bool *ret,
                            struct err *err)
{
  int rc = 0;

  *ret = false;
  for (int i = 1; i < args->argc && rc == 0; i++) {
    const char *arg = args->argv[i];
    const char *equals = strchr(arg, '=');
    const struct opt_given given = { .name = rerun_opts[0].name,
                                     .arg = arg,
                                     .text = equals ? equals + 1 : "",
                                     .bare = !equals,
                                     .source = OPT_SOURCE_CMDLINE };
    struct opt_value value = { 0 };

    if (!rerun_is_trust(arg))
      continue;
    rc = opt_value_read(&rerun_opts[0], &given, &value, err);
    *ret = value.on;
    opt_value_done(&value);
  }
  return rc;
}

/* Only reading modes change no file; a sweep can add others. */
static bool rerun_only_reads(const struct rerun *a)
{
  static const char mode[] = "--file-test-mode=";
  bool reads = false;

  for (size_t i = 2; i < a->args.n; i++) {
    const char *arg = a->args.of[i];
    char *name = mem_strndup(arg, strcspn(arg, "="));

    if (name && opt_name_equal(name, "--file-test-mode"))
      reads = strcmp(arg + sizeof(mode) - 1, "seqrd") == 0 ||
              strcmp(arg + sizeof(mode) - 1, "rndrd") == 0;
    free(name);
    if (strncmp(arg, "--sweep=", 8) == 0)
      return false;
  }
  return reads;
}

/* `a` has a test and its options. */
static void rerun_ask_about_all(struct rerun *a, const struct tool_args *args)
{
  bool mix = rerun_is_given(args, "mix");

  for (size_t i = 2; i < a->args.n; i++) {
    mix = mix || strncmp(a->args.of[i], "--mix=", 6) == 0;
    rerun_ask_about(a, args, a->args.of[i]);
  }
  if (a->args.n > 1 && !(mix && strcmp(a->args.of[1], "mix") == 0) &&
      !args->is_bundled(args->program, a->args.of[1], false))
    rerun_ask_for(a, a->args.of[1], "a script that is not part of bench");
  if (a->args.n > 1 && strcmp(a->args.of[1], "fileio") == 0 &&
      !rerun_only_reads(a))
    rerun_ask_for(a, a->args.of[1], "writes to its test files");
}

/* Arguments of today win. */
static void rerun_add_today(struct rerun *a, const struct tool_args *args)
{
  a->n_today = a->args.n;
  for (int i = 1; i < args->argc; i++) {
    if (args->argv[i] != args->tool_name && args->argv[i] != args->files[0] &&
        !rerun_is_trust(args->argv[i]))
      child_words_add(&a->args, mem_strdup(args->argv[i]));
  }
}

static bool rerun_is_no_test(const struct tool *const *tools, const char *name)
{
  for (const struct tool *const *t = tools; *t; t++) {
    if (strcmp((*t)->name, name) == 0)
      return true;
  }
  return name[0] == '-' || strcmp(name, "help") == 0;
}

static const struct result *rerun_first_run(const struct result_file *f)
{
  if (!f->is_sweep)
    return &f->run;
  for (size_t i = 0; i < f->n_steps; i++) {
    if (f->steps[i].run)
      return f->steps[i].run;
  }
  return NULL;
}

static int rerun_make_args(struct rerun *a, const struct tool_args *args,
                           const struct result_file *f, struct err *err)
{
  const struct result *r = rerun_first_run(f);
  int rc;

  if (f->has_parts)
    return err_set(err, -EINVAL, "'%.400s' is of %s: start that again", f->path,
                   result_file_tool(f));
  if (!r)
    return err_set(err, -EINVAL, "'%.400s' has no run to repeat", f->path);
  if (json_object_get(r->json, "merged"))
    return err_set(err, -EINVAL,
                   "'%.400s' is of bench merge: repeat the runs whose files "
                   "its \"merged\" names",
                   f->path);
  if (rerun_is_no_test(args->tools, r->test))
    return err_set(err, -EINVAL, "'%.400s' is not a result of a test: '%.60s'",
                   f->path, r->test);
  child_words_add(&a->args, mem_strdup(args->argv[0]));
  child_words_add(&a->args, mem_strdup(r->test));
  rc = rerun_add_options(a, args, f, r, err);
  rerun_ask_about_all(a, args);
  rerun_add_today(a, args);
  child_words_add(&a->args, mem_strdup("run"));
  if (rc == 0 && (a->args.failed || a->asks.failed))
    rc = err_set(err, -ENOMEM, "not enough memory for the arguments");
  return rc;
}

/* Without the passwords of today. */
static void rerun_print_command(const struct rerun *a,
                                const struct tool_args *args)
{
  struct strbuf line = { 0 }, shown = { 0 };

  for (size_t i = 0; i < a->args.n; i++) {
    strbuf_clear(&shown);
    if (i >= a->n_today && i + 1 < a->args.n)
      optset_show_argument(args->set, a->args.of[i], NULL, &shown);
    else
      strbuf_adds(&shown, a->args.of[i]);
    strbuf_adds(&line, i > 0 ? " " : "");
    rerun_quote(&line, strbuf_str(&shown));
  }
  (void)fprintf(stderr, "%s\n", strbuf_str(&line));
  strbuf_done(&shown);
  strbuf_done(&line);
}

static int rerun_get_consent(const struct rerun *a, const char *path,
                             struct err *err)
{
  const char *asks = strbuf_str(&a->asks);
  char answer[16] = "";

  if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
    return err_set(err, -EACCES,
                   "'%.400s' needs your consent for %.2000s: add --trust if "
                   "you trust the command above, or answer at a terminal",
                   path, asks);
  (void)fprintf(stderr,
                "'%s' needs your consent for %s.\nRun the command above? Type "
                "yes: ",
                path, asks);
  if (fgets(answer, sizeof(answer), stdin) && strcmp(answer, "yes\n") == 0)
    return 0;
  return err_set(err, -EACCES, "nothing was run: the answer was not yes");
}

static int rerun_start(const struct rerun *a, struct err *err)
{
  char path[PATH_MAX];
  int rc;

  (void)fflush(NULL);
  /* rerun_make_args() has set the arguments.
   * NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker) */
  (void)execv("/proc/self/exe", a->args.of);
  /* For systems without /proc.  After E2BIG, the path can be another
   * program's, which would hide the reason. */
  if (errno != E2BIG && os_program(path))
    (void)execv(path, a->args.of);
  rc = err_sys(err, "cannot start the program again,");
  return rc == -E2BIG ? TOOL_BAD_INPUT : TOOL_FAILED;
}

static int run_rerun(const struct tool_args *args, struct err *err)
{
  struct result_file file = { 0 };
  struct rerun a = { 0 };
  bool trust;
  int rc;

  if (args->n_files != 1) {
    (void)err_set(err, -EINVAL, "rerun needs one file");
    return TOOL_BAD_INPUT;
  }
  rc = rerun_take_trust(args, &trust, err);
  if (rc == 0)
    rc = result_load(&file, args->files[0], err);
  if (rc == 0)
    rc = rerun_make_args(&a, args, &file, err);
  result_file_done(&file);
  if (rc == 0)
    rerun_print_command(&a, args);
  if (rc == 0 && a.asks.len > 0 && !trust)
    rc = rerun_get_consent(&a, args->files[0], err);
  if (rc == 0)
    rc = rerun_start(&a, err);
  else
    rc = rc == -ENOMEM ? TOOL_FAILED : TOOL_BAD_INPUT;
  child_words_done(&a.args);
  strbuf_done(&a.asks);
  return rc;
}

const struct tool tool_rerun = {
  .name = "rerun",
  .summary = "run again with the options of a result",
  .usage = "RESULT.json [--trust] [OPTION ...]",
  .opts = rerun_opts,
  .cfg_size = sizeof(struct rerun_cfg),
  .takes_any_option = true,
  .run = run_rerun,
};
