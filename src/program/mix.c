/*
 * mix.c - several scripts or files of SQL as one source of a test.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/leave.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "lua/find/resolve.h"
#include "lua/find/search.h"
#include "opt/cmdline.h"
#include "opt/help.h"
#include "opt/optset.h"
#include "program/internal.h"
#include "program/source.h"
#include "report/text_reporter.h"
#include "run/members.h"
#include "run/mix/list.h"
#include "run/mix/mixtest.h"
#include "run/plan.h"
#include "run/runner.h"

struct mix_job {
  struct job job;
  struct optset options; /* of the program, and its own */
  struct cmdline_rules rules;
  const struct text_hooks *hooks; /* [opt] of its script */
  const struct mix_job *twin;     /* see mix_find_twins() */
};

struct mix_source {
  struct mix_list list;
  unsigned n;
  struct mix_job of[MIX_MEMBERS_MAX];
  struct mix_part part[MIX_MEMBERS_MAX];
  struct report_member run_member[MIX_MEMBERS_MAX];
  struct run_members members;
  struct mixtest_cfg cfg;
  struct test test;
  struct text_hooks hooks;
  size_t n_declared; /* of the program and of members */
};

static bool mix_is_own(const struct opt_entry *e)
{
  return !e->lent && e->section == OPT_SECTION_TEST;
}

/* ---- declaring them ---- */

/* Unless the name exists. */
static int mix_add_name(struct optset *set, const char *owner, const char *name,
                        const struct opt *of, struct err *err)
{
  struct opt row = *of;

  if (optset_find(set, name))
    return 0;
  row.name = name;
  row.off = 0;
  row.aliases = NULL;
  return optset_declare(set, owner, &row, NULL, err);
}

/* If members have different types, the option is a text, parsed again by
 * each. */
static void mix_widen(struct optset *set, const struct opt_entry *own)
{
  struct opt_entry *e = optset_find(set, own->row->name);

  if (e && e->made && !e->real && e->row->type != own->row->type)
    optset_widen(e);
}

static int mix_declare_own(struct mix_source *mix, unsigned member,
                           struct optset *set, struct err *err)
{
  const struct mix_member *m = &mix->list.of[member];
  const struct optset *own = &mix->of[member].options;
  int rc = 0;

  for (size_t i = 0; i < own->n && rc == 0; i++) {
    const struct opt_entry *e = own->entries[i];
    struct strbuf name = { 0 };

    if (!mix_is_own(e))
      continue;
    strbuf_addf(&name, "%s.%s", m->name, e->row->name);
    rc = mix_add_name(set, "mix", strbuf_str(&name), e->row, err);
    if (rc == 0)
      rc = mix_add_name(set, "mix", e->row->name, e->row, err);
    if (rc == 0)
      mix_widen(set, e);
    strbuf_done(&name);
  }
  return rc;
}

static int mix_declare_all(struct mix_source *mix, struct optset *set,
                           struct err *err)
{
  int rc = 0;

  for (unsigned i = 0; i < mix->n && rc == 0; i++)
    rc = mix_declare_own(mix, i, set, err);
  mix->n_declared = set->n;
  return rc;
}

/* ---- rules for values ---- */

/* NULL: for another member. */
static const char *mix_name_for(const struct mix_source *mix, unsigned member,
                                const char *name)
{
  const char *dot = strchr(name, '.');
  const size_t len = dot ? (size_t)(dot - name) : 0;

  if (!dot || mix_list_find(&mix->list, name, len) == mix->list.n)
    return name;
  return mix_list_find(&mix->list, name, len) == member ? dot + 1 : NULL;
}

static bool mix_is_valid(void *arg, const struct opt_entry *e,
                         const char *value, struct strbuf *ret_expected)
{
  struct mix_source *mix = arg;

  for (unsigned i = 0; i < mix->n; i++) {
    const struct cmdline_rules *rules = &mix->of[i].rules;
    const char *name = mix_name_for(mix, i, e->row->name);
    const struct opt_entry *own = name ? optset_find(&mix->of[i].options, name)
                                       : NULL;

    if (own && own->real)
      own = own->real;
    if (!own || !rules->is_valid ||
        rules->is_valid(rules->ctx, own, value, ret_expected))
      continue;
    if (ret_expected->len > 0 && name == e->row->name)
      strbuf_addf(ret_expected,
                  " for the member '%s'; --NAME.%s is for one member",
                  mix->list.of[i].name, name);
    return false;
  }
  return true;
}

