/*
 * job.c - the path of all tests: finds the test, adds its options and their
 * values, makes the plan, executes the command; and the reporters of a run.
 */
#include <errno.h>
#include <luajit.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/leave.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "db/relay.h"
#include "monitor/monitor.h"
#include "nodes/keeper.h"
#include "nodes/nodes.h"
#include "nodes/report.h"
#include "opt/help.h"
#include "program/internal.h"
#include "program/source.h"
#include "report/live_line.h"
#include "report/marks.h"
#include "report/text.h"
#include "results/kept.h"
#include "results/outname.h"
#include "results/results.h"
#include "run/plan.h"
#include "run/runner.h"
#include "stats/report.h"
#include "tests/test_list.h"
#include "tools/report_page.h"

struct slo_reporter {
  bool missed; /* an objective was not shown to hold */
};

/* After an error in an event, that error is reported. */
static int slo_on_final(void *ctx, const struct report_setup *setup,
                        const struct report *r, struct err *err)
{
  struct slo_reporter *s = ctx;
  struct slo_verdict verdict;
  struct strbuf b = { 0 };
  int rc = 0;

  if (setup->slo.n == 0)
    return 0;
  report_judge(r, setup, &verdict);
  s->missed = verdict.state != SLO_HELD;
  if (r->failure)
    return 0;
  text_slo(&b, &verdict);
  if (b.failed)
    rc = err_set(err, -ENOMEM, "not enough memory for the report");
  else
    log_msg(LOG_NOTICE, "%s", strbuf_str(&b));
  strbuf_done(&b);
  return rc;
}

static const struct reporter slo_reporter = {
  .name = "objective",
  .final = slo_on_final,
};

/* A special file, such as a pipe, belongs to the first rank.  NULL: no file,
 * or no memory. */
static char *results_own_name(const char *name, unsigned rank)
{
  return name[0] == '\0' || outname_is_special(name)
           ? NULL
           : program_rank_file(name, rank);
}

/* Other ranks write their part of the document, removed when rank 0 has all,
 * and event logs, which are never merged.  A rank that cannot write goes on. */
static int results_open_others(struct program *p, struct results_input *in)
{
  struct results_cfg own;
  struct err err = { "" };

  results_none(&own);
  p->partial_file = results_own_name(p->opts.results.json, p->ranks->rank);
  p->event_file = results_own_name(p->opts.results.event_log, p->ranks->rank);
  if (p->partial_file)
    own.json = p->partial_file;
  if (p->event_file)
    own.event_log = p->event_file;
  in->cfg = &own;
  if (results_new(&p->results, in, &err) < 0)
    log_msg(LOG_WARNING, "%s", err.text);
  in->cfg = NULL;
  return 0;
}

static int results_open_files(struct program *p, const struct results_input *in,
                              struct err *err)
{
  const char *live = in->cfg->live;
  const int rc = results_new(&p->results, in, err);

  if (rc == 0 && live[0] != '\0')
    log_msg(LOG_NOTICE, "The live page is at http://%s%s/\n",
            strchr(live, ':') ? "" : "127.0.0.1:", live);
  if (rc == 0 && results_in_memory(p->results))
    log_msg(LOG_WARNING,
            "no folder takes a temporary file (TMPDIR, /tmp, the folder of the "
            "document), so the intervals of --json are kept in memory");
  return rc;
}

enum {
  /* With more, a snapshot per second costs too much for a copy. */
  WORKERS_SAMPLED = 256
};

static bool results_are_kept(const struct program *p)
{
  char folder[PATH_MAX];

  return p->cmdline.identity == IDENTITY_BENCH && program_is_run(p) &&
         p->opts.sweep.role == SWEEP_ROLE_NONE && !p->ranks &&
         kept_folder(folder);
}

static int results_open_by_rank(struct program *p, unsigned workers,
                                struct err *err)
{
  struct results_input in = {
    .cfg = &p->opts.results,
    .set = &p->set,
    .name = p->name,
    .version = p->version,
    .test = p->cmdline.test,
    .threads = workers + p->opts.run.storm.clients,
    .page = report_page,
    .keep = results_are_kept(p),
    .leave = &p->leave,
  };

  if (!p->ranks)
    return results_open_files(p, &in, err);
  in.first_thread = p->ranks->rank * in.threads;
  return p->ranks->rank == 0 ? results_open_files(p, &in, err)
                             : results_open_others(p, &in);
}

