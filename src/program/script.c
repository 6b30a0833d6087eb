/*
 * script.c - scripts as a source of tests.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ack/log.h"
#include "base/err.h"
#include "base/leave.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "lua/engine/commands.h"
#include "lua/engine/options.h"
#include "lua/engine/script.h"
#include "lua/find/embedded.h"
#include "lua/find/resolve.h"
#include "lua/find/search.h"
#include "lua/find/source.h"
#include "nodes/nodes.h"
#include "program/ack.h"
#include "program/drivers.h"
#include "program/internal.h"
#include "program/source.h"
#include "run/runner.h"

/* What exists as long as a script does. */
struct script_job {
  struct resolved what;
  struct db_process db;
  struct ack_log *ack; /* owned; NULL: none is wanted */
  bool has_db;
  bool declares;   /* the script says what options it has */
  bool makes_file; /* prepare makes the file of the database */
  bool in_vain; /* its prepare has failed, and made the file of the database */
  struct script *script;
};

/*
 * Would the user have typed a script only to learn that an option does not
 * exist?
 */
static bool is_typed_in_vain(const struct job *job)
{
  const struct program *p = job->p;
  const char *name = job->typed;

  return !p->set.as_sysbench && (!name || strcmp(name, "-") == 0) &&
         p->cmdline.first && isatty(STDIN_FILENO);
}

/*
 * A script on the standard input has no commands: its body does everything.
 * sysbench ignores its options, so a typing error (`--versoin`) looks like
 * success.
 */
static void choose_steps(struct job *job)
{
  const struct script_job *own = job->own;

  if (own->what.kind == RESOLVE_SCRIPT)
    job->command = job->p->cmdline.command;
  job->reads_options = job->command || (own->what.kind == RESOLVE_STDIN &&
                                        !job->p->set.as_sysbench);
}

static int find(struct job *job)
{
  struct program *p = job->p;
  struct cmdline_rules rules;
  struct script_job *own;
  int status = EXIT_OK;

  (void)search_datadir(p->datadir);
  if (is_typed_in_vain(job)) {
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
  choose_steps(job);
  return status;
}

static void set_needs(const struct job *job, struct plan_input *in)
{
  in->clients = program_is_run(job->p);
  in->pings = true;
  in->start_rate = job->p->opts.db.connect_rate;
}

/* The script is bundled with the program: hints may speak of its commands. */
static bool is_bundled(const struct job *job)
{
  const char *dir = job->p->datadir;
  const char *path = job->what->path;

  return path && strncmp(path, dir, strlen(dir)) == 0 &&
         path[strlen(dir)] == '/';
}

/* Those in oltp_legacy read globals, as they did. */
static bool is_ours(const struct job *job)
{
  return is_bundled(job) && !strstr(job->what->path, "/oltp_legacy/");
}

/*
 * A script that declares no options gets all that are given.  A bundled one
 * reads none of them.
 */
static void warn_of_options(const struct job *job)
{
  const struct script_job *own = job->own;

  for (size_t i = 0; !own->declares && i < job->set->n; i++) {
    const struct opt_entry *e = job->set->entries[i];

    if (e->given && e->owner && strcmp(e->owner, job->name) == 0)
      log_msg(LOG_WARNING, "--%s has no effect: %s has no options of its own",
              e->row->name, job->name);
  }
}

/* Warns that a changed copy of the common part would have no effect. */
static void warn_of_copy(const struct job *job)
{
  static const char copy[] = "./oltp_common.lua";

  if (is_ours(job) && access(copy, F_OK) == 0)
    log_msg(LOG_WARNING,
            "%s is not used by bundled scripts; for it, copy %s here, too",
            copy, job->what->path);
}

static int start_database(struct job *job, struct err *err)
{
  struct script_job *own = job->own;
  struct program *p = job->p;
  int rc;

  own->db.facts.bundled = is_bundled(job);
  own->db.in_run = program_is_run(p);
  own->db.one_server = p->cmdline.command &&
                       strcmp(p->cmdline.command, "check") == 0;
  own->db.in_results = job->plan->report.details;
  rc = program_start_database(p, job->plan, &own->db, err);
  own->has_db = rc == 0;
  return rc;
}

/* Loads the script and executes its body. */
static int load(struct job *job, struct err *err)
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
    .member = job->member,
    .workers = job->workers,
    .argc = p->argc,
    .argv = p->argv,
  };
  int rc = job_make_plan(job, err);

  if (rc == 0)
    rc = start_database(job, err);
  if (rc < 0)
    return rc;
  setup.plan = job->plan;
  setup.db_line = strcmp(p->opts.db.driver, "sqlite") == 0 &&
                  (own->db.facts.bundled ||
                   optset_find(&p->set, "db-driver")->given);
  if (job->member) /* each process reads the members itself */
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
  return 0;
}

/*
 * Adds the options of the script.  They are known when its body has been
 * executed.
 */
