/*
 * program.c - options -> plan -> command -> exit status: the steps of the
 * program in their order, and what is printed between them.
 */
#include "program/program.h"

#include <errno.h>
#include <luajit.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/log.h"
#include "base/secret.h"
#include "base/strbuf.h"
#include "opt/cmdline.h"
#include "opt/core_opts.h"
#include "opt/optset.h"
#include "program/inherited.h"
#include "program/internal.h"
#include "ranks/ranks.h"
#include "ranks/report.h"
#include "report/text_reporter.h"
#include "results/results.h"
#include "run/plan.h"
#include "run/runner.h"
#include "run/test.h"
#include "tests/test_list.h"
#include "tools/tool.h"

/* Texts of libraries and of other options may quote what has a password. */
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

/* Usage errors have no prefix. */
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

/* A command of a built-in test. */
static int do_command(struct program *p, const struct test *test,
                      const void *cfg, const char *command,
                      const struct plan *plan)
{
  int (*step)(const struct plan *plan, const void *cfg, struct err *err);
  struct err err = { "" };
  struct strbuf out = { 0 };

  if (strcmp(command, "run") == 0)
    return program_only_checks(p) ? EXIT_OK
           : p->doctor            ? program_doctor_builtin(p, test, plan)
           : ranks_share(p->ranks, NULL, plan, &err) < 0
             ? program_fail(&err)
             : program_run_test(p, test, cfg, plan);
  if (strcmp(command, "help") == 0) {
    help_test(&out, test->name, &p->set);
    program_put_text(&out);
    return EXIT_OK;
  }
  if (strcmp(command, "prepare") == 0)
    step = test->ops->prepare;
  else if (strcmp(command, "cleanup") == 0)
    step = test->ops->cleanup;
  else
    return program_unknown_command(
      command, test->ops->prepare ? "prepare run cleanup help" : "run help");
  if (!step)
    return program_complain("'%s' test does not implement the '%s' command.",
                            test->name, command);
  if (program_only_checks(p))
    return EXIT_OK;
  if (ranks_share(p->ranks, NULL, plan, &err) < 0 || step(plan, cfg, &err) < 0)
    return program_fail(&err);
  return EXIT_OK;
}

/* Is there something to report about? */
static bool is_run(const struct program *p)
{
  return p->cmdline.command && strcmp(p->cmdline.command, "run") == 0;
}

int program_make_plan(struct program *p, struct plan *plan, struct err *err)
{
  const struct opt_entry *type = optset_find(&p->set, "rand-type");
  struct plan_input in = {
    .core = &p->core,
    .checked = &p->cmdline.checked,
    .rand = &p->rand,
    .rand_type_given = type->given,
    .statement_times = p->db.debug,
    .percentile_given = optset_find(&p->set, "percentile")->given,
    .compat = p->set.level,
    .identity = p->cmdline.identity,
    .run = is_run(p),
  };
  const bool runs = is_run(p) && !program_only_checks(p) && !p->doctor;
  int rc = runs ? program_open_results(p, err) : 0;

  if (rc < 0)
    return rc;
  /* The same in all processes, whatever files they write. */
  in.details = runs && (results_wanted(&p->results_cfg) ||
                        (p->ranks && p->core.report_ranks));
  in.event_rings = results_event_rings(p->results);
  rc = plan_init(plan, &in, err);
  if (rc < 0 || !p->ranks)
    return rc;
  ranks_peers_init(&p->peers, p->ranks);
  plan->peers = &p->peers;
  rc = ranks_divide(p->ranks, plan, err);
  if (rc < 0)
    plan_done(plan);
  return rc;
}

static int make_plan(struct program *p, const struct test *test,
                     struct plan *plan, struct err *err)
{
  int rc = program_make_plan(p, plan, err);