/* Configuration files can have options of other mixes. */
static int mix_check_names(const struct mix_source *mix,
                           const struct cmdline *c, struct err *err)
{
  const struct cmdline_pending *p = c->first;
  struct strbuf members = { 0 };
  const char *dot = NULL;

  for (; p && !dot; p = p->next) {
    const char *name = p->given.name;

    dot = p->given.where ? NULL : strchr(name, '.');
    if (dot &&
        mix_list_find(&mix->list, name, (size_t)(dot - name)) < mix->list.n)
      dot = NULL;
    if (dot)
      break;
  }
  if (!dot)
    return 0;
  for (size_t i = 0; i < mix->list.n; i++)
    strbuf_addf(&members, "%s%s", i > 0 ? ", " : "", mix->list.of[i].name);
  (void)err_set(err, -ENOENT,
                "invalid option: %.400s\nthe mix has no member '%.*s' (it has "
                "%.700s)",
                p->given.arg, (int)(dot - p->given.name), p->given.name,
                strbuf_str(&members));
  strbuf_done(&members);
  return -ENOENT;
}

/* Or NULL. */
static const struct opt_entry *mix_value_for(const struct mix_source *mix,
                                             unsigned member,
                                             const struct optset *set,
                                             const char *name)
{
  struct strbuf own = { 0 };
  const struct opt_entry *e;

  strbuf_addf(&own, "%s.%s", mix->list.of[member].name, name);
  e = optset_find(set, strbuf_str(&own));
  strbuf_done(&own);
  if (e && e->source != OPT_SOURCE_DEFAULT)
    return e;
  e = optset_find(set, name);
  return e && e->made && !e->real && e->source != OPT_SOURCE_DEFAULT ? e : NULL;
}

static int mix_give(struct opt_entry *to, const struct opt_entry *from,
                    struct err *err)
{
  const struct opt_given given = {
    .name = to->row->name,
    .arg = from->row->name,
    .text = opt_get_string(from),
    .exact = true,
    .source = from->source,
    .where = from->where,
  };

  return opt_set(to, &given, err);
}

static int mix_give_declared(struct mix_source *mix, unsigned member,
                             const struct optset *set, struct err *err)
{
  struct optset *own = &mix->of[member].options;
  int rc = 0;

  for (size_t i = 0; i < own->n && rc == 0; i++) {
    struct opt_entry *e = own->entries[i];
    const struct opt_entry *from = mix_is_own(e)
                                     ? mix_value_for(mix, member, set,
                                                     e->row->name)
                                     : NULL;

    if (from)
      rc = mix_give(e, from, err);
    if (rc < 0)
      err_prefix(err, "--mix: %s", mix->list.of[member].name);
  }
  return rc;
}

/* Scripts without declared options accept any. */
static int mix_give_unknown(struct mix_source *mix, unsigned member,
                            const struct optset *set, struct err *err)
{
  struct mix_job *m = &mix->of[member];
  int rc = 0;

  for (size_t i = mix->n_declared; i < set->n && rc == 0; i++) {
    const struct opt_entry *from = set->entries[i];
    const char *name = mix_name_for(mix, member, from->row->name);
    struct opt row = *from->row;
    struct opt_entry *e = NULL;

    if (!name)
      continue;
    row.name = name;
    if (!optset_find(&m->options, name))
      rc = optset_declare(&m->options, m->job.name, &row, &e, err);
    if (rc == 0 && e)
      rc = mix_give(e, from, err);
  }
  return rc;
}

static int mix_check_unknown(const struct mix_source *mix,
                             const struct optset *set, struct err *err)
{
  for (size_t i = mix->n_declared; i < set->n; i++) {
    const char *name = set->entries[i]->row->name;
    const char *dot = strchr(name, '.');
    const size_t member = dot ? mix_list_find(&mix->list, name,
                                              (size_t)(dot - name))
                              : mix->list.n;

    if (dot && member < mix->list.n && !mix->of[member].rules.accept_unknown)
      return err_set(err, -ENOENT,
                     "invalid option: --%s\n'%s' has no option --%s", name,
                     mix->list.of[member].name, dot + 1);
  }
  return 0;
}

