/*
 * script.c - scripts as a source of tests.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ack/link.h"
#include "ack/log.h"
#include "base/err.h"
#include "base/leave.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "db/conn.h"
#include "db/env.h"
#include "db/env_conns.h"
#include "db/look.h"
#include "lua/engine/commands.h"
#include "lua/engine/options.h"
#include "lua/engine/script.h"
#include "lua/find/resolve.h"
#include "lua/find/search.h"
#include "nodes/nodes.h"
#include "program/internal.h"
#include "program/source.h"
#include "run/runner.h"

/* Scripts that use this module, or a copy, have its tables. */
static const char script_common[] = "oltp_common";

struct script_job {
  struct resolved what;
  struct db_process db;
  struct ack_log *ack; /* owned, or NULL */
  bool declares;
  bool makes_file; /* prepare creates the database file */
  bool in_vain;    /* prepare has failed, and created the file */
  struct script *script;
};

static bool script_is_typed_in_vain(const struct job *job)
{
  const struct program *p = job->p;
  const char *name = job->typed;

  return !p->set.as_sysbench && (!name || strcmp(name, "-") == 0) &&
         p->cmdline.first && isatty(STDIN_FILENO);
}

/* A script on stdin has no commands. sysbench ignores its options, so a
 * typing error (`--versoin`) looks like success. */
static void script_choose_steps(struct job *job)
{
  const struct script_job *own = job->own;

  if (own->what.kind == RESOLVE_SCRIPT)
    job->command = job->p->cmdline.command;
  job->reads_options = job->command || (own->what.kind == RESOLVE_STDIN &&
                                        !job->p->set.as_sysbench);
}

static int script_find(struct job *job)
{
  struct program *p = job->p;
  struct cmdline_rules rules;
  struct script_job *own;
  int status = EXIT_OK;

  (void)search_datadir(p->datadir);
  if (script_is_typed_in_vain(job)) {
    rules = program_rules(p);
    status = program_apply(p, &rules);
  }
  if (status != EXIT_OK)
    return status;
  own = calloc(1, sizeof(*own));
  if (!own)
    return EXIT_FAILED;
  job->own = own;
  status = program_find_script(job, &own->what);
  job->what = &own->what;
  job->name = own->what.short_name;
  script_choose_steps(job);
  job->bundled = program_has_script(p, job->what->path);
  job->needs_driver = job->bundled; /* others can do without a database */
  return status;
}

/* Scripts of oltp_legacy read globals, as in sysbench. */
static bool script_is_ours(const struct job *job)
{
  return job->bundled && !strstr(job->what->path, "/oltp_legacy/");
}

/* A script without declared options accepts all; a bundled one reads none. */
static void script_warn_of_options(const struct job *job)
{
  const struct script_job *own = job->own;

  for (size_t i = 0; !own->declares && i < job->set->n; i++) {
    const struct opt_entry *e = job->set->entries[i];

    if (e->given && e->owner && strcmp(e->owner, job->name) == 0)
      log_msg(LOG_WARNING, "--%s has no effect: %s has no options of its own",
              e->row->name, job->name);
  }
}

static void script_warn_of_copy(const struct job *job)
{
  static const char copy[] = "./oltp_common.lua";

  if (script_is_ours(job) && access(copy, F_OK) == 0)
    log_msg(LOG_WARNING,
            "%s is not used by bundled scripts; for it, copy %s here, too",
            copy, job->what->path);
}

static int script_start_database(struct job *job, struct err *err)
{
  struct script_job *own = job->own;
  struct program *p = job->p;
  int rc;

  own->db.facts.bundled = job->bundled;
  own->db.in_run = program_is_run(p);
  own->db.one_server = p->cmdline.command &&
                       strcmp(p->cmdline.command, "check") == 0;
  own->db.in_results = job->plan->report.details;
  rc = program_start_database(p, job->plan, &own->db, err);
  job->db = rc == 0 ? &own->db : NULL;
  return rc;
}

static int script_load(struct job *job, struct err *err)
{
  struct program *p = job->p;
  struct script_job *own = job->own;
  struct script_setup setup = {
    .what = job->what,
    .datadir = p->datadir,
    .opts = job->set,
    .db = &own->db,
    .ack = &own->ack,
    .command = p->cmdline.command,
    .cfg = &p->opts.script,
    .plan = job->plan,
    .member = job->member,
    .workers = job->workers,
    .argc = p->argc,
    .argv = p->argv,
  };
  int rc = script_start_database(job, err);

  if (rc < 0)
    return rc;
  setup.db_line = p->opts.db.rtt_s > 0 ||
                  (strcmp(p->opts.db.driver, "sqlite") == 0 &&
                   (own->db.facts.bundled ||
                    optset_find(&p->set, "db-driver")->given));
  if (job->member) /* each process reads the members */
    setup.record = NULL;
  else if (p->ranks && p->ranks->rank == 0)
    setup.record = &p->ranks->bundle;
  else if (p->ranks)
    setup.bundle = &p->ranks->bundle;
  rc = script_new(&own->script, &setup, err);
  if (rc < 0)
    return rc;
  job->test = script_test(own->script);
  job->cfg = own->script;
  if (script_has_loaded(own->script, script_common))
    job->tables = script_common;
  else if (job->bundled)
    job->tables = job->what->path;
  return 0;
}