/* The argument for `mark`: the process, or the name of --mark. */
static void results_say_marks(const struct program *p, const char *where)
{
  const bool by_number = strcmp(where, MARK_AUTO) == 0;
  /* `mark` takes digits for a process. */
  const bool digits = where[strspn(where, "0123456789")] == '\0';
  char number[32];

  (void)snprintf(number, sizeof(number), "%ld", (long)getpid());
  log_msg(LOG_NOTICE, "Marks are taken from %s, or by %s mark %s%s TEXT\n",
          mark_fifo_path(p->marks), p->name, digits ? "./" : "",
          by_number ? number : where);
}

static int results_open_marks(struct program *p, struct err *err)
{
  const char *where = p->opts.run.mark;
  int rc;

  if (where[0] == '\0' || (p->ranks && p->ranks->rank != 0))
    return 0;
  rc = mark_fifo_new(&p->marks, where, p->opts.run.report_interval_s > 0,
                     &p->leave, err);
  if (rc < 0)
    return rc;
  p->text.marks = mark_fifo_marks(p->marks);
  results_set_marks(p->results, p->marks);
  results_say_marks(p, where);
  return 0;
}

static int results_open(struct job *job, unsigned workers, struct err *err)
{
  struct program *p = job->p;
  int rc;

  if (p->opts.sweep.role == SWEEP_ROLE_STEP)
    p->opts.results.summary = ""; /* the sweep has one for all steps */
  rc = results_open_by_rank(p, workers, err);
  return rc < 0 ? rc : results_open_marks(p, err);
}

static int results_run_with(struct job *job, const struct reporter_use *use,
                            size_t n)
{
  struct program *p = job->p;
  const struct plan *plan = job->plan;
  struct nodes_report_setup setup = {
    .ranks = p->ranks,
    .plan = plan,
    .reporters = use,
    .n_reporters = n,
    .table = p->opts.ranks.report,
  };
  struct reporter_use merged = { &nodes_reporter, NULL };
  struct err err = { "" };
  int status;

  if (!p->ranks)
    return runner_run(plan, job->test, job->cfg, use, n, &p->leave);
  if (nodes_report_new(&p->nodes_report, &setup, &err) < 0)
    return program_fail(&err);
  merged.ctx = p->nodes_report;
  /* A run handles SIGTERM; after the run there is much to save. */
  if (p->ranks->keeper > 0)
    keeper_ignore_death(true);
  status = runner_run(plan, job->test, job->cfg, &merged, 1, &p->leave);
  status = nodes_report_status(p->nodes_report, status);
  if (nodes_report_complete(p->nodes_report) &&
      results_document_written(p->results))
    (void)unlink(p->partial_file);
  return status;
}

static bool results_have_live_line(const struct program *p)
{
  return p->opts.report.progress && p->opts.run.report_interval_s == 0 &&
         !p->ranks && p->cmdline.identity == IDENTITY_BENCH &&
         log_get_level() >= LOG_NOTICE && isatty(STDERR_FILENO) == 1;
}

static int results_run(struct job *job)
{
  struct program *p = job->p;
  const struct plan *plan = job->plan;
  struct live_line line = { .io = &progress_stderr,
                            .time_ns = plan->time_ns,
                            .events = plan->events };
  struct slo_reporter slo = { false };
  struct reporter_use use[6];
  size_t n = 0;
  uint64_t dropped;
  int status;

  if (!sweep_place(&p->opts.sweep, &line.step, &line.steps, &line.rest_s))
    line.steps = 0;
  results_limits(p->results, plan->time_ns, plan->events);
  /* First: the other reporters show their data. */
  if (p->marks)
    use[n++] = (struct reporter_use){ &mark_reporter, p->marks };
  if (p->monitor)
    use[n++] = (struct reporter_use){ &monitor_reporter, p->monitor };
  /* Files come before the text, in which a hook can hang. */
  if (p->results)
    use[n++] = (struct reporter_use){ &results_reporter, p->results };
  if (results_have_live_line(p))
    use[n++] = (struct reporter_use){ &live_line_reporter, &line };
  if (!p->ranks || p->ranks->rank == 0) {
    use[n++] = (struct reporter_use){ &text_reporter, &p->text };
    use[n++] = (struct reporter_use){ &slo_reporter, &slo };
  }
  status = results_run_with(job, use, n);
  program_print_server(p);
  if (status == EXIT_OK && slo.missed)
    status = SLO_EXIT_STATUS;
  dropped = results_dropped(p->results);
  if (dropped > 0)
    log_msg(LOG_WARNING,
            "%llu event%s missing in the event log: the file could not be "
            "written fast enough",
            (unsigned long long)dropped, dropped == 1 ? " is" : "s are");
  return status;
}

