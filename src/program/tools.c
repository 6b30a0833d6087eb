/*
 * tools.c - sweeps and searches, and tools that work on files.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "db/env.h"
#include "lua/find/search.h"
#include "opt/help.h"
#include "opt/optset.h"
#include "program/internal.h"
#include "results/outname.h"
#include "run/mix/list.h"
#include "run/plan.h"
#include "run/runner.h"
#include "stats/slo.h"
#include "tests/test_list.h"
#include "tools/search.h"
#include "tools/sweep.h"
#include "tools/sweep_opts.h"
#include "tools/tool.h"
#include "verify/verify.h"

/* ---- conflicts of a search ---- */

/* A step needs thirty intervals of 20 ms, then steady figures. */
#define FIND_TIME_MIN_S 1.0

/* An option for sweeps, or a limit of steps other than --time, or NULL. */
static const char *find_alien_to_find(const struct program *p)
{
  static const char *const names[] = { "events", "load-profile",
                                       "sweep-reference", "sweep-format",
                                       "sweep-stop-on-error" };

  for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
    const struct opt_entry *e = optset_find(&p->set, names[i]);

    if (e && e->given)
      return names[i];
  }
  return NULL;
}

static int find_check_find_mix(const struct program *p, bool *ret_own_clients,
                               struct err *err)
{
  const bool finds_rate = p->opts.sweep.find == SEARCH_RATE;
  const char *what = search_what_name((enum search_what)p->opts.sweep.find);
  struct mix_list list = { 0 };
  size_t rated = 0;
  int rc;

  *ret_own_clients = false;
  if (p->opts.mix.members.n == 0)
    return 0;
  rc = mix_list_parse(&list, &p->opts.mix.members, err);
  for (size_t i = 0; rc == 0 && i < list.n; i++)
    rated += list.of[i].rate > 0;
  if (rc == 0 && !finds_rate && list.dedicated)
    rc = err_set(err, -EINVAL,
                 "--find=%s cannot be used with a --mix whose members have "
                 "clients of their own (%s:%u); give them weights (%s@%u)",
                 what, list.of[0].script, list.of[0].clients, list.of[0].script,
                 list.of[0].clients);
  else if (rc == 0 && finds_rate && rated == list.n)
    rc = err_set(err, -EINVAL,
                 "--find=rate needs a member of the mix without a rate of its "
                 "own");
  *ret_own_clients = rc == 0 && list.dedicated;
  mix_list_done(&list);
  return rc;
}

/* The objective must fail only at high load.  A lowest throughput fails at
 * low load; without a limit of time, every rate holds. */
static int find_check_objective(const struct program *p, struct err *err)
{
  const bool finds_rate = p->opts.sweep.find == SEARCH_RATE;
  bool limits_time = false;
  const struct slo *slo = &p->opts.report.slo;
  int rc = 0;

  for (unsigned i = 0; rc == 0 && i < slo->n; i++) {
    limits_time = limits_time || slo->term[i].kind->unit == SLO_NS;
    if (slo->term[i].kind->at_least)
      rc = err_set(
        err, -EINVAL,
        "--find cannot use the term '%s' of --slo: every low load would fail "
        "it; remove the term, the answer itself is the throughput",
        slo->term[i].text);
  }
  if (rc == 0 && finds_rate && !limits_time)
    rc = err_set(
      err, -EINVAL,
      "--find=rate needs a latency limit in --slo, such as p99<=10ms: without "
      "one every rate would hold, because queued events are not errors");
  return rc;
}

static int find_check(const struct program *p, bool *ret_own_clients,
                      struct err *err)
{
  const struct sweep_cfg *cfg = &p->opts.sweep;
  const char *what = search_what_name((enum search_what)cfg->find);
  const struct opt_entry *e = optset_find(&p->set, what);