  if (rc < 0)
    return rc;
  if (test->no_deadline && plan->grace_auto)
    plan->grace_ns = PLAN_NO_LIMIT;
  if (test->own_limit && plan->events != PLAN_NO_LIMIT) {
    plan->events = PLAN_NO_LIMIT;
    log_msg(LOG_WARNING, "--events has no effect on the %s test", test->name);
  }
  if (*p->core.luajit_cmd)
    log_msg(LOG_WARNING, "--luajit-cmd has no effect on the %s test",
            test->name);
  return 0;
}

static int builtin(struct program *p, const struct test *test)
{
  const char *command = p->cmdline.command;
  const struct cmdline_rules rules = program_rules(p);
  struct err err = { "" };
  struct plan plan;
  void *cfg = NULL;
  int status, rc;

  if (!command)
    return program_complain(
      "The '%s' test requires a command argument. See '%s %s help'", test->name,
      p->name, test->name);
  cfg = calloc(1, test->cfg_size);
  if (!cfg)
    return EXIT_FAILED;
  rc = optset_add(&p->set, OPT_SECTION_TEST, test->name, test->opts, cfg, &err);
  if (rc == 0)
    rc = cmdline_apply(&p->cmdline, &rules, &err);
  if (rc < 0) {
    status = program_fail_usage(rc, &err);
    if (rc == -ENOENT)
      program_tell_owner(p);
  } else if (make_plan(p, test, &plan, &err) < 0) {
    status = program_fail(&err);
  } else {
    status = do_command(p, test, cfg, command, &plan);
    if (!p->abandoned)
      plan_done(&plan);
  }
  if (!p->abandoned)
    free(cfg);
  return status;
}

static int dispatch(struct program *p)
{
  const char *name = p->cmdline.test;
  const struct test *test;

  log_msg(LOG_NOTICE, "%s (using system %s)\n\n", p->version, LUAJIT_VERSION);
  test = name ? test_find(name) : NULL;
  return test ? builtin(p, test) : program_script(p);
}

static int act(struct program *p)
{
  bool doctor;

  switch (p->cmdline.action) {
  case CMDLINE_USAGE:
    return program_print_usage(p);
  case CMDLINE_HELP:
    return program_print_help(p, PROGRAM_HELP_OPTIONS);
  case CMDLINE_LIST:
    return program_print_help(p, PROGRAM_HELP_NAMES);
  case CMDLINE_VERSION:
    program_put_version(p);
    return EXIT_OK;
  case CMDLINE_TOOL:
    return program_tool(p);
  case CMDLINE_TEST:
    break;
  }
  if (strcmp(p->db.driver, "help") == 0)
    return program_print_help(p, PROGRAM_HELP_DRIVERS);
  log_set_level((enum log_level)core_log_level(&p->core));
  doctor = program_take_doctor(p);
  if (p->cmdline.identity == IDENTITY_SYSBENCH)
    log_set_advice(LOG_INFO); /* parsers of its output know no such lines */
  if (doctor && p->ranks)
    return program_complain("doctor looks at one machine, and cannot be used "
                            "by several processes (see --cluster)");
  if (doctor && p->cmdline.test && program_is_tool(p->cmdline.test))
    return program_complain("doctor looks at tests and scripts, and '%s' is a "
                            "tool",
                            p->cmdline.test);
  if (doctor && (!p->cmdline.test || strcmp(p->cmdline.test, "help") == 0))
    return program_doctor_machine(p);
  if (!p->cmdline.test || !test_find(p->cmdline.test)) {
    const int status = program_settle_target(p);

    if (status != EXIT_OK)
      return status;
  }
  if (doctor && results_on_stdout(&p->results_cfg))
    log_set_text(stderr);
  if (doctor)
    return dispatch(p);
  if (sweep_wanted(&p->sweep) && p->ranks)
    return program_complain("--sweep and --repeat cannot be used by several "
                            "processes in one run (see --cluster)");
  if (sweep_wanted(&p->sweep))
    return program_sweep(p);
  if (sweep_useless_option(&p->sweep))
    return program_complain("--%s has no effect without --sweep or --repeat",
                            sweep_useless_option(&p->sweep));
  if (is_run(p) && results_on_stdout(&p->results_cfg) &&
      (!p->ranks || p->ranks->rank == 0))
    log_set_text(stderr);
  return dispatch(p);
}

