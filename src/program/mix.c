/*
 * mix.c - several scripts or files of SQL as one source of a test.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/leave.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "lua/find/search.h"
#include "opt/help.h"
#include "program/internal.h"
#include "program/mix.h"
#include "run/plan.h"
#include "run/runner.h"

/* ---- finding it ---- */

/* Members with clients of their own decide how many there are. */
static int settle_clients(struct program *p, const struct mix_list *list,
                          struct err *err)
{
  const bool clients = run_clients(&p->opts.run) > 0;
  const char *option = clients ? "clients" : "threads";
  const uint64_t sum = mix_list_clients(list);
  const uint64_t given = run_workers(&p->opts.run, clients);
  char text[32];

  if (!list->dedicated || given == sum)
    return 0;
  if (optset_find(&p->set, option)->given)
    return err_set(err, -EINVAL,
                   "--%s=%llu, but the members of the mix have %llu clients "
                   "together: leave --%s out, or make them equal",
                   option, (unsigned long long)given, (unsigned long long)sum,
                   option);
  (void)snprintf(text, sizeof(text), "%llu", (unsigned long long)sum);
  return optset_set_text(&p->set, option, text, err);
}

/* The loop of a single script does what comes between its events. */
static int refuse_between(const struct program *p, struct err *err)
{
  static const char *const options[] = { "churn", "churn-time",
                                         "backend-sample" };

  for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
    if (optset_find(&p->set, options[i])->given)
      return err_set(err, -EINVAL, "--%s cannot be used with --mix",
                     options[i]);
  }
  return 0;
}

/* A rate of the whole is for members that have none of their own. */
static int refuse_idle_rate(const struct program *p,
                            const struct mix_list *list, struct err *err)
{
  const char *profile = p->opts.run.load_profile;

  if (p->opts.run.rate <= 0 && (!profile || !*profile))
    return 0;
  for (size_t i = 0; i < list->n; i++) {
    if (list->of[i].rate <= 0)
      return 0;
  }
  return err_set(err, -EINVAL,
                 "--%s is for members of the mix without a rate of their own, "
                 "and all have one",
                 p->opts.run.rate > 0 ? "rate" : "load-profile");
}

/* A built-in test opens its workers in a way of its own, and has no events of
 * the program's loop. */
static int refuse_member(const struct mix_member *m)
{
  struct err err = { "" };

  (void)err_set(&err, -EINVAL,
                "--mix: '%s' cannot be a member: members are scripts and files "
                "of SQL",
                m->script);
  return program_fail(&err);
}

static int find_member(struct job *job, struct mix_source *mix, unsigned i)
{
  const struct mix_member *m = &mix->list.of[i];
  struct mix_job *own = &mix->of[i];

  own->job = (struct job){
    .p = job->p,
    .source = source_by_name(m->script),
    .typed = m->script,
    .set = &own->options,
    .member = m->name,
    .workers = m->clients,
  };
  mix->n = i + 1;
  if (own->job.source == &source_builtin || strcmp(m->script, "-") == 0)
    return refuse_member(m);
  return own->job.source->find(&own->job);
}

static int find(struct job *job)
{
  struct mix_source *mix = calloc(1, sizeof(*mix));
  struct program *p = job->p;
  struct err err = { "" };
  int status = EXIT_OK;

  if (!mix)
    return EXIT_FAILED;
  job->own = mix;
  job->name = "mix";
  job->command = p->cmdline.command;
  job->reads_options = true;
  (void)search_datadir(p->datadir);
  if (mix_list_parse(&mix->list, &p->opts.mix.members, &err) < 0 ||
      settle_clients(p, &mix->list, &err) < 0 || refuse_between(p, &err) < 0 ||
      refuse_idle_rate(p, &mix->list, &err) < 0)
    return program_fail(&err);
  if (!job->command)
    return program_complain("The mix requires a command argument: '%s "
                            "--mix=... run'",
                            p->name);
  for (unsigned i = 0; i < mix->list.n && status == EXIT_OK; i++)
    status = find_member(job, mix, i);
  return status;
}

/* ---- options, plan ---- */

static int declare_member(struct job *job, struct mix_job *m)
{
  struct err err = { "" };

  m->job.plan = job->plan;
  if (optset_view(&m->options, &job->p->set, &err) < 0)
    return program_fail(&err);
  return m->job.source->declare(&m->job, &m->rules);
}

/* Makes the test of those of the members. */
static void make_test(struct job *job, struct mix_source *mix)
{
  const double weights = (double)mix_list_weights(&mix->list);

  for (unsigned i = 0; i < mix->n; i++) {
    const struct mix_member *m = &mix->list.of[i];

    mix->part[i] = (struct mix_part){ mix->of[i].job.test, mix->of[i].job.cfg };
    mix->run_member[i] = (struct report_member){
      m->name, m->weight > 0 ? m->weight / weights : 0.0, m->clients, m->rate
    };
  }
  mix->members = (struct run_members){ mix->n, mix->run_member };
  mix->cfg = (struct mixtest_cfg){ &mix->list, job->p->opts.mix.order,
                                   mix->part, &mix->members };
  mix->test = (struct test){ .name = job->name,
                             .ops = &mixtest_ops,
                             .members = &mix->members };
  job->test = &mix->test;
  job->cfg = &mix->cfg;
}