  if (p->opts.report.slo.n == 0)
    return err_set(err, -EINVAL,
                   "--find=%s needs an objective, such as "
                   "--slo=\"p99<=10ms\"",
                   what);
  if (*cfg->sweeps || cfg->repeat > 1)
    return err_set(err, -EINVAL,
                   "--find chooses the values of its steps, and cannot be used "
                   "with --%s",
                   *cfg->sweeps ? "sweep" : "repeat");
  if (p->opts.run.rate > 0 || (e && e->given))
    return err_set(
      err, -EINVAL, "--find=%s cannot be used with --%s, which it %s", what,
      p->opts.run.rate > 0 ? "rate" : what,
      cfg->find == SEARCH_RATE || p->opts.run.rate <= 0 ? "chooses"
                                                        : "would have to know");
  if (find_alien_to_find(p))
    return err_set(err, -EINVAL, "--find cannot be used with --%s",
                   find_alien_to_find(p));
  e = optset_find(&p->set, "think-time");
  if (cfg->find == SEARCH_RATE && e && e->given)
    return err_set(err, -EINVAL,
                   "--find=rate cannot be used with --think-time: a rate says "
                   "when each event is due");
  if (p->opts.run.time_s < FIND_TIME_MIN_S)
    return err_set(err, -EINVAL,
                   "--find needs a --time of at least %d second, the limit of "
                   "each step",
                   (int)FIND_TIME_MIN_S);
  if (find_check_objective(p, err) < 0)
    return -EINVAL;
  return find_check_find_mix(p, ret_own_clients, err);
}

/* ---- bench verify ---- */

static int verify_check_options(const struct program *p,
                                const struct verify_kind *kind, struct err *err)
{
  for (const struct opt *o = verify_opts; o->type != OPT_TYPE_END; o++) {
    const struct opt_entry *e = optset_find(&p->set, o->name);

    if (e && e->given && !verify_has_option(kind, o->name))
      return err_set(err, -1, "--%s has no effect: the file is %s", o->name,
                     kind->title);
  }
  return 0;
}

static int verify_judge(struct program *p, const struct verify_kind *kind,
                        const struct tool_args *args, struct err *err)
{
  const struct plan plan = { .threads = 1 };
  struct db_process db = { .one_server = true };
  const struct verify_input in = {
    .paths = args->files,
    .n_paths = args->n_files,
    .cfg = args->cfg,
    .db = kind->uses_database ? &db : NULL,
    .out = stdout,
  };
  int status;

  if (!kind->uses_database)
    return kind->judge(&in, err);
  if (program_settle_target(p) != EXIT_OK || program_check_driver(p) != EXIT_OK)
    return VERIFY_BAD_INPUT; /* printed */
  if (program_misses_file(p)) {
    (void)err_set(err, -ENOENT,
                  "the database file '%s' does not exist (expected that of "
                  "the run in --sqlite-db)",
                  program_value(&p->set, "sqlite-db"));
    return VERIFY_BAD_INPUT;
  }
  if (program_start_database(p, &plan, &db, err) < 0)
    return VERIFY_BAD_INPUT;
  status = kind->judge(&in, err);
  (void)process_done(&db); /* no thread was started that could stay */
  return status;
}

static int verify_find_kind(const struct tool_args *args,
                            const struct verify_kind **ret, struct err *err)
{
  int rc = 0;

  if (args->n_files == 0)
    return err_set(err, -EINVAL, "verify needs a file");
  for (size_t i = 0; i < args->n_files && rc == 0; i++) {
    const struct verify_kind *kind = NULL;

    rc = verify_find(verify_kinds, args->files[i], &kind, err);
    if (rc == 0 && i > 0 && kind != *ret)
      rc = err_set(err, -EINVAL, "'%.400s' is %s, and '%.400s' is %s",
                   args->files[0], (*ret)->title, args->files[i], kind->title);
    if (rc == 0)
      *ret = kind;
  }
  if (rc == 0 && args->n_files > 1 && !(*ret)->takes_several)
    rc = err_set(err, -EINVAL, "verify takes one file that is %s, not %zu",
                 (*ret)->title, args->n_files);
  return rc;
}

