/*
 * script.c - the steps of the program when the test is a script.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/log.h"
#include "base/parse.h"
#include "base/strbuf.h"
#include "lua/embedded.h"
#include "lua/resolve.h"
#include "lua/script.h"
#include "lua/search.h"
#include "lua/source.h"
#include "program/drivers.h"
#include "program/internal.h"
#include "ranks/ranks.h"
#include "run/plan.h"
#include "run/runner.h"
#include "run/test.h"
#include "tests/test_list.h"

/* Lua and its libraries need more of it than the system's least. */
#define SMALLEST_STACK ((size_t)64 << 10)

/* What exists while a script does. */
struct job {
  struct program *p;
  struct resolved what;
  struct plan plan;
  struct db_process db;
  bool has_plan, has_db;
  bool db_line; /* the default driver may have a line in the mode block */
  struct script *script;
};

static bool is_file(const char *path, void *arg)
{
  (void)arg;
  return source_exists(path);
}

static bool is_folder(const char *path)
{
  struct stat st;

  return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Where tests are looked for; `path` holds a text of the rules. */
static struct resolve_rules where(const struct program *p, struct strbuf *path)
{
  search_path(path, getenv("LUA_PATH"), getenv("HOME"), p->datadir);
  return (struct resolve_rules){
    .exists = is_file,
    .package_path = strbuf_str(path),
    .datadir = p->datadir,
  };
}

static int resolve(struct job *job, struct err *err)
{
  const char *builtins[32] = { NULL };
  struct strbuf path = { 0 };
  struct resolve_rules rules = where(job->p, &path);
  int rc;

  for (size_t i = 0; i < test_list_len && i + 1 < ARRAY_SIZE(builtins); i++)
    builtins[i] = test_list[i]->name;
  rules.builtins = builtins;
  rc = resolve_name(&job->what, job->p->cmdline.test, &rules, err);
  strbuf_done(&path);
  if (rc == 0 && job->what.warning)
    log_msg(LOG_WARNING, "%s", job->what.warning);
  return rc;
}

/* There is no such test: say what was meant, or else what was searched. */
static void tell_not_found(const struct program *p)
{
  struct strbuf path = { 0 };
  struct strbuf folders = { 0 };
  struct resolve_rules rules;

  if (program_suggest_test(p, p->cmdline.test))
    return;
  rules = where(p, &path);
  resolve_folders(&folders, p->cmdline.test, &rules);
  (void)program_complain("searched: %s", strbuf_str(&folders));
  if (!is_folder(p->datadir) && !embedded_scripts[0].path)
    (void)program_complain("the folder of the bundled scripts, '%s', does not "
                           "exist: install bench, or set BENCH_DATADIR",
                           p->datadir);
  strbuf_done(&folders);
  strbuf_done(&path);
}

/* The script is bundled with the program: hints may speak of its commands. */
static bool is_bundled(const struct job *job)
{
  const char *dir = job->p->datadir;
  const char *path = job->what.path;

  return path && strncmp(path, dir, strlen(dir)) == 0 &&
         path[strlen(dir)] == '/';
}

/* A changed copy of the common part would have no effect, which must not go
 * unnoticed. */
static void warn_of_copy(const struct job *job)
{
  static const char copy[] = "./oltp_common.lua";

  if (job->db.facts.bundled && !strstr(job->what.path, "/oltp_legacy/") &&
      access(copy, F_OK) == 0)
    log_msg(LOG_WARNING,
            "%s is not used by bundled scripts; for it, copy %s here, too",
            copy, job->what.path);
}

/* Everything up to the end of the script's body. */
static int load(struct job *job, struct err *err)
{
  struct program *p = job->p;
  struct ranks *ranks = p->ranks;
  struct script_setup setup = {
    .plan = &job->plan,
    .what = &job->what,
    .datadir = p->datadir,
    .opts = &p->set,
    .db = &job->db,
    .command = p->cmdline.command,
    .luajit_cmd = p->core.luajit_cmd,
    .argc = p->argc,
    .argv = p->argv,
  };
  int rc = 0;

  if (ranks && ranks->rank > 0) { /* process 0 has found it */
    job->what = ranks->what;
    ranks->what = (struct resolved){ 0 };
    setup.bundle = &ranks->bundle;
  } else {
    rc = resolve(job, err);
  }
  if (ranks && ranks->rank == 0)
    setup.record = &ranks->bundle;
  if (rc == 0)
    rc = program_make_plan(p, &job->plan, err);
  if (rc < 0)
    return rc;
  if (job->plan.stack_bytes < SMALLEST_STACK)
    job->plan.stack_bytes = SMALLEST_STACK;
  job->has_plan = true;
  job->db.facts.bundled = is_bundled(job);
  warn_of_copy(job);
  job->db.in_run = p->cmdline.command && strcmp(p->cmdline.command, "run") == 0;
  job->db.in_results = job->plan.report.details;
  job->db_line = strcmp(p->db.driver, "sqlite") == 0 &&
                 (job->db.facts.bundled ||
                  optset_find(&p->set, "db-driver")->given);
  rc = program_start_database(p, &job->plan, &job->db, err);
  if (rc < 0)
    return rc;
  job->has_db = true;
  setup.db_line = job->db_line;
  return script_new(&job->script, &setup, err);
}

/* The options of the script, and their values. */
static int give_options(struct job *job)
{
  struct program *p = job->p;
  struct cmdline_rules rules = program_rules(p);
  struct err err = { "" };
  bool declared = false;
  int rc = script_declare(job->script, &p->set, &declared, &err);

  if (rc < 0)
    return program_fail(&err);
  if (p->cmdline.action == CMDLINE_HELP)
    return EXIT_OK;
  rules.owner = job->what.short_name;
  rules.is_valid = script_is_valid;
  rules.ctx = job->script;
  rules.accept_unknown = !declared && job->what.kind == RESOLVE_SCRIPT;
  rc = cmdline_apply(&p->cmdline, &rules, &err);
  if (rc == 0)
    return EXIT_OK;
  (void)program_fail_usage(rc, &err);
  if (rc == -ENOENT)
    program_tell_owner(p);
  return EXIT_FAILED;
}

/* A number that a script declared or reads as a global; else 1. */
static uint64_t option_number(const struct optset *set, const char *name)
{
  const struct opt_entry *e = optset_find(set, name);
  int64_t n;

  if (!e || parse_int(opt_get_string(e), &n) < 0 || n < 1)
    return 1;
  return (uint64_t)n;
}

/* The rows among which the keys of a bundled script are drawn: of those that
 * only insert rows it does not matter. */
static void tell_rows(struct run_facts *facts, const struct optset *set,
                      const char *script)
{
  if (strcmp(script, "oltp_insert") == 0 ||
      strcmp(script, "bulk_insert") == 0 || !optset_find(set, "table-size"))
    return;
  facts->rows = option_number(set, "table-size");
  facts->rows_option = "--table-size";
}

/* What the run will ask of the server, for the checks before it.  Bundled
 * scripts prepare a statement when it is first used. */
static void tell_facts(struct job *job)
{
  struct run_facts *facts = &job->db.facts;
  const struct optset *set = &job->p->set;

  job->db.is_known = true;
  facts->lazy = true;
  facts->as_sysbench = strcmp(job->p->name, "sysbench") == 0;
  if (!facts->bundled)
    return;
  facts->tables = option_number(set, "tables");
  if (facts->tables == 1)
    facts->tables = option_number(set, "oltp-tables-count");
  tell_rows(facts, set, job->what.short_name);
}

static int run(struct job *job)
{
  struct program *p = job->p;
  int status;

  tell_facts(job);
  if (program_lacks_data(p, &job->db.facts, job->what.path))
    return EXIT_FAILED;
  p->text.hooks = script_hooks(job->script);
  status = program_run_test(p, script_test(job->script), job->script,
                            &job->plan);
  process_final_messages(&job->db);
  return status;
}

/* As run(), for doctor. */
static int look(struct job *job)
{
  tell_facts(job);
  return program_doctor_script(job->p, &job->db, job->what.short_name);
}

static int do_command(struct job *job)
{
  const char *command = job->p->cmdline.command;
  const enum script_action action = script_find_command(job->script);
  struct err err = { "" };
  struct strbuf out = { 0 };
  const bool works = action == SCRIPT_RUN || action == SCRIPT_CALL;
  int rc;

  /* Other scripts need not use a database, or choose the driver themselves. */
  if (works && job->db.facts.bundled && program_check_driver(job->p) != EXIT_OK)
    return EXIT_FAILED;
  if (works && ranks_share(job->p->ranks, &job->what, &job->plan, &err) < 0)
    return program_fail(&err);
  switch (action) {
  case SCRIPT_RUN:
    return program_only_checks(job->p) ? EXIT_OK
           : job->p->doctor            ? look(job)
                                       : run(job);
  case SCRIPT_CALL:
    if (program_only_checks(job->p))
      return EXIT_OK;
    rc = script_command(job->script, &err);
    if (rc >= 0)
      return rc > 0 ? EXIT_SIGNAL + rc : EXIT_OK;
    return err.text[0] != '\0' ? program_fail(&err) : EXIT_FAILED;
  case SCRIPT_OPTIONS:
    script_print_options(job->script, &out);
    program_put_text(&out);
    return EXIT_OK;
  case SCRIPT_LACKS:
    return program_complain("'%s' test does not implement the '%s' command.",
                            job->what.short_name, command);
  case SCRIPT_UNKNOWN:
    break;
  }
  script_list_commands(job->script, &out);
  rc = program_unknown_command(command, strbuf_str(&out));
  strbuf_done(&out);
  return rc;
}

static void end(struct job *job)
{
  script_free(job->script);
  job->script = NULL;
  if (job->has_db && !process_done(&job->db)) {
    job->p->abandoned = true;
    return;
  }
  if (job->has_plan)
    plan_done(&job->plan);
  resolved_done(&job->what);
  free(job);
}

/*
 * The script on the standard input has been executed, and nothing else is to be
 * done.  sysbench does not look at its options, so that a slip (`--versoin`)
 * looks like success.
 */
static int check_options(struct job *job)
{
  int status;

  if (job->p->set.as_sysbench)
    return EXIT_OK;
  status = give_options(job);
  if (status == EXIT_OK && script_is_empty(job->script))
    return program_complain("FATAL: the script on the standard input is empty "
                            "(to run a test, name it: %s cpu run; see %s "
                            "--help)",
                            job->p->name, job->p->name);
  return status;
}

/* Nobody types a script to learn that an option does not exist. */
static bool is_typed_in_vain(const struct program *p)
{
  const char *name = p->cmdline.test;

  return !p->set.as_sysbench && (!name || strcmp(name, "-") == 0) &&
         p->cmdline.first && isatty(STDIN_FILENO);
}

static int refuse_options(struct program *p)
{
  const struct cmdline_rules rules = program_rules(p);
  struct err err;
  const int rc = cmdline_apply(&p->cmdline, &rules, &err);

  if (rc == 0)
    return EXIT_OK;
  (void)program_fail_usage(rc, &err);
  if (rc == -ENOENT)
    program_tell_owner(p);
  return EXIT_FAILED;
}

int program_script(struct program *p)
{
  struct job *job;
  struct err err = { "" };
  int status = EXIT_OK;

  (void)search_datadir(p->datadir);
  if (is_typed_in_vain(p) && refuse_options(p) != EXIT_OK)
    return EXIT_FAILED;
  job = calloc(1, sizeof(*job));
  if (!job)
    return EXIT_FAILED;
  job->p = p;
  if (load(job, &err) < 0) {
    status = program_fail(&err);
    if (!job->what.path && p->cmdline.test && strcmp(p->cmdline.test, "-") != 0)
      tell_not_found(p);
  } else if (job->what.kind == RESOLVE_SCRIPT && p->cmdline.command) {
    status = give_options(job);
    if (status == EXIT_OK)
      status = do_command(job);
  } else if (job->what.kind == RESOLVE_STDIN) {
    status = check_options(job);
  }
  if (p->abandoned)
    script_end_output(job->script);
  else
    end(job);
  return status;
}