static int scan(struct program *p, int argc, char **argv)
{
  const char *tools[PROGRAM_TOOLS + 1] = { NULL };
  const struct cmdline_input in = {
    .argc = argc,
    .argv = argv,
    .compat_env = getenv("BENCH_COMPAT"),
    .stdin_is_terminal = isatty(STDIN_FILENO) != 0,
    .tools = tools,
    .load = p->ranks ? ranks_load : NULL,
    .load_arg = p->ranks,
  };
  struct err err = { "" };
  int rc;

  for (size_t i = 0, n = 0; i < PROGRAM_TOOLS && tool_list[i]; i++) {
    if (tool_list[i]->run) /* else a test follows its name */
      tools[n++] = tool_list[i]->name;
  }
  rc = core_opts_add(&p->set, &p->core, &p->rand, &p->db, &err);
  if (rc == 0)
    rc = optset_add(&p->set, OPT_SECTION_GENERAL, NULL, results_opts,
                    &p->results_cfg, &err);
  if (rc == 0)
    rc = optset_add(&p->set, OPT_SECTION_GENERAL, NULL, sweep_opts, &p->sweep,
                    &err);
  if (rc == 0)
    rc = program_add_drivers(p, &err);
  if (rc < 0)
    return program_fail(&err);
  rc = cmdline_scan(&p->cmdline, &in, &p->set, &p->core, &err);
  for (size_t i = 0; i < p->cmdline.n_warnings; i++)
    log_msg(LOG_WARNING, "%s", p->cmdline.warnings[i]);
  p->set.as_sysbench = p->cmdline.identity == IDENTITY_SYSBENCH;
  p->name = identity_name(p->cmdline.identity);
  p->version = identity_version(p->cmdline.identity, p->set.level);
  return rc < 0 ? program_fail_usage(rc, &err) : EXIT_OK;
}

/* Everything after the question whether there are other processes. */
static int work(struct program *p, int argc, char **argv)
{
  int status;

  p->argc = p->ranks ? p->ranks->argc : argc;
  p->argv = p->ranks ? p->ranks->argv : argv;
  optset_init(&p->set, COMPAT_1_0);
  status = scan(p, p->argc, p->argv);
  if (status == EXIT_OK && p->ranks && p->core.cluster == CLUSTER_OFF)
    ranks_let_go(&p->ranks); /* a configuration file says so */
  return status == EXIT_OK ? act(p) : status;
}

static void free_all(struct program *p)
{
  cmdline_done(&p->cmdline);
  optset_done(&p->set);
  program_free_drivers(p);
  results_free(p->results);
  free(p->partial_file);
  free(p->event_file);
  free(p);
}

/* The reader of a pipe has seen enough, and has gone. */
static bool is_stdout_unread(void)
{
  struct pollfd at = { .fd = STDOUT_FILENO };

  return poll(&at, 1, 0) > 0 && (at.revents & POLLERR) != 0;
}

/* A text that is not complete must not look like success.  Who has closed the
 * standard output wants none. */
static int check_stdout(int status)
{
  struct err err;
  int why;

  if (!log_lost_text(&why) || why == EPIPE || why == EBADF ||
      is_stdout_unread())
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

int program_main(int argc, char **argv)
{
  struct program *p;
  struct err err = { "" };
  bool go = true, abandoned;
  int status = EXIT_OK;

  if (!inherited_mend())
    return EXIT_FAILED;
  p = calloc(1, sizeof(*p));
  if (!p)
    return EXIT_FAILED;
  log_init();
  if (ranks_join(&p->ranks, argc, argv, &go, &err) < 0)
    status = err.text[0] != '\0' ? program_fail(&err) : EXIT_FAILED;
  else if (go)
    status = work(p, argc, argv);
  log_flush();
  status = check_stdout(status);
  abandoned = p->abandoned;
  if (p->ranks)
    status = ranks_leave(p->ranks, status);
  if (abandoned)
    _exit(status);
  free_all(p);
  return status;
}