static int tools_verify(struct program *p, const struct tool_args *args,
                        struct err *err)
{
  const struct verify_kind *kind = NULL;

  if (verify_find_kind(args, &kind, err) < 0 ||
      verify_check_options(p, kind, err) < 0)
    return VERIFY_BAD_INPUT;
  return verify_judge(p, kind, args, err);
}

/* ---- sweeps and tools ---- */

/* Files that each step gets separately.  False: one is stdout or a pipe. */
static bool tools_add_files(struct sweep_input *in,
                            const struct results_cfg *cfg,
                            struct results_file *ret_bad)
{
  struct results_file all[RESULTS_FILES];

  results_files(cfg, all);
  for (int i = 0; i < RESULTS_FILES; i++) {
    if (strcmp(all[i].option, "json") == 0) /* one for all steps */
      continue;
    if (outname_is_special(all[i].path) && !outname_is_null(all[i].path)) {
      *ret_bad = all[i];
      return false;
    }
    if (*all[i].path)
      in->files[in->n_files++] = all[i];
  }
  return true;
}

static bool tools_is_step_file(const char *json, const char *path)
{
  const char *step = NULL;
  struct strbuf name = { 0 };
  bool same;

  for (const char *at = json; (at = strstr(at, ".step")) != NULL; at++)
    step = at;
  if (!step || step[5] == '\0' || step[5 + strspn(step + 5, "0123456789")] ||
      outname_is_null(path))
    return false;
  strbuf_addf(&name, "%s%s", path, step);
  same = outname_same(json, strbuf_str(&name));
  strbuf_done(&name);
  return same;
}

static int tools_check_sweep_files(const struct sweep_input *in,
                                   const struct results_cfg *cfg,
                                   struct err *err)
{
  for (size_t i = 0; i < in->n_files; i++) {
    if (tools_is_step_file(cfg->json, in->files[i].path))
      return err_set(err, -EINVAL,
                     "--json and --%s cannot both write to '%s' (expected a "
                     "file for each)",
                     in->files[i].option, cfg->json);
  }
  return 0;
}

/* Steps cannot prompt one after another, nor read one pipe. */
static int tools_hand_down_password(struct program *p, struct err *err)
{
  char *password = NULL;
  int rc = 0;

  if (!p->cmdline.test || !test_find(p->cmdline.test))
    rc = program_read_password(p, "the steps", &password, err);

  if (rc == 0 && password)
    rc = program_hand_down_password(password, err);
  mem_free_secret(password);
  return rc;
}

int program_sweep(struct program *p)
{
  double percentiles[REPORT_PERCENTILES_MAX];
  struct sweep_input in = {
    .cfg = &p->opts.sweep,
    .set = &p->set,
    .argc = p->argc,
    .argv = p->argv,
    .command = p->cmdline.command,
    .time_s = p->opts.run.time_s,
    .objective = program_value(&p->set, "slo"),
    .percentile = p->opts.report.percentile,
    .percentiles = percentiles,
    .n_percentiles = report_percentiles(&p->opts.report, percentiles),
    .json = outname_is_stdout(p->opts.results.json) ? "-"
                                                    : p->opts.results.json,
    .summary = results_summary(&p->opts.results),
    .test = p->cmdline.test,
    .as_sysbench = p->cmdline.identity != IDENTITY_BENCH,
  };
  struct results_file bad;
  struct err err = { "" };

  if (in.cfg->find != SEARCH_OFF && find_check(p, &in.own_clients, &err) < 0)
    return program_fail(&err);
  if (!tools_add_files(&in, &p->opts.results, &bad))
    return program_refuse("with %s only --json can be on stdout, a pipe or a "
                          "device, and not --%s=%s (expected a file, which "
                          "is FILE.step1, FILE.step2 and so on then)",
                          sweep_option_names(in.cfg), bad.option, bad.path);
  if (tools_check_sweep_files(&in, &p->opts.results, &err) < 0 ||
      tools_hand_down_password(p, &err) < 0)
    return program_fail(&err);
  return sweep_run(&in);
}