static int mix_hand_out(struct mix_source *mix, const struct optset *set,
                        struct err *err)
{
  int rc = mix_check_unknown(mix, set, err);

  for (unsigned i = 0; i < mix->n && rc == 0; i++) {
    rc = mix_give_declared(mix, i, set, err);
    if (rc == 0 && mix->of[i].rules.accept_unknown)
      rc = mix_give_unknown(mix, i, set, err);
  }
  return rc;
}

/* ---- the members' commands ---- */

static enum test_command mix_find_command(const struct job *job)
{
  const struct mix_source *mix = job->own;
  enum test_command best = TEST_UNKNOWN;

  if (strcmp(job->command, "run") == 0)
    return TEST_RUN;
  if (strcmp(job->command, "help") == 0)
    return TEST_OPTIONS;
  for (unsigned i = 0; i < mix->n; i++) {
    const struct job *member = &mix->of[i].job;
    const enum test_command own = member->source->find_command(member);

    if (own == TEST_CALL)
      return TEST_CALL;
    if (own == TEST_LACKS)
      best = TEST_LACKS;
  }
  return best;
}

static bool mix_has_word(const char *words, const char *word, size_t len)
{
  while (*words) {
    const size_t n = strcspn(words, " ");

    if (n == len && memcmp(words, word, len) == 0)
      return true;
    words += n + strspn(words + n, " ");
  }
  return false;
}

static void mix_list_commands(const struct job *job, struct strbuf *out)
{
  const struct mix_source *mix = job->own;

  for (unsigned i = 0; i < mix->n; i++) {
    const struct job *member = &mix->of[i].job;
    struct strbuf words = { 0 };
    const char *word;

    member->source->list_commands(member, &words);
    for (word = strbuf_str(&words); *word;) {
      const size_t len = strcspn(word, " ");

      if (!mix_has_word(strbuf_str(out), word, len))
        strbuf_addf(out, "%s%.*s", out->len > 0 ? " " : "", (int)len, word);
      word += len + strspn(word + len, " ");
    }
    strbuf_done(&words);
  }
}

/* ---- members that use the same tables ---- */

/* They determine the tables of bundled scripts. */
static const char *const of_tables[] = {
  "tables",
  "table-size",
  "auto-inc",
  "secondary",
  "create-secondary",
  "create-table-options",
  "mysql-storage-engine",
  "pgsql-variant",
  "oltp-tables-count",
  "oltp-table-size",
  "warehouses",
  "scale",
};

static const char *mix_value_of(const struct mix_job *m, const char *name)
{
  const struct opt_entry *e = optset_find(&m->options, name);

  return e ? opt_get_string(e) : "";
}

/* The first different option of tables, or NULL. */
static const char *mix_difference(const struct mix_job *a,
                                  const struct mix_job *b)
{
  for (size_t i = 0; i < ARRAY_SIZE(of_tables); i++) {
    if (strcmp(mix_value_of(a, of_tables[i]), mix_value_of(b, of_tables[i])) !=
        0)
      return of_tables[i];
  }
  return NULL;
}

static bool mix_is_same(const struct mix_job *a, const struct mix_job *b)
{
  if (strcmp(a->job.what->path, b->job.what->path) != 0 ||
      a->options.n != b->options.n)
    return false;
  for (size_t i = 0; i < a->options.n; i++) {
    if (strcmp(opt_get_string(a->options.entries[i]),
               opt_get_string(b->options.entries[i])) != 0)
      return false;
  }
  return true;
}

static bool mix_share_tables(const struct mix_job *a, const struct mix_job *b)
{
  const char *of_a = a->job.tables, *of_b = b->job.tables;

  return (of_a && of_b && strcmp(of_a, of_b) == 0) || mix_is_same(a, b);
}

