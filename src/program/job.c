/*
 * job.c - the one path of all tests: find the test, add its options, give them
 * their values, make the plan, execute the command.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/leave.h"
#include "base/strbuf.h"
#include "nodes/nodes.h"
#include "nodes/report.h"
#include "program/internal.h"
#include "program/source.h"
#include "results/results.h"
#include "run/runner.h"
#include "tests/test_list.h"

const struct test_source *source_of(const struct program *p)
{
  return p->opts.mix.members.n > 0 ? &source_mix
                                   : source_by_name(p->cmdline.test);
}

const struct test_source *source_by_name(const char *name)
{
  if (name && test_find(name))
    return &source_builtin;
  return name && program_is_sqlfile(name) ? &source_sqlfile : &source_script;
}

static int make_plan(struct job *job, struct err *err)
{
  struct program *p = job->p;
  const bool is_run = program_is_run(p);
  const bool runs = is_run && !program_only_checks(p) && !p->doctor;
  struct plan_input in = {
    .run = &p->opts.run,
    .report = &p->opts.report,
    .rand = &p->opts.rand,
    .rand_type_given = optset_find(&p->set, "rand-type")->given,
    .statement_times = p->opts.db.debug,
    .share = p->opts.db.pool > 0,
    .percentile_given = optset_find(&p->set, "percentile")->given,
    .stall_given = optset_find(&p->set, "stall")->given,
    .time_given = optset_find(&p->set, "time")->given ||
                  optset_find(&p->set, "max-time")->given ||
                  p->opts.sweep.role != SWEEP_ROLE_NONE,
    .compat = p->set.level,
    .identity = p->cmdline.identity,
    .seed_from_clock = is_run,
  };
  int rc = runs ? program_open_results(p, err) : 0;

  if (rc == 0 && p->ranks) {
    nodes_peers_init(&p->peers, p->ranks);
    rc = nodes_part(
      p->ranks,
      run_workers(&p->opts.run, is_run && job->source != &source_builtin),
      &p->peers, &job->plan_part, err);
    in.part = &job->plan_part;
  }
  if (rc < 0)
    return rc;
  /* All processes need the same value, whatever files they write. */
  in.details = runs && (results_wanted(&p->opts.results) ||
                        (p->ranks && p->opts.ranks.report));
  in.live = runs && program_has_live_line(p);
  in.event_rings = results_event_rings(p->results);
  if (job->source->choose)
    rc = job->source->choose(job, err);
  if (rc < 0)
    return rc;
  job->source->needs(job, &in);
  return plan_init(&job->made_plan, &in, err);
}

int job_make_plan(struct job *job, struct err *err)
{
  int rc;

  if (job->plan)
    return 0;
  rc = make_plan(job, err);
  if (rc < 0)
    return rc;
  job->plan = &job->made_plan;
  job->source->warn(job);
  return 0;
}

int program_apply(struct program *p, const struct cmdline_rules *rules)
{
  struct err err = { "" };
  const int rc = cmdline_apply(&p->cmdline, rules, &err);

  if (rc == 0)
    return EXIT_OK;
  (void)program_fail_usage(rc, &err);
  if (rc == -ENOENT)
    program_tell_owner(p);
  return EXIT_FAILED;
}

int program_apply_alone(struct program *p)
{
  const struct cmdline_rules rules = program_rules(p);

  return program_apply(p, &rules);
}

static int print_options(const struct job *job)
{
  struct strbuf out = { 0 };

  job->source->print_options(job, &out);
  program_put_text(&out);
  return EXIT_OK;
}

static int refuse_command(const struct job *job)
{
  struct strbuf commands = { 0 };
  int status;

  job->source->list_commands(job, &commands);
  status = program_unknown_command(job->command, strbuf_str(&commands));
  strbuf_done(&commands);
  return status;
}