static const struct tool *tools_find_tool(const char *name)
{
  for (const struct tool *const *t = tool_list; *t; t++) {
    if (strcmp((*t)->name, name) == 0)
      return *t;
  }
  return NULL;
}

bool program_is_tool(const char *name)
{
  return tools_find_tool(name) != NULL;
}

/* 1 of verify means a loss. */
int program_refused_status(const struct program *p)
{
  const struct tool *tool = p->cmdline.action == CMDLINE_TOOL
                              ? tools_find_tool(p->cmdline.test)
                              : NULL;

  return tool && tool != &tool_doctor ? TOOL_BAD_INPUT : TOOL_FAILED;
}

static int tools_tool_help(const struct program *p, const struct tool *tool)
{
  struct strbuf out = { 0 };

  strbuf_addf(&out, "Usage:\n  %s %s %s\n\n", p->name, tool->name, tool->usage);
  help_test(&out, tool->name, &p->set);
  program_put_text(&out);
  return TOOL_OK;
}

static int tools_run_tool(struct program *p, const struct tool *tool, void *cfg)
{
  const struct cmdline_rules rules = program_rules(p);
  const struct tool_args args = {
    .cfg = cfg,
    .set = &p->set,
    .files = p->cmdline.args,
    .n_files = p->cmdline.n_args,
    .argc = p->argc,
    .argv = p->argv,
    .tool_name = p->cmdline.test,
    .tools = tool_list,
    .results = &p->opts.results,
    .sweep = &p->opts.sweep,
    .time_s = p->opts.run.time_s,
    .objective = program_value(&p->set, "slo"),
    .is_bundled = program_is_bundled,
    .program = p,
  };
  struct err err = { "" };
  int status, rc;

  if (p->cmdline.action == CMDLINE_HELP)
    return tools_tool_help(p, tool);
  rc = tool->takes_any_option ? 0 : cmdline_apply(&p->cmdline, &rules, &err);
  if (rc < 0) {
    (void)program_fail_usage(rc, &err);
    return TOOL_BAD_INPUT;
  }
  if (args.n_files == 1 && strcmp(args.files[0], "help") == 0)
    return tools_tool_help(p, tool);
  if (program_check_files(p, &err) < 0) {
    (void)program_fail(&err);
    return TOOL_BAD_INPUT;
  }
  if (tool == &tool_database && tools_hand_down_password(p, &err) < 0) {
    (void)program_fail(&err);
    return TOOL_BAD_INPUT;
  }
  status = tool->uses_database ? tools_verify(p, &args, &err)
                               : tool->run(&args, &err);
  if (status != TOOL_OK && err.text[0] != '\0')
    (void)program_fail(&err);
  return status;
}

int program_tool(struct program *p)
{
  const struct tool *tool = tools_find_tool(p->cmdline.test);
  struct err err = { "" };
  void *cfg = tool ? calloc(1, tool->cfg_size) : NULL;
  const bool is_protocol = tool == &tool_machine || tool == &tool_database ||
                           tool == &tool_try;
  int status;

  if (!cfg)
    return TOOL_FAILED;
  if ((tool == &tool_rerun || is_protocol) && p->ranks) {
    /* These tools start the program again, which cannot join the processes
     * twice. */
    (void)program_refuse("%s cannot be used by several processes in one "
                         "run (see --cluster)",
                         tool->name);
    free(cfg);
    return TOOL_BAD_INPUT;
  }
  (void)search_datadir(p->datadir);
  if (is_protocol) /* has files or tables to remove */
    program_outlive_readers();
  if (optset_add(&p->set, OPT_SECTION_TEST, tool->name, tool->opts, cfg, &err) <
      0)
    status = program_fail(&err);
  else
    status = tools_run_tool(p, tool, cfg);
  free(cfg);
  return status;
}