static int declare(struct job *job, struct cmdline_rules *rules)
{
  struct script_job *own = job->own;
  struct err err = { "" };
  int rc = load(job, &err);

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

/* Returns a number that a script declared or reads as a global; otherwise 1. */
static uint64_t option_number(const struct optset *set, const char *name)
{
  const uint64_t n = program_size(set, name);

  return n > 0 ? n : 1;
}

/*
 * Notes the number of rows among which a bundled script draws its keys.  It
 * does not matter for scripts that only insert rows.
 */
static void tell_rows(struct run_facts *facts, const struct optset *set,
                      const char *script)
{
  if (strcmp(script, "oltp_insert") == 0 ||
      strcmp(script, "bulk_insert") == 0 || !optset_find(set, "table-size"))
    return;
  facts->rows = option_number(set, "table-size");
  facts->rows_option = "--table-size";
  facts->rows_usual = !optset_find(set, "table-size")->given;
}

/*
 * Notes what the run will ask of the server, for the checks before it.  Bundled
 * scripts prepare a statement when it is first used.
 */
static void tell_facts(const struct job *job)
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
  facts->tables = option_number(set, "tables");
  if (facts->tables == 1)
    facts->tables = option_number(set, "oltp-tables-count");
  tell_rows(facts, set, job->name);
  if (facts->tables > 1 && strncmp(job->name, "select_random_", 14) == 0)
    log_advise("only sbtest1 is read, whatever --tables says");
}

static int begin_run(struct job *job)
{
  struct script_job *own = job->own;

  tell_facts(job);
  /* parallel_prepare of oltp_legacy is a run that creates the tables. */
  if (is_ours(job) && program_lacks_data(job->p, &own->db.facts))
    return EXIT_FAILED;
  /* Each event of this one opens a connection, and perhaps few at a time. */
  if (own->db.facts.bundled && strcmp(job->name, "connect") != 0 &&
      program_lacks_files(job->p, job->plan, &own->db))
    return EXIT_FAILED;
  if (program_open_ack(job, &own->ack) != EXIT_OK)
    return EXIT_FAILED;
  job->p->text.hooks = script_hooks(own->script);
  return EXIT_OK;
}

static int refuse_empty(const struct job *job)
{
  const struct script_job *own = job->own;

  if (!script_is_empty(own->script))
    return EXIT_OK;
  return program_complain("FATAL: the script on the standard input is empty "
                          "(to run a test, name it: %s cpu run; see %s "
                          "--help)",
                          job->p->name, job->p->name);
}

static int end_run(struct job *job)
{
  struct script_job *own = job->own;

  process_final_messages(&own->db);
  return program_end_ack(job, own->ack);
}

static struct db_process *database(const struct job *job)
{
  struct script_job *own = job->own;

  return own->has_db ? &own->db : NULL;
}

static int look(struct job *job)
{
  struct script_job *own = job->own;

  tell_facts(job);
  return program_doctor_script(job->p, &own->db, job->name);
}

static enum test_command find_command(const struct job *job)
{
  const struct script_job *own = job->own;

  return commands_find(own->script);
}

static void list_commands(const struct job *job, struct strbuf *out)
{
  const struct script_job *own = job->own;

  commands_list(own->script, out);
}

static void print_options(const struct job *job, struct strbuf *out)
{
  const struct script_job *own = job->own;

  options_print(own->script, out);
}

/* All that use the module oltp_common have its tables, the copies as well. */
static const char *tables(const struct job *job)
{
  static const char common[] = "oltp_common";
  const struct script_job *own = job->own;

  if (script_has_loaded(own->script, common))
    return common;
  return is_bundled(job) ? job->what->path : NULL;
}

/*
 * Only bundled scripts are checked: others may use no database, or choose the
 * driver themselves.
 */
static int check(const struct job *job)
{
  if (is_ours(job) && job->p->cmdline.identity == IDENTITY_BENCH)
    warn_of_options(job);
  return is_bundled(job) ? program_check_driver(job->p) : EXIT_OK;
}

static int begin_call(struct job *job, struct err *err)
{
  struct script_job *own = job->own;
  int rc;

  own->makes_file = is_bundled(job) && program_misses_file(job->p);
  rc = commands_begin(own->script, err);
  own->in_vain = own->makes_file && rc != 0;
  return rc;
}

static int call(struct job *job, struct err *err)
{
  struct script_job *own = job->own;
  int rc;

  if (is_bundled(job) && program_lacks_file(job->p, &rc))
    return rc;
  rc = commands_run(own->script, err);
  own->in_vain = own->makes_file && rc != 0;
  return rc > 0 ? EXIT_SIGNAL + rc : rc;
}

static void end(struct job *job)
{
  struct script_job *own = job->own;

  if (!own)
    return;
  script_free(own->script);
  own->script = NULL;
  if (own->has_db && !process_done(&own->db)) {
    leave_thread(&job->p->leave); /* the memory must stay valid */
    return;
  }
  if (own->in_vain)
    program_remove_empty_file(job->p);
  ack_log_free(own->ack);
  resolved_done(&own->what);
  free(own);
}

static void leave(struct job *job)
{
  struct script_job *own = job->own;

  script_end_output(own->script);
}

const struct test_source source_script = {
  .settle = program_settle_target,
  .find = find,
  .declare = declare,
  .needs = set_needs,
  .warn = warn_of_copy,
  .find_command = find_command,
  .list_commands = list_commands,
  .print_options = print_options,
  .tables = tables,
  .is_bundled = is_bundled,
  .check = check,
  .begin_call = begin_call,
  .call = call,
  .no_command = refuse_empty,
  .begin_run = begin_run,
  .end_run = end_run,
  .database = database,
  .look = look,
  .end = end,
  .leave = leave,
};
