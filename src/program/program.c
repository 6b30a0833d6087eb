/*
 * program.c - the steps of the program in their order.
 */
#include "program/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "loop/overflow.h"
#include "lua/find/search.h"
#include "nodes/nodes.h"
#include "nodes/report.h"
#include "opt/cmdline.h"
#include "opt/optset.h"
#include "program/internal.h"
#include "program/source.h"
#include "report/marks.h"
#include "report/text_reporter.h"
#include "results/results.h"
#include "run/runner.h"
#include "tools/tool.h"

/* `bench --mix=... run` means `bench mix --mix=... run`.  False: another
 * test was named. */
static bool program_take_mix(struct program *p)
{
  struct cmdline *c = &p->cmdline;

  if (c->action == CMDLINE_HELP && !c->help)
    c->test = "mix";
  if (c->action != CMDLINE_TEST)
    return true;
  if (c->test && strcmp(c->test, "mix") != 0) {
    if (c->command)
      return false;
    c->command = c->test;
  }
  c->test = "mix";
  return true;
}

static const char *program_useless_find_option(const struct program *p)
{
  static const char *const names[] = { "find-confirm", "find-precision",
                                       "find-drift" };

  for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
    const struct opt_entry *e = optset_find(&p->set, names[i]);

    if (p->opts.sweep.role == SWEEP_ROLE_NONE && e && e->given)
      return names[i];
  }
  return NULL;
}

/*
 * With results only in files, the run outlives the reader of its text: Ctrl-C
 * ends tee in `bench ... | tee log` before bench has reported.
 */
static bool program_is_for_files(const struct program_options *opts)
{
  const struct results_cfg *cfg = &opts->results;
  struct results_file files[RESULTS_FILES];
  bool any = results_summary(cfg)[0] != '\0' || opts->ack.log[0] != '\0';

  results_files(cfg, files);
  for (size_t i = 0; i < RESULTS_FILES; i++)
    any = any || files[i].path[0] != '\0';
  return any && !results_on_stdout(cfg);
}

static int program_check_ack(struct program *p,
                             const struct test_source *source)
{
  if (!*p->opts.ack.log || !program_is_run(p))
    return EXIT_OK;
  if (!(source->traits & SOURCE_ACK_LOG))
    return program_refuse("--ack-log is for scripts that call "
                          "sysbench.ack(), such as the workload ack");
  if (sweep_wanted(&p->opts.sweep))
    return program_refuse("--ack-log cannot be used with --sweep, --repeat "
                          "or --find: each run needs a log of its own");
  return EXIT_OK;
}

static int program_check_careful(const struct sweep_cfg *cfg)
{
  if (!cfg->careful || *cfg->sweeps || cfg->role != SWEEP_ROLE_NONE)
    return EXIT_OK;
  return cfg->find != SEARCH_OFF
           ? program_refuse("--careful is for --sweep: --find has repeats and "
                            "references of its own, and can be used with "
                            "--settle=writeback and --sweep-pause=5")
           : program_refuse("--careful has no effect without --sweep");
}

static int program_check_failover(const struct program *p,
                                  const struct test_source *source)
{
  if (!p->opts.db.failover || (source->traits & SOURCE_DATABASE))
    return EXIT_OK;
  return program_refuse("--failover is for tests of a database server");
}

/* For doctor and all commands of tests. */
static int program_begin(struct program *p)
{
  const struct test_source *source = program_source(p);
  int status = EXIT_OK;

  if (program_check_server(p) != EXIT_OK ||
      program_check_failover(p, source) != EXIT_OK ||
      program_check_ack(p, source) != EXIT_OK)
    return EXIT_FAILED;
  if (source->traits & SOURCE_DATABASE)
    status = program_settle_target(p);
  if (status == EXIT_OK)
    (void)search_datadir(p->datadir);
  return status;
}

static int program_do_doctor(struct program *p)
{
  const char *test = p->cmdline.test;
  int status;

  if (p->ranks)
    return program_complain("doctor looks at one machine, and cannot be used "
                            "by several processes (see --cluster)");
  if (test && program_is_tool(test))
    return program_complain("doctor looks at tests and scripts, and '%s' is a "
                            "tool",
                            test);
  if (!test || strcmp(test, "help") == 0) {
    status = program_apply_alone(p);
    return status == EXIT_OK ? program_doctor_machine(p) : status;
  }
  status = program_begin(p);
  if (status != EXIT_OK)
    return status;
  if (results_on_stdout(&p->opts.results))
    log_set_text(stderr);
  return program_test(p);
}

static int program_do_test(struct program *p)
{
  const bool is_run = program_is_run(p);
  const bool sweeps = sweep_wanted(&p->opts.sweep);
  struct err err = { "" };
  const int status = program_begin(p);

  if (status != EXIT_OK)
    return status;
  if (program_check_careful(&p->opts.sweep) != EXIT_OK)
    return EXIT_FAILED;
  if ((is_run || sweeps) && program_check_files(p, &err) < 0)
    return program_fail(&err);
  if (sweeps || (is_run && program_is_for_files(&p->opts)))
    program_outlive_readers();
  if (sweeps && p->ranks)
    return program_complain("--sweep, --repeat and --find cannot be used by "
                            "several processes in one run (see --cluster)");
  if (sweeps)
    return program_sweep(p);
  if (program_useless_find_option(p))
    return program_refuse("--%s has no effect without --find",
                          program_useless_find_option(p));
  if (sweep_useless_option(&p->opts.sweep))
    return program_refuse("--%s has no effect without --sweep or --repeat",
                          sweep_useless_option(&p->opts.sweep));
  if (is_run && results_on_stdout(&p->opts.results) &&
      (!p->ranks || p->ranks->rank == 0))
    log_set_text(stderr);
  return program_test(p);
}