static int script_declare(struct job *job, struct cmdline_rules *rules)
{
  struct script_job *own = job->own;
  struct err err = { "" };
  int rc;

  script_warn_of_copy(job);
  rc = script_load(job, &err);

  if (rc == 0 && job->reads_options)
    rc = options_declare(own->script, job->set, &own->declares, &err);
  if (rc < 0)
    return program_fail(&err);
  rules->owner = job->name;
  rules->is_valid = options_is_valid;
  rules->ctx = own->script;
  rules->accept_unknown = !own->declares && own->what.kind == RESOLVE_SCRIPT;
  return EXIT_OK;
}

static int script_take_values(struct job *job, struct err *err)
{
  const struct script_job *own = job->own;

  if (script_is_ours(job) && job->p->cmdline.identity == IDENTITY_BENCH)
    script_warn_of_options(job);
  if (job->command || !job->reads_options || !script_is_empty(own->script))
    return 0;
  return err_set(err, -ENOENT,
                 "FATAL: the script on the standard input is empty (to run a "
                 "test, name it: %s cpu run; see %s --help)",
                 job->p->name, job->p->name);
}

static uint64_t script_option_number(const struct optset *set, const char *name)
{
  const uint64_t n = program_size(set, name);

  return n > 0 ? n : 1;
}

/* The rows among which a bundled script draws keys. */
static void script_tell_rows(struct run_facts *facts, const struct optset *set,
                             const char *script)
{
  if (strcmp(script, "oltp_insert") == 0 ||
      strcmp(script, "bulk_insert") == 0 || !optset_find(set, "table-size"))
    return;
  facts->rows = script_option_number(set, "table-size");
  facts->rows_option = "--table-size";
}

/* Statements use column k, and prepare indexes it. */
static bool script_needs_index(const struct job *job)
{
  static const char *const others[] = { "oltp_point_select", "oltp_read_only",
                                        "oltp_update_non_index" };
  const struct opt_entry *e = optset_find(job->set, "create-secondary");

  for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
    if (strcmp(job->name, others[i]) == 0)
      return false;
  }
  return job->tables && strcmp(job->tables, script_common) == 0 && e &&
         opt_get_bool(e) &&
         strcmp(program_value(job->set, "create-index"), "off") != 0;
}

/* For the checks before the run.  Bundled scripts prepare statements on
 * first use. */
static void script_tell_facts(const struct job *job)
{
  struct script_job *own = job->own;
  struct run_facts *facts = &own->db.facts;
  const struct optset *set = job->set;

  own->db.is_known = true;
  facts->lazy = true;
  facts->as_sysbench = strcmp(job->p->name, "sysbench") == 0;
  if (!facts->bundled)
    return;
  facts->may_miss = strcmp(job->name, "queue") == 0;
  facts->tables = script_option_number(set, "tables");
  if (facts->tables == 1)
    facts->tables = script_option_number(set, "oltp-tables-count");
  script_tell_rows(facts, set, job->name);
  facts->indexed = script_needs_index(job);
  if (facts->tables > 1 && strncmp(job->name, "select_random_", 14) == 0)
    log_advise("only sbtest1 is read, whatever --tables says");
}

/* ---- the size of the tables ---- */

/* On its own connection: those of the run keep their numbers.  False after a
 * FATAL line. */
static bool script_look_at_size(struct job *job, uint64_t most, bool alike,
                                struct size_look *ret)
{
  struct program *p = job->p;
  struct db_process *db = calloc(1, sizeof(*db));
  struct password_command *kept = &((struct script_job *)job->own)->db.password;
  struct strbuf refused = { 0 };
  struct db_env env = { .process = db, .rng = 1, .refused = &refused };
  struct driver_handle *h;
  struct conn *c = NULL;
  struct err err;
  uint64_t until_ns;