static int run(struct job *job)
{
  struct err err = { "" };
  int status = job->source->begin_run ? job->source->begin_run(job) : EXIT_OK;
  int rc;

  if (status != EXIT_OK)
    return status;
  if (program_watch_server(job, &err) < 0)
    return program_fail(&err);
  status = program_run_test(job->p, job->test, job->cfg, job->plan);
  rc = job->source->end_run ? job->source->end_run(job) : EXIT_OK;
  status = status != EXIT_OK ? status : rc;
  if (leave_any(&job->p->leave) && job->source->leave)
    job->source->leave(job);
  program_leave(job->p, status);
  program_free_server(job->p);
  return status;
}

/* Executes a run, or a command of the test itself. */
static int work(struct job *job, enum test_command command)
{
  struct program *p = job->p;
  struct err err = { "" };
  int rc = job->source->check ? job->source->check(job) : EXIT_OK;

  if (rc != EXIT_OK || program_only_checks(p))
    return rc;
  if (p->doctor && command == TEST_RUN)
    return job->source->look(job);
  if (command == TEST_CALL && job->source->begin_call &&
      (!p->ranks || p->ranks->rank == 0))
    rc = job->source->begin_call(job, &err);
  if (rc < 0 || nodes_share(p->ranks, job->what, job->plan, &err) < 0)
    return program_fail(&err);
  if (command == TEST_RUN)
    return run(job);
  rc = job->source->call(job, &err);
  if (rc >= 0)
    return rc;
  return err.text[0] != '\0' ? program_fail(&err) : EXIT_FAILED;
}

static int do_command(struct job *job)
{
  const enum test_command command = job->source->find_command(job);

  switch (command) {
  case TEST_RUN:
  case TEST_CALL:
    return work(job, command);
  case TEST_OPTIONS:
    return print_options(job);
  case TEST_LACKS:
    return program_complain("'%s' test does not implement the '%s' command.",
                            job->name, job->command);
  case TEST_UNKNOWN:
    break;
  }
  return refuse_command(job);
}

/*
 * A cleanup that ignores --dry-run would drop the tables.  A script that
 * declares an option of this name decides for itself.
 */
static int refuse_dry_run(const struct job *job)
{
  if (!job->p->opts.load.dry_run || optset_find(job->set, "dry-run")->twin ||
      (strcmp(job->command, "cleanup") == 0 && job->source->is_bundled &&
       job->source->is_bundled(job)))
    return EXIT_OK;
  return program_complain("--dry-run is for the cleanup command of the bundled "
                          "scripts");
}

/* Does everything that comes after the test has been found. */
static int go(struct job *job)
{
  struct program *p = job->p;
  const bool needs_values = p->cmdline.action != CMDLINE_HELP;
  struct cmdline_rules rules = program_rules(p);
  struct err err = { "" };
  int status = job->source->declare(job, &rules);

  if (status == EXIT_OK && needs_values && job->reads_options)
    status = program_apply(p, &rules);
  if (status == EXIT_OK && needs_values && job->source->take_values)
    status = job->source->take_values(job);
  if (status != EXIT_OK)
    return status;
  if (!job->command)
    return job->reads_options && job->source->no_command
             ? job->source->no_command(job)
             : EXIT_OK;
  if (needs_values && refuse_dry_run(job) != EXIT_OK)
    return EXIT_FAILED;
  if (needs_values && job_make_plan(job, &err) < 0)
    return program_fail(&err);
  return do_command(job);
}

/* `status` is that of the program, if it has to end here. */
static void end(struct job *job, int status)
{
  job->source->end(job);
  program_leave(job->p, status);
  if (job->plan)
    plan_done(&job->made_plan);
  free(job);
}

int program_test(struct program *p)
{
  struct job *job = calloc(1, sizeof(*job));
  int status;

  if (!job)
    return EXIT_FAILED;
  job->p = p;
  job->source = source_of(p);
  job->typed = p->cmdline.test;
  job->set = &p->set;
  status = job->source->find(job);
  if (status == EXIT_OK)
    status = go(job);
  end(job, status);
  return status;
}
