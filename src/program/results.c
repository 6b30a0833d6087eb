/*
 * results.c - the reporters of a run: the text, the files, and the one that
 * merges the reports of several ranks.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "monitor/monitor.h"
#include "nodes/keeper.h"
#include "nodes/nodes.h"
#include "nodes/report.h"
#include "program/internal.h"
#include "program/slo.h"
#include "program/source.h"
#include "report/live_line.h"
#include "report/mark_fifo.h"
#include "results/outname.h"
#include "results/results.h"
#include "run/plan.h"
#include "run/runner.h"
#include "tools/report_page.h"

char *program_rank_file(const char *name, unsigned rank)
{
  struct strbuf b = { 0 };

  strbuf_addf(&b, "%s.rank%u", name, rank);
  return b.text;
}

/* A name that is not a regular file, such as a pipe, belongs to the first rank
 * alone.  NULL also if there is no memory; then there is no file. */
static char *own_name(const char *name, unsigned rank)
{
  return name[0] == '\0' || outname_is_special(name)
           ? NULL
           : program_rank_file(name, rank);
}

/*
 * The other ranks write their part of the document, and event logs.  The part
 * is removed when rank 0 has received everything; event logs are never merged.
 * If a rank cannot write them, it goes on without: only rank 0 needs files.
 */
static int open_others(struct program *p, struct results_input *in)
{
  struct results_cfg own;
  struct err err = { "" };

  results_none(&own);
  p->partial_file = own_name(p->opts.results.json, p->ranks->rank);
  p->event_file = own_name(p->opts.results.event_log, p->ranks->rank);
  if (p->partial_file)
    own.json = p->partial_file;
  if (p->event_file)
    own.event_log = p->event_file;
  in->cfg = &own;
  if (results_new(&p->results, in, &err) < 0)
    log_msg(LOG_WARNING, "%s", err.text);
  in->cfg = NULL; /* nothing may use `own` from here on */
  return 0;
}

static int open_results(struct program *p, const struct results_input *in,
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

static int open_by_rank(struct program *p, struct err *err)
{
  struct results_input in = {
    .cfg = &p->opts.results,
    .set = &p->set,
    .name = p->name,
    .version = p->version,
    .test = p->cmdline.test,
    .threads = run_workers(&p->opts.run, source_of(p) != &source_builtin) +
               run_storm_clients(&p->opts.run),
    .page = report_page,
    .leave = &p->leave,
  };

  if (!p->ranks)
    return open_results(p, &in, err);
  in.first_thread = p->ranks->rank * in.threads;
  return p->ranks->rank == 0 ? open_results(p, &in, err) : open_others(p, &in);
}

/* What `mark` is told: the process, or the name that --mark has given. */
static void say_marks(const struct program *p, const char *where)
{
  const bool by_number = strcmp(where, MARK_AUTO) == 0;
  /* It takes digits for a process. */
  const bool digits = where[strspn(where, "0123456789")] == '\0';
  char number[32];

  (void)snprintf(number, sizeof(number), "%ld", (long)getpid());
  log_msg(LOG_NOTICE, "Marks are taken from %s, or by %s mark %s%s TEXT\n",
          mark_fifo_path(p->marks), p->name, digits ? "./" : "",
          by_number ? number : where);
}

/* Marks are taken by one process of a run. */
static int open_marks(struct program *p, struct err *err)
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
  results_set_marks(p->results, p->text.marks);
  say_marks(p, where);
  return 0;
}

int program_open_results(struct program *p, struct err *err)
{
  const struct results_cfg *cfg = &p->opts.results;
  int rc;

  if (cfg->live_host[0] != '\0' && cfg->live[0] == '\0' &&
      cfg->prometheus[0] == '\0')
    return err_set(err, -EINVAL,
                   "--live-host has no effect without --live or --prometheus");
  if (p->opts.sweep.role == SWEEP_ROLE_STEP)
    p->opts.results.summary = ""; /* the sweep has one for all steps */
  rc = open_by_rank(p, err);
  return rc < 0 ? rc : open_marks(p, err);
}

static int run_with(struct program *p, const struct test *test, const void *cfg,
                    const struct plan *plan, const struct reporter_use *use,
                    size_t n)
{
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
    return runner_run(plan, test, cfg, use, n, &p->leave);
  if (nodes_report_new(&p->nodes_report, &setup, &err) < 0)
    return program_fail(&err);
  merged.ctx = p->nodes_report;
  /* SIGTERM is handled during the run; afterwards there is much to save. */
  if (p->ranks->keeper > 0)
    keeper_ignore_death(true);
  status = runner_run(plan, test, cfg, &merged, 1, &p->leave);
  status = nodes_report_status(p->nodes_report, status);
  if (nodes_report_complete(p->nodes_report) &&
      results_document_written(p->results))
    (void)unlink(p->partial_file); /* rank 0 has received everything */
  return status;
}

bool program_has_live_line(const struct program *p)
{
  return p->opts.report.progress && p->opts.run.report_interval_s == 0 &&
         !p->ranks && p->cmdline.identity == IDENTITY_BENCH &&
         log_get_level() >= LOG_NOTICE && isatty(STDERR_FILENO) == 1;
}

int program_run_test(struct program *p, const struct test *test,
                     const void *cfg, const struct plan *plan)
{
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
  /* The others show what these two read. */
  if (p->marks)
    use[n++] = (struct reporter_use){ &mark_reporter, p->marks };
  if (p->monitor)
    use[n++] = (struct reporter_use){ &monitor_reporter, p->monitor };
  /* Files come first: a hook may not return after the text. */
  if (p->results)
    use[n++] = (struct reporter_use){ &results_reporter, p->results };
  if (program_has_live_line(p))
    use[n++] = (struct reporter_use){ &live_line_reporter, &line };
  if (!p->ranks || p->ranks->rank == 0) {
    use[n++] = (struct reporter_use){ &text_reporter, &p->text };
    use[n++] = (struct reporter_use){ &slo_reporter, &slo };
  }
  status = run_with(p, test, cfg, plan, use, n);
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