  if (!db)
    return true;
  db->one_server = true;
  if (program_start_database(p, job->plan, db, &err) < 0) {
    free(db);
    return true;
  }
  h = env_driver(&env, NULL);
  if (h && (h->driver->caps & DRIVER_KEEPS_ROWS) &&
      !(h->driver->is_dry_run && h->driver->is_dry_run(h->cfg)))
    c = conn_open(h, NULL);
  if (c) {
    until_ns = conn_ask(c);
    look_at_size(c, most, alike, ret);
    if (!conn_asked(c, until_ns))
      *ret = (struct size_look){ 0 };
    conn_free(c);
  }
  env_done(&env);
  strbuf_done(&refused);
  if (kept->last == NULL) { /* --password-ttl counts for the run, too */
    kept->last = db->password.last;
    kept->at_ns = db->password.at_ns;
    db->password.last = NULL;
  }
  if (process_done(db))
    free(db);
  else
    leave_thread(&p->leave); /* the memory must stay valid */
  return h != NULL;
}

/* True: an option that was not given has another value now. */
static bool script_take_size(struct optset *set, const char *name,
                             uint64_t value, struct strbuf *line)
{
  const struct opt_entry *e = optset_find(set, name);
  char text[24];
  struct err err;

  (void)snprintf(text, sizeof(text), "%" PRIu64, value);
  if (value == 0 || e->given || strcmp(opt_get_string(e), text) == 0)
    return false;
  if (optset_set_text(set, name, text, &err) < 0)
    return false;
  strbuf_addf(line, " --%s=%s", name, text);
  return true;
}

/* Takes --tables and --table-size, unless given, from the tables of prepare.
 * False after a FATAL line. */
static bool script_find_size(struct job *job)
{
  const struct optset *set = job->set;
  const struct opt_entry *tables = optset_find(set, "tables");
  const struct opt_entry *rows = optset_find(set, "table-size");
  const bool one = strncmp(job->name, "select_random_", 14) == 0 &&
                   strcmp(job->command, "run") == 0;
  const bool drops = strcmp(job->command, "cleanup") == 0;
  const enum log_level level = log_get_level();
  struct size_look look = { 0 };
  struct strbuf line = { 0 };
  bool there, says;

  if (job->p->cmdline.identity != IDENTITY_BENCH || !script_is_ours(job) ||
      !job->tables || strcmp(job->tables, script_common) != 0 || !tables ||
      !rows || (tables->given && rows->given) ||
      strcmp(job->command, "prepare") == 0 || program_misses_file(job->p))
    return true;
  log_set_level(LOG_FATAL); /* the run repeats its warnings */
  there = script_look_at_size(job,
                              one             ? 1
                              : tables->given ? program_size(set, "tables")
                                              : UINT64_MAX,
                              !drops && !tables->given, &look);
  log_set_level(level);
  ((struct script_job *)job->own)->db.seen = look.each;
  says = script_take_size(job->set, "tables", look.tables, &line);
  if (!drops)
    says |= script_take_size(job->set, "table-size", look.rows, &line);
  if (look.other)
    strbuf_addf(&line, "%s sbtest%" PRIu64 " has another number of rows",
                says ? ";" : "", look.tables + 1);
  if (line.len > 0 && !job->p->doctor)
    log_msg(LOG_NOTICE, "%s%sRead from the tables:%s\n\n",
            job->member ? job->member : "", job->member ? ": " : "",
            strbuf_str(&line));
  strbuf_done(&line);
  return there;
}

/* ---- the acknowledgement log ---- */

/* *ret stays NULL without --ack-log. */
static int script_open_ack(const struct job *job, struct ack_log **ret)
{
  const struct program *p = job->p;
  const char *where = p->opts.ack.log;
  struct err err = { "" };
  char *own = NULL;
  int rc = 0;

  if (!*where)
    return EXIT_OK;
  if (p->ranks && p->ranks->rank > 0 && !ack_link_address(where)) {
    own = program_rank_file(where, p->ranks->rank);
    rc = own ? 0 : err_set(&err, -ENOMEM, "not enough memory for --ack-log");
  }
  if (rc == 0)
    rc = ack_log_open(ret, own ? own : where, job->plan->threads,
                      job->plan->first_thread, job->name, &err);
  if (rc == 0 && p->ranks)
    rc = ack_log_part(*ret, p->ranks->token, p->ranks->rank, p->ranks->size,
                      &err);
  free(own);
  return rc < 0 ? program_fail(&err) : EXIT_OK;
}

