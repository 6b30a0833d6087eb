/*
 * tools.c - the steps of the program if a test is run many times, or if a tool
 * works on files of results.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "lua/find/search.h"
#include "opt/help.h"
#include "program/inherited.h"
#include "program/internal.h"
#include "results/outname.h"
#include "tests/test_list.h"
#include "tools/sweep.h"
#include "tools/sweep_opts.h"
#include "tools/tool.h"

/*
 * Adds the files of which each step gets its own.  False: one of them is
 * stdout, or a pipe, which steps cannot share.
 */
static bool add_files(struct sweep_input *in, const struct results_cfg *cfg,
                      struct results_file *ret_bad)
{
  struct results_file all[RESULTS_FILES];

  results_files(cfg, all);
  for (int i = 0; i < RESULTS_FILES; i++) {
    if (strcmp(all[i].option, "json") == 0) /* one document for all steps */
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

/* Is `json` the name of the file that a step writes for `path`? */
static bool is_step_file(const char *json, const char *path)
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

/* The document of the sweep is none of its steps. */
static int check_sweep_files(const struct sweep_input *in,
                             const struct results_cfg *cfg, struct err *err)
{
  for (size_t i = 0; i < in->n_files; i++) {
    if (is_step_file(cfg->json, in->files[i].path))
      return err_set(err, -EINVAL,
                     "--json and --%s cannot both write to '%s' (expected a "
                     "file for each)",
                     in->files[i].option, cfg->json);
  }
  return 0;
}

/* The steps can neither prompt one after another nor read one pipe. */
static int hand_down_password(struct program *p, struct err *err)
{
  char *password = NULL;
  int rc = 0;

  if (!p->cmdline.test || !test_find(p->cmdline.test))
    rc = program_read_password(p, "the steps", &password, err);

  if (rc == 0 && password)
    rc = program_hand_down_password(password, err);
  if (password)
    explicit_bzero(password, strlen(password));
  free(password);
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
    .objective = p->opts.report.objective,
    .percentile = p->opts.report.percentile,
    .percentiles = percentiles,
    .n_percentiles = report_percentiles(&p->opts.report, percentiles),
    .json = outname_is_stdout(p->opts.results.json) ? "-"
                                                    : p->opts.results.json,
    .summary = results_summary(&p->opts.results),
    .test = p->cmdline.test,
  };
  struct results_file bad;
  struct err err = { "" };

  if (in.cfg->find != SEARCH_OFF &&
      program_check_find(p, &in.own_clients, &err) < 0)
    return program_complain("%s", err.text);
  if (!add_files(&in, &p->opts.results, &bad))
    return program_complain("with %s only --json can be on stdout, a pipe or a "
                            "device, and not --%s=%s (expected a file, which "
                            "is FILE.step1, FILE.step2 and so on then)",
                            sweep_option_names(in.cfg), bad.option, bad.path);
  if (check_sweep_files(&in, &p->opts.results, &err) < 0 ||
      hand_down_password(p, &err) < 0)
    return program_fail(&err);
  return sweep_run(&in);
}

static const struct tool *find_tool(const char *name)
{
  for (const struct tool *const *t = tool_list; *t; t++) {
    if (strcmp((*t)->name, name) == 0)
      return *t;
  }
  return NULL;
}

bool program_is_tool(const char *name)
{
  return find_tool(name) != NULL;
}

/* verify says by 1 that something is lost. */
int program_refused_status(const struct program *p)
{
  const struct tool *tool = p->cmdline.action == CMDLINE_TOOL
                              ? find_tool(p->cmdline.test)
                              : NULL;

  return tool && tool->uses_database ? TOOL_BAD_INPUT : TOOL_FAILED;
}

static int tool_help(const struct program *p, const struct tool *tool)
{
  struct strbuf out = { 0 };

  strbuf_addf(&out, "Usage:\n  %s %s %s\n\n", p->name, tool->name, tool->usage);
  help_test(&out, tool->name, &p->set);
  program_put_text(&out);
  return TOOL_OK;
}

/* Gives the options, which are in the set, their values, and runs the tool. */
static int run_tool(struct program *p, const struct tool *tool, void *cfg)
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
    .results = &p->opts.results,
    .sweep = &p->opts.sweep,
    .time_s = p->opts.run.time_s,
    .objective = p->opts.report.objective,
    .is_bundled = program_is_bundled,
    .program = p,
  };
  struct err err = { "" };
  int status, rc;

  if (p->cmdline.action == CMDLINE_HELP)
    return tool_help(p, tool);
  rc = tool->takes_any_option ? 0 : cmdline_apply(&p->cmdline, &rules, &err);
  if (rc < 0) {
    (void)program_fail_usage(rc, &err);
    return TOOL_BAD_INPUT;
  }
  if (args.n_files == 1 && strcmp(args.files[0], "help") == 0)
    return tool_help(p, tool);
  if (program_check_files(p, &err) < 0) {
    (void)program_fail(&err);
    return TOOL_BAD_INPUT;
  }
  status = tool->uses_database ? program_verify(p, &args, &err)
                               : tool->run(&args, &err);
  if (status != TOOL_OK && err.text[0] != '\0')
    (void)program_fail(&err);
  return status;
}

int program_tool(struct program *p)
{
  const struct tool *tool = find_tool(p->cmdline.test);
  struct err err = { "" };
  void *cfg = tool ? calloc(1, tool->cfg_size) : NULL;
  int status;

  if (!cfg)
    return TOOL_FAILED;
  if ((tool == &tool_rerun || tool == &tool_machine) && p->ranks) {
    /*
     * They start the program again, and that cannot join the processes a second
     * time.
     */
    (void)program_complain("%s cannot be used by several processes in one "
                           "run (see --cluster)",
                           tool->name);
    free(cfg);
    return TOOL_BAD_INPUT;
  }
  (void)search_datadir(p->datadir);
  if (tool == &tool_machine) /* it has files to remove */
    inherited_outlive_readers();
  if (optset_add(&p->set, OPT_SECTION_TEST, tool->name, tool->opts, cfg, &err) <
      0)
    status = program_fail(&err);
  else
    status = run_tool(p, tool, cfg);
  free(cfg);
  return status;
}