/* ---- options that exclude each other ---- */

enum job_fact {
  JOB_RUNS = 1 << 0,
  JOB_MIX = 1 << 1,
  JOB_PROCESSES = 1 << 2,
  JOB_MAY_IDLE = 1 << 3,
  JOB_POOL = 1 << 4,
  JOB_IDLE = 1 << 5,
  JOB_STORM = 1 << 6,
  JOB_THINK = 1 << 7,
  JOB_RATE = 1 << 8,
  JOB_PROFILE = 1 << 9,
  JOB_LIFETIME = 1 << 10,
  JOB_SAMPLE = 1 << 11,
  JOB_LIVE = 1 << 12,
  JOB_LIVE_HOST = 1 << 13,
};

/* The first row whose facts are all true, without `unless`, is the error. */
static const struct {
  unsigned facts, unless;
  const char *text;
} job_conflicts[] = {
  { JOB_THINK | JOB_RATE, 0,
    "--think-time cannot be used with --rate, which says when each event is "
    "due" },
  { JOB_THINK | JOB_PROFILE, 0,
    "--think-time cannot be used with --load-profile, which says when each "
    "event is due" },
  { JOB_LIFETIME | JOB_MIX, 0,
    "--connection-lifetime cannot be used with --mix" },
  { JOB_SAMPLE | JOB_MIX, 0, "--backend-sample cannot be used with --mix" },
  { JOB_IDLE, JOB_MAY_IDLE,
    "--idle-clients needs a script or a file of SQL, whose connections stay "
    "idle; it cannot be used with --mix" },
  { JOB_STORM, JOB_MAY_IDLE,
    "--storm needs a script or a file of SQL, whose clients connect to a "
    "database; it cannot be used with --mix" },
  { JOB_STORM | JOB_PROCESSES, 0,
    "--storm cannot be used in a run of several processes" },
  { JOB_RUNS | JOB_POOL | JOB_MIX, 0,
    "--pool cannot be used with --mix, whose members have connections of their "
    "own" },
  { JOB_RUNS | JOB_POOL | JOB_IDLE, 0,
    "--pool cannot be used with --idle-clients, which keep connections of "
    "their own" },
  { JOB_RUNS | JOB_POOL | JOB_STORM, 0,
    "--pool cannot be used with --storm, whose clients open connections of "
    "their own" },
  { JOB_RUNS | JOB_LIVE_HOST, JOB_LIVE,
    "--live-host has no effect without --live or --prometheus" },
};

static int job_check_conflicts(const struct job *job, bool is_run,
                               struct err *err)
{
  const struct program *p = job->p;
  const struct run_cfg *run = &p->opts.run;
  const struct results_cfg *results = &p->opts.results;
  const struct {
    unsigned fact;
    bool is;
  } facts[] = {
    { JOB_RUNS, is_run },
    { JOB_MIX, p->opts.mix.members.n > 0 },
    { JOB_PROCESSES, p->ranks && p->ranks->size > 1 },
    { JOB_MAY_IDLE, job->source->traits & SOURCE_IDLE },
    { JOB_POOL, p->opts.db.pool > 0 },
    { JOB_IDLE,
      run->idle_clients.clients > 0 || run->idle_clients.percent > 0 },
    { JOB_STORM, run->storm.n > 0 },
    { JOB_THINK, run->think_time.kind != THINK_NONE },
    { JOB_RATE, run->rate > 0 },
    { JOB_PROFILE, *run->load_profile },
    { JOB_LIFETIME, optset_find(&p->set, "connection-lifetime")->given ||
                      optset_find(&p->set, "churn-time")->given },
    { JOB_SAMPLE, optset_find(&p->set, "backend-sample")->given },
    { JOB_LIVE, *results->live || *results->prometheus },
    { JOB_LIVE_HOST, *results->live_host },
  };
  unsigned is = 0;

  for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
    is |= facts[i].is ? facts[i].fact : 0;
  for (size_t i = 0; i < ARRAY_SIZE(job_conflicts); i++) {
    const unsigned all = job_conflicts[i].facts;

    if ((is & all) == all && !(is & job_conflicts[i].unless))
      return err_set(err, -EINVAL, "%s", job_conflicts[i].text);
  }
  return 0;
}