static int program_act(struct program *p)
{
  int status;

  if (p->opts.mix.members.n > 0 && !program_take_mix(p))
    return program_complain("--mix cannot be used together with the test '%s': "
                            "%s mix --mix=... %s",
                            p->cmdline.test, p->name, p->cmdline.command);
  switch (p->cmdline.action) {
  case CMDLINE_USAGE:
    return program_print_usage(p);
  case CMDLINE_HELP:
    return program_print_help(p, PROGRAM_HELP_OPTIONS);
  case CMDLINE_LIST:
    status = program_apply_alone(p);
    return status == EXIT_OK ? program_print_help(p, PROGRAM_HELP_NAMES)
                             : status;
  case CMDLINE_VERSION:
    program_put_version(p);
    return EXIT_OK;
  case CMDLINE_TOOL:
    return program_tool(p);
  case CMDLINE_TEST:
    break;
  }
  if (strcmp(p->opts.db.driver, "help") == 0)
    return program_print_help(p, PROGRAM_HELP_DRIVERS);
  log_set_level((enum log_level)program_log_level(&p->opts));
  if (p->cmdline.identity == IDENTITY_SYSBENCH)
    log_set_advice(LOG_INFO); /* sysbench's parsers expect none */
  return program_take_doctor(p) ? program_do_doctor(p) : program_do_test(p);
}

static int program_scan(struct program *p, int argc, char **argv)
{
  const char *tools[PROGRAM_TOOLS + 1] = { NULL };
  const struct cmdline_input in = {
    .argc = argc,
    .argv = argv,
    .compat_env = getenv("BENCH_COMPAT"),
    .stdin_is_terminal = isatty(STDIN_FILENO) != 0,
    .tools = tools,
    .load = p->ranks ? nodes_load : NULL,
    .load_arg = p->ranks,
    .check = program_options_check,
    .check_arg = &p->opts,
  };
  struct err err = { "" };
  int rc;

  for (size_t i = 0, n = 0; i < PROGRAM_TOOLS && tool_list[i]; i++) {
    if (tool_takes_files(tool_list[i]))
      tools[n++] = tool_list[i]->name;
  }
  rc = program_options_add(&p->set, &p->opts, &err);
  if (rc == 0)
    rc = program_add_drivers(p, &err);
  if (rc < 0)
    return program_fail(&err);
  rc = cmdline_scan(&p->cmdline, &in, &p->set, &p->opts.cmdline, &err);
  for (size_t i = 0; i < p->cmdline.n_warnings; i++)
    log_msg(LOG_WARNING, "%s", p->cmdline.warnings[i]);
  p->set.as_sysbench = p->cmdline.identity == IDENTITY_SYSBENCH;
  p->name = identity_name(p->cmdline.identity);
  p->version = identity_version(p->cmdline.identity, p->set.level);
  if (rc >= 0)
    return EXIT_OK;
  (void)program_fail_usage(rc, &err);
  return program_refused_status(p);
}

static int program_work(struct program *p, int argc, char **argv)
{
  int status;

  p->argc = p->ranks ? p->ranks->argc : argc;
  p->argv = p->ranks ? p->ranks->argv : argv;
  optset_init(&p->set, COMPAT_1_0);
  status = program_scan(p, p->argc, p->argv);
  if (status == EXIT_OK && p->ranks && p->opts.ranks.cluster == CLUSTER_OFF)
    nodes_let_go(&p->ranks); /* the option was in a file */
  return status == EXIT_OK ? program_act(p) : status;
}

static void program_free_all(struct program *p)
{
  cmdline_done(&p->cmdline);
  optset_done(&p->set);
  program_free_drivers(p);
  nodes_report_free(p->nodes_report);
  results_free(p->results);
  mark_fifo_free(p->marks);
  free(p->partial_file);
  free(p->event_file);
  free(p);
}

int program_main(int argc, char **argv)
{
  struct program *p;
  struct err err = { "" };
  bool go = true;
  int status = EXIT_OK;

  if (!program_mend()) {
    perror("FATAL: cannot open /dev/null for a standard descriptor that is "
           "closed");
    return EXIT_FAILED;
  }
  if (!program_stack_suffices()) {
    (void)fprintf(stderr,
                  "FATAL: the limit of the stack is less than %d KiB: raise it "
                  "(ulimit -s)\n",
                  PROGRAM_STACK_KIB);
    return EXIT_FAILED;
  }
  p = calloc(1, sizeof(*p));
  if (!p)
    return EXIT_FAILED;
  overflow_watch();
  log_init();
  if (nodes_join(&p->ranks, argc, argv, &go, &err) < 0)
    status = err.text[0] != '\0' ? program_fail(&err) : EXIT_FAILED;
  else if (go)
    status = program_work(p, argc, argv);
  status = program_finish(p, status);
  program_free_all(p);
  return status;
}