static int mix_find_twin(struct mix_source *mix, struct mix_job *m,
                         const char *command, struct err *err)
{
  const char *option;

  m->twin = NULL;
  for (unsigned i = 0; &mix->of[i] < m && !m->twin; i++) {
    const struct mix_job *other = &mix->of[i];

    if (other->job.source->find_command(&other->job) != TEST_CALL ||
        !mix_share_tables(m, other))
      continue;
    option = mix_difference(m, other);
    if (!option)
      m->twin = other;
    else if (strcmp(command, "prepare") == 0)
      return err_set(err, -EINVAL,
                     "--mix: %s and %s use the same tables, but --%s is '%s' "
                     "for the one and '%s' for the other: prepare one of them "
                     "without the mix",
                     other->job.member, m->job.member, option,
                     mix_value_of(other, option), mix_value_of(m, option));
  }
  return 0;
}

/* ---- executing one ---- */

static int mix_call_member(struct mix_job *m)
{
  struct err err = { "" };
  const int rc = m->job.source->call(&m->job, &err);

  if (rc >= 0)
    return rc;
  return err.text[0] != '\0' ? program_fail(&err) : EXIT_FAILED;
}

/* Finds earlier members with the same work. -EINVAL: two members create the
 * same tables in different ways. */
static int mix_find_twins(struct mix_source *mix, const char *command,
                          struct err *err)
{
  int rc = 0;

  for (unsigned i = 0; i < mix->n && rc == 0; i++)
    rc = mix_find_twin(mix, &mix->of[i], command, err);
  return rc;
}

static int mix_begin_call(struct job *job, struct err *err)
{
  struct mix_source *mix = job->own;
  int rc = mix_find_twins(mix, job->command, err);

  for (unsigned i = 0; i < mix->n && rc == 0; i++) {
    struct job *member = &mix->of[i].job;

    if (!mix->of[i].twin && member->source->begin_call &&
        member->source->find_command(member) == TEST_CALL)
      rc = member->source->begin_call(member, err);
  }
  return rc;
}

static int mix_call(struct job *job, struct err *err)
{
  struct mix_source *mix = job->own;
  const bool is_prepare = strcmp(job->command, "prepare") == 0;
  const int rc = mix_find_twins(mix, job->command, err);
  int status = EXIT_OK;

  if (rc < 0)
    return rc;
  for (unsigned i = 0; i < mix->n; i++) {
    struct mix_job *m = &mix->of[i];
    int own = EXIT_OK;

    if (m->job.source->find_command(&m->job) != TEST_CALL)
      log_msg(LOG_NOTICE, "%s: skipped, it has no command '%s'\n",
              m->job.member, job->command);
    else if (m->twin)
      log_msg(LOG_NOTICE, "%s: skipped, its tables are those of %s\n",
              m->job.member, m->twin->job.member);
    else {
      log_msg(LOG_NOTICE, "%s: %s\n", m->job.member, job->command);
      own = mix_call_member(m);
    }
    if (own != EXIT_OK)
      status = own;
    if (own != EXIT_OK && (is_prepare || own > EXIT_SIGNAL))
      break;
  }
  return status;
}

/* ---- finding it ---- */

/* Members with their own clients determine the number of clients. */
static int mix_settle_clients(struct program *p, const struct mix_list *list,
                              struct err *err)
{
  const bool clients = p->opts.run.clients > 0;
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

/* A common rate is for members without their own. */
static int mix_refuse_idle_rate(const struct program *p,
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

const struct test_source *source_by_name(const char *name)
{
  const enum program_kind kind = program_kind(name);

  if (kind == PROGRAM_SQLFILE)
    return &source_sqlfile;
  return kind == PROGRAM_BUILTIN ? &source_builtin : &source_script;
}

/* A built-in test has its own workers, and no loop of the program. */
static int mix_refuse_member(const struct mix_member *m)
{
  struct err err = { "" };

  (void)err_set(&err, -EINVAL,
                "--mix: '%s' cannot be a member: members are scripts and files "
                "of SQL",
                m->script);
  return program_fail(&err);
}

static int mix_find_member(struct job *job, struct mix_source *mix, unsigned i)
{
  const struct mix_member *m = &mix->list.of[i];
  struct mix_job *own = &mix->of[i];
  int status;

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
    return mix_refuse_member(m);
  status = own->job.source->find(&own->job);
  job->needs_driver |= own->job.needs_driver;
  return status;
}

static int mix_find(struct job *job)
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
      mix_settle_clients(p, &mix->list, &err) < 0 ||

      mix_refuse_idle_rate(p, &mix->list, &err) < 0)
    return program_fail(&err);
  if (!job->command)
    return program_complain("The mix requires a command argument: '%s "
                            "--mix=... run'",
                            p->name);
  for (unsigned i = 0; i < mix->list.n && status == EXIT_OK; i++)
    status = mix_find_member(job, mix, i);
  return status;
}