static int declare(struct job *job, struct cmdline_rules *rules)
{
  struct mix_source *mix = job->own;
  struct err err = { "" };
  int status = EXIT_OK, rc;

  if (job_make_plan(job, &err) < 0)
    return program_fail(&err);
  for (unsigned i = 0; i < mix->n && status == EXIT_OK; i++) {
    status = declare_member(job, &mix->of[i]);
    rules->accept_unknown |= mix->of[i].rules.accept_unknown;
  }
  if (status != EXIT_OK)
    return status;
  if (mix_declare(mix, &job->p->set, &err) < 0)
    return program_fail(&err);
  rc = job->reads_options ? mix_check_names(mix, &job->p->cmdline, &err) : 0;
  if (rc < 0)
    return program_fail_usage(rc, &err);
  rules->owner = job->name;
  rules->is_valid = mix_is_valid;
  rules->ctx = mix;
  make_test(job, mix);
  return EXIT_OK;
}

static int take_values(struct job *job)
{
  struct mix_source *mix = job->own;
  struct err err = { "" };
  int rc = mix_hand_out(mix, &job->p->set, &err);

  for (unsigned i = 0; i < mix->n && rc == 0; i++) {
    struct job *m = &mix->of[i].job;

    if (m->source->choose)
      rc = m->source->choose(m, &err);
    mix->part[i] = (struct mix_part){ m->test, m->cfg };
  }
  return rc < 0 ? program_fail_usage(rc, &err) : EXIT_OK;
}

static void set_needs(const struct job *job, struct plan_input *in)
{
  const struct mix_source *mix = job->own;

  for (unsigned i = 0; i < mix->n; i++) {
    const struct job *m = &mix->of[i].job;

    m->source->needs(m, in);
  }
  in->pings = false;
}

static void warn(const struct job *job)
{
  const struct mix_source *mix = job->own;

  for (unsigned i = 0; i < mix->n; i++)
    mix->of[i].job.source->warn(&mix->of[i].job);
}

/* ---- commands ---- */

static void print_options(const struct job *job, struct strbuf *out)
{
  const struct mix_source *mix = job->own;

  for (unsigned i = 0; i < mix->n; i++)
    help_test(out, mix->list.of[i].name, &mix->of[i].options);
}

static int check(const struct job *job)
{
  const struct mix_source *mix = job->own;
  int status = EXIT_OK;

  for (unsigned i = 0; i < mix->n && status == EXIT_OK; i++) {
    const struct job *m = &mix->of[i].job;

    if (m->source->check)
      status = m->source->check(m);
  }
  return status;
}

/* ---- runs ---- */

/* Each member may add a text to the last report. */
static void append(void *arg, const struct report *r, struct strbuf *b)
{
  const struct mix_source *mix = arg;

  for (unsigned i = 0; i < mix->n; i++) {
    const struct text_hooks *hooks = mix->of[i].hooks;

    if (hooks && hooks->append)
      hooks->append(hooks->arg, r, b);
  }
}

static int begin_run(struct job *job)
{
  struct mix_source *mix = job->own;
  struct program *p = job->p;
  int status = EXIT_OK;

  for (unsigned i = 0; i < mix->n && status == EXIT_OK; i++) {
    struct mix_job *m = &mix->of[i];

    p->text.hooks = NULL;
    if (m->job.source->begin_run)
      status = m->job.source->begin_run(&m->job);
    m->hooks = p->text.hooks;
  }
  mix->hooks = (struct text_hooks){ .append = append, .arg = mix };
  p->text.hooks = &mix->hooks;
  return status;
}

static int end_run(struct job *job)
{
  struct mix_source *mix = job->own;
  int status = EXIT_OK;

  for (unsigned i = 0; i < mix->n; i++) {
    struct job *of = &mix->of[i].job;
    const int rc = of->source->end_run ? of->source->end_run(of) : EXIT_OK;

    status = status != EXIT_OK ? status : rc;
  }
  return status;
}

/* That of the first member that has one: all go to the same servers. */
static struct db_process *database(const struct job *job)
{
  struct mix_source *mix = job->own;

  for (unsigned i = 0; i < mix->n; i++) {
    const struct job *member = &mix->of[i].job;

    if (member->source->database && member->source->database(member))
      return member->source->database(member);
  }
  return NULL;
}

static int look(struct job *job)
{
  (void)job;
  return program_complain("doctor looks at one test: name a member of the mix");
}

static void leave(struct job *job)
{
  struct mix_source *mix = job->own;

  for (unsigned i = 0; i < mix->n; i++) {
    if (mix->of[i].job.source->leave)
      mix->of[i].job.source->leave(&mix->of[i].job);
  }
}

static void end(struct job *job)
{
  struct mix_source *mix = job->own;

  for (unsigned i = 0; mix && i < mix->n; i++)
    mix->of[i].job.source->end(&mix->of[i].job);
  if (!mix || leave_any(&job->p->leave)) /* the memory must stay valid */
    return;
  for (unsigned i = 0; i < mix->n; i++)
    optset_done(&mix->of[i].options);
  mix_list_done(&mix->list);
  free(mix);
}

const struct test_source source_mix = {
  .settle = program_settle_target,
  .find = find,
  .declare = declare,
  .take_values = take_values,
  .needs = set_needs,
  .warn = warn,
  .find_command = mix_find_command,
  .list_commands = mix_list_commands,
  .print_options = print_options,
  .check = check,
  .begin_call = mix_begin_call,
  .call = mix_call,
  .begin_run = begin_run,
  .end_run = end_run,
  .database = database,
  .look = look,
  .end = end,
  .leave = leave,
};