static int job_make_plan(struct job *job, struct err *err)
{
  struct program *p = job->p;
  const unsigned traits = job->source->traits;
  const bool is_run = program_is_run(p);
  const bool runs = is_run && !program_only_checks(p) && !p->doctor;
  const bool clients = is_run && (traits & SOURCE_CLIENTS);
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
    .clients = clients,
    .start_rate = traits & SOURCE_CLIENTS ? p->opts.db.connect_rate : 0,
    .no_deadline = job->test && job->test->no_deadline,
    .own_limit = job->test && job->test->own_limit,
    .classes = job->test && job->test->has_classes,
  };
  const unsigned workers = run_workers(&p->opts.run, clients);
  int rc = job_check_conflicts(job, is_run, err);

  if (rc == 0 && runs)
    rc = results_open(job, workers, err);
  if (rc == 0 && p->ranks) {
    nodes_peers_init(&p->peers, p->ranks);
    rc = nodes_part(p->ranks, workers, &p->peers, &job->plan_part, err);
    in.part = &job->plan_part;
  }
  if (rc < 0)
    return rc;
  /* All processes need the same value, whatever files they write. */
  in.details = runs && (results_wanted(&p->opts.results) ||
                        (p->ranks && p->opts.ranks.report));
  in.kept = runs && results_are_kept(p);
  /* Checkpoints divide the totals otherwise. */
  in.details = in.details || (in.kept && p->opts.run.report_checkpoints.n > 0);
  in.live = runs && (results_have_live_line(p) ||
                     (in.kept && workers <= WORKERS_SAMPLED));
  in.event_rings = results_event_rings(p->results);
  rc = plan_init(&job->made_plan, &in, err);
  if (rc == 0)
    job->plan = &job->made_plan;
  return rc;
}

/* ---- commands ---- */

static void job_add_about(const struct job *job, struct strbuf *out)
{
  const struct test *test = test_find(job->name);
  struct bundled script = { "" };
  const size_t begin = out->len;
  struct strbuf commands = { 0 };

  (void)snprintf(script.name, sizeof(script.name), "%s", job->name);
  if (test && test->about)
    help_add_wrapped(out, "", test->about);
  else if (job->bundled && bundled_read(job->p->datadir, &script))
    help_add_wrapped(out, "One event:", script.summary);
  job->source->list_commands(job, &commands);
  strbuf_addf(out, "%sCommands: %s", out->len > begin ? "\n" : "",
              strbuf_str(&commands));
  strbuf_done(&commands);
  if (script.example[0] || (test && test->example))
    strbuf_addf(out, "\nExample:\n  %s %s %s", job->p->name, job->name,
                script.example[0] ? script.example : test->example);
  strbuf_adds(out, "\n\n");
}

static int job_print_options(const struct job *job)
{
  struct strbuf out = { 0 };

  if (!job->set->as_sysbench && job->source->list_commands)
    job_add_about(job, &out);
  if (job->source->print_options)
    job->source->print_options(job, &out);
  else
    help_test(&out, job->name, job->set);
  program_put_text(&out);
  return EXIT_OK;
}

static int job_refuse_command(const struct job *job)
{
  struct strbuf commands = { 0 };
  int status;

  job->source->list_commands(job, &commands);
  status = program_unknown_command(job->command, strbuf_str(&commands));
  strbuf_done(&commands);
  return status;
}

static void job_advise_failover(const struct program *p)
{
  const struct run_cfg *run = &p->opts.run;

  if (!p->opts.db.failover || p->opts.sweep.role != SWEEP_ROLE_NONE ||
      (p->ranks && p->ranks->rank != 0))
    return;
  if (run->rate == 0 && !*run->load_profile)
    log_msg(LOG_NOTICE, "With --rate, events also become due during an outage, "
                        "and the report counts these arrivals\n");
  if (!*p->opts.ack.log)
    log_msg(LOG_NOTICE, "With --ack-log=FILE and the workload ack, bench "
                        "verify finds acknowledged commits that were lost\n");
}

static int job_run(struct job *job)
{
  struct err err = { "" };
  int status = job->source->begin_run ? job->source->begin_run(job) : EXIT_OK;
  int rc;

  if (status != EXIT_OK)
    return status;
  if (program_watch_server(job, &err) < 0)
    return program_fail(&err);
  job_advise_failover(job->p);
  status = results_run(job);
  rc = job->source->end_run ? job->source->end_run(job) : EXIT_OK;
  status = status != EXIT_OK ? status : rc;
  if (leave_any(&job->p->leave) && job->db)
    relay_stop(job->db->relay);
  program_leave(job->p, status);
  program_free_server(job->p);
  return status;
}