/* ---- options, plan ---- */

static int mix_declare_member(struct job *job, struct mix_job *m)
{
  struct err err = { "" };

  m->job.plan = job->plan;
  if (optset_view(&m->options, &job->p->set, &err) < 0)
    return program_fail(&err);
  return m->job.source->declare(&m->job, &m->rules);
}

static void mix_make_test(struct job *job, struct mix_source *mix)
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

static int mix_declare(struct job *job, struct cmdline_rules *rules)
{
  struct mix_source *mix = job->own;
  struct err err = { "" };
  int status = EXIT_OK, rc;

  for (unsigned i = 0; i < mix->n && status == EXIT_OK; i++) {
    status = mix_declare_member(job, &mix->of[i]);
    rules->accept_unknown |= mix->of[i].rules.accept_unknown;
  }
  if (status != EXIT_OK)
    return status;
  if (mix_declare_all(mix, &job->p->set, &err) < 0)
    return program_fail(&err);
  rc = job->reads_options ? mix_check_names(mix, &job->p->cmdline, &err) : 0;
  if (rc < 0)
    return program_fail_usage(rc, &err);
  rules->owner = job->name;
  rules->is_valid = mix_is_valid;
  rules->ctx = mix;
  mix_make_test(job, mix);
  return EXIT_OK;
}

static int mix_take_values(struct job *job, struct err *err)
{
  struct mix_source *mix = job->own;
  int rc = mix_hand_out(mix, &job->p->set, err);

  for (unsigned i = 0; i < mix->n && rc == 0; i++) {
    struct job *m = &mix->of[i].job;

    if (m->source->take_values)
      rc = m->source->take_values(m, err);
    mix->part[i] = (struct mix_part){ m->test, m->cfg };
  }
  return rc;
}

static void mix_print_options(const struct job *job, struct strbuf *out)
{
  const struct mix_source *mix = job->own;

  for (unsigned i = 0; i < mix->n; i++)
    help_test(out, mix->list.of[i].name, &mix->of[i].options);
}

/* ---- runs ---- */

static void mix_append(void *arg, const struct report *r, struct strbuf *b)
{
  const struct mix_source *mix = arg;

  for (unsigned i = 0; i < mix->n; i++) {
    const struct text_hooks *hooks = mix->of[i].hooks;

    if (hooks && hooks->append)
      hooks->append(hooks->arg, r, b);
  }
}

static int mix_begin_run(struct job *job)
{
  struct mix_source *mix = job->own;
  struct program *p = job->p;
  int status = EXIT_OK;

  for (unsigned i = 0; i < mix->n && status == EXIT_OK; i++) {
    struct mix_job *m = &mix->of[i];

    p->text.hooks = NULL;
    status = m->job.source->begin_run(&m->job);
    m->hooks = p->text.hooks;
    if (!job->db) /* the members' servers are the same */
      job->db = m->job.db;
  }
  mix->hooks = (struct text_hooks){ .append = mix_append, .arg = mix };
  p->text.hooks = &mix->hooks;
  return status;
}

static int mix_end_run(struct job *job)
{
  struct mix_source *mix = job->own;
  int status = EXIT_OK;

  for (unsigned i = 0; i < mix->n; i++) {
    struct job *of = &mix->of[i].job;
    const int rc = of->source->end_run(of);

    status = status != EXIT_OK ? status : rc;
  }
  return status;
}

static int mix_look(struct job *job)
{
  (void)job;
  return program_refuse("doctor looks at one test: name a member of the mix");
}

static void mix_end(struct job *job)
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
  .traits = SOURCE_CLIENTS | SOURCE_DATABASE | SOURCE_PLAN_FIRST,
  .find = mix_find,
  .declare = mix_declare,
  .take_values = mix_take_values,
  .find_command = mix_find_command,
  .list_commands = mix_list_commands,
  .print_options = mix_print_options,
  .begin_call = mix_begin_call,
  .call = mix_call,
  .begin_run = mix_begin_run,
  .end_run = mix_end_run,
  .look = mix_look,
  .end = mix_end,
};