/* `log` can be NULL. */
static int script_end_ack(const struct job *job, struct ack_log *log)
{
  const char *file, *address;
  struct ack_totals t;
  struct err err = { "" };

  if (!log)
    return EXIT_OK;
  file = ack_log_name(log);
  address = ack_link_address(job->p->opts.ack.log);
  if (ack_log_finish(log, !leave_any(&job->p->leave), &t, &err) < 0)
    return program_fail(&err);
  if (t.acked + t.aborted + t.unknown == 0)
    log_msg(LOG_WARNING,
            "--ack-log: nothing was named in '%s': the script has to call "
            "sysbench.ack() before each COMMIT",
            file);
  else
    log_msg(LOG_NOTICE,
            "\nAcknowledgement log '%s'%s%s: %" PRIu64 " acknowledged, %" PRIu64
            " aborted, %" PRIu64 " unknown\n",
            file, address ? " at " : "", address ? address : "", t.acked,
            t.aborted, t.unknown);
  if (job->p->ranks && address)
    log_msg(LOG_NOTICE, "The listener has a log of each other process, too.\n");
  else if (job->p->ranks)
    log_msg(LOG_NOTICE,
            "The other processes have logs of their own: '%s.rank1' and so "
            "on.\n",
            file);
  return EXIT_OK;
}

static int script_take_variant(struct job *job, struct err *err)
{
  struct script_job *own = job->own;
  const struct opt_entry *e = optset_find(job->set, "pgsql-variant");

  if (!e || !*opt_get_string(e) || process_dialect(&own->db) ||
      strcmp(job->p->opts.db.driver, "pgsql") != 0)
    return 0;
  return process_choose_dialect(&own->db, opt_get_string(e), err);
}

static int script_begin_run(struct job *job)
{
  struct script_job *own = job->own;
  struct err err = { "" };

  if (script_take_variant(job, &err) < 0)
    return program_fail(&err);
  if (!script_find_size(job))
    return EXIT_FAILED;
  script_tell_facts(job);
  /* parallel_prepare of oltp_legacy is a run that creates the tables. */
  if (script_is_ours(job) && program_lacks_data(job->p, &own->db.facts))
    return EXIT_FAILED;
  /* Each event of `connect` opens a connection, perhaps few at a time. */
  if (own->db.facts.bundled && strcmp(job->name, "connect") != 0 &&
      program_lacks_files(job->p, job->plan, &own->db))
    return EXIT_FAILED;
  if (script_open_ack(job, &own->ack) != EXIT_OK)
    return EXIT_FAILED;
  job->p->text.hooks = script_hooks(own->script);
  return EXIT_OK;
}

static int script_end_run(struct job *job)
{
  struct script_job *own = job->own;
  int status;

  process_final_messages(&own->db);
  status = script_end_ack(job, own->ack);
  if (leave_any(&job->p->leave))
    script_end_output(own->script);
  return status;
}

static int script_look(struct job *job)
{
  struct script_job *own = job->own;

  if (!script_find_size(job))
    return EXIT_FAILED;
  script_tell_facts(job);
  return program_doctor_script(job->p, &own->db, job->name);
}

static enum test_command script_find_command(const struct job *job)
{
  return commands_find(job->cfg);
}

static void script_list_commands(const struct job *job, struct strbuf *out)
{
  commands_list(job->cfg, out);
}

static void script_print_options(const struct job *job, struct strbuf *out)
{
  options_print(job->cfg, out);
}

static int script_begin_call(struct job *job, struct err *err)
{
  struct script_job *own = job->own;
  int rc;

  own->makes_file = job->bundled && program_misses_file(job->p);
  rc = script_take_variant(job, err);
  if (rc < 0)
    return rc;
  rc = commands_begin(own->script, err);
  own->in_vain = own->makes_file && rc != 0;
  return rc;
}

static int script_call(struct job *job, struct err *err)
{
  struct script_job *own = job->own;
  int rc;

  if (job->bundled && program_lacks_file(job->p, &rc))
    return rc;
  rc = script_take_variant(job, err);
  if (rc < 0)
    return rc;
  if (!script_find_size(job))
    return EXIT_FAILED;
  rc = commands_run(own->script, err);
  own->in_vain = own->makes_file && rc != 0;
  return rc > 0 ? EXIT_SIGNAL + rc : rc;
}

static void script_end(struct job *job)
{
  struct script_job *own = job->own;

  if (!own)
    return;
  script_free(own->script);
  own->script = NULL;
  if (job->db && !process_done(&own->db)) {
    leave_thread(&job->p->leave); /* the memory must stay valid */
    return;
  }
  if (own->in_vain)
    program_remove_empty_file(job->p);
  ack_log_free(own->ack);
  resolved_done(&own->what);
  free(own);
}

const struct test_source source_script = {
  .traits = SOURCE_CLIENTS | SOURCE_IDLE | SOURCE_DATABASE | SOURCE_ACK_LOG |
            SOURCE_PLAN_FIRST,
  .find = script_find,
  .declare = script_declare,
  .take_values = script_take_values,
  .find_command = script_find_command,
  .list_commands = script_list_commands,
  .print_options = script_print_options,
  .begin_call = script_begin_call,
  .call = script_call,
  .begin_run = script_begin_run,
  .end_run = script_end_run,
  .look = script_look,
  .end = script_end,
};