static int job_work(struct job *job, bool run)
{
  struct program *p = job->p;
  struct err err = { "" };
  int rc = 0;

  if (job->needs_driver && program_check_driver(p) != EXIT_OK)
    return EXIT_FAILED;
  if (program_only_checks(p))
    return EXIT_OK;
  if (p->doctor && run)
    return job->source->look(job);
  if (!run && job->source->begin_call && (!p->ranks || p->ranks->rank == 0))
    rc = job->source->begin_call(job, &err);
  if (rc < 0 || nodes_share(p->ranks, job->what, job->plan, &err) < 0)
    return program_fail(&err);
  if (run)
    return job_run(job);
  rc = job->source->call(job, &err);
  if (rc >= 0)
    return rc;
  return err.text[0] != '\0' ? program_fail(&err) : EXIT_FAILED;
}

static int job_command(struct job *job)
{
  const enum test_command command = job->source->find_command(job);

  switch (command) {
  case TEST_RUN:
  case TEST_CALL:
    return job_work(job, command == TEST_RUN);
  case TEST_OPTIONS:
    return job_print_options(job);
  case TEST_LACKS:
    return program_complain("'%s' test does not implement the '%s' command.",
                            job->name, job->command);
  case TEST_UNKNOWN:
    break;
  }
  return job_refuse_command(job);
}

/* A cleanup that ignores --dry-run would drop the tables.  A script can have
 * its own option of this name. */
static int job_refuse_dry_run(const struct job *job)
{
  if (!job->p->opts.load.dry_run || optset_find(job->set, "dry-run")->twin ||
      (strcmp(job->command, "cleanup") == 0 && job->bundled))
    return EXIT_OK;
  return program_refuse("--dry-run is for the cleanup command of the bundled "
                        "scripts");
}

static int job_go(struct job *job)
{
  struct program *p = job->p;
  const struct test_source *source = job->source;
  const bool needs_values = p->cmdline.action != CMDLINE_HELP;
  struct cmdline_rules rules = program_rules(p);
  struct err err = { "" };
  int status = source->find(job), rc = 0;

  if (status != EXIT_OK)
    return status;
  if (source->traits & SOURCE_PLAN_FIRST && job_make_plan(job, &err) < 0)
    return program_fail(&err);
  status = source->declare(job, &rules);
  if (status == EXIT_OK && needs_values && job->reads_options)
    status = program_apply(p, &rules);
  if (status != EXIT_OK)
    return status;
  if (needs_values && source->take_values)
    rc = source->take_values(job, &err);
  if (rc < 0)
    return program_fail_usage(rc, &err);
  if (!job->command)
    return EXIT_OK;
  if (needs_values && job_refuse_dry_run(job) != EXIT_OK)
    return EXIT_FAILED;
  if (needs_values && !job->plan && job_make_plan(job, &err) < 0)
    return program_fail(&err);
  return job_command(job);
}

int program_declare(struct program *p, const char *script, struct optset *set)
{
  struct job *job = calloc(1, sizeof(*job));
  struct cmdline_rules rules = program_rules(p);
  struct err err = { "" };
  int status;

  if (!job)
    return EXIT_FAILED;
  p->cmdline.test = job->typed = script;
  p->cmdline.command = "help";
  job->p = p;
  job->source = &source_script;
  job->set = set;
  status = job->source->find(job);
  if (status == EXIT_OK && job_make_plan(job, &err) < 0)
    status = program_fail(&err);
  if (status == EXIT_OK)
    status = job->source->declare(job, &rules);
  job->source->end(job);
  if (job->plan)
    plan_done(&job->made_plan);
  free(job);
  return status;
}

const struct test_source *program_source(const struct program *p)
{
  return p->opts.mix.members.n > 0 ? &source_mix
                                   : source_by_name(p->cmdline.test);
}

int program_test(struct program *p)
{
  struct job *job = calloc(1, sizeof(*job));
  int status;

  if (!job)
    return EXIT_FAILED;
  if (p->cmdline.action == CMDLINE_TEST)
    log_msg(LOG_NOTICE, "%s (using system %s)\n\n", p->version, LUAJIT_VERSION);
  job->p = p;
  job->source = program_source(p);
  job->typed = p->cmdline.test;
  job->set = &p->set;
  status = job_go(job);
  job->source->end(job);
  program_leave(p, status);
  if (job->plan)
    plan_done(&job->made_plan);
  free(job);
  return status;
}
