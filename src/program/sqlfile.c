/*
 * sqlfile.c - files of SQL as sources: `bench ./transfer.sql run`.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/leave.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "db/driver.h"
#include "lua/find/resolve.h"
#include "lua/find/source.h"
#include "nodes/nodes.h"
#include "opt/optset.h"
#include "program/internal.h"
#include "program/source.h"
#include "run/runner.h"
#include "tests/sqlfile/run/sqltest.h"
#include "tests/sqlfile/sqlfile.h"

struct sqlfile_cfg {
  const char *defines; /* one per line */
};

static const struct opt sqlfile_opts[] = {
  {
    OPT_STRING(struct sqlfile_cfg, defines),
    .name = "define",
    .flags = OPT_COLLECT | OPT_NOT_EMPTY,
    .show_as = "=NAME=VALUE",
    .expected = "NAME=VALUE",
    .help = "value of the variable :NAME; may be given several times",
  },
  OPT_END,
};

struct sqlfile_job {
  struct sqlfile_cfg cfg;
  struct resolved what; /* for other processes */
  struct strbuf text;
  struct sqlfile *file;
  struct db_process db;
  struct test test;
  struct sqltest_cfg test_cfg;
};

static const char *sqlfile_base_name(const char *path)
{
  const char *slash = strrchr(path, '/');

  return slash ? slash + 1 : path;
}

static int sqlfile_read_text(struct sqlfile_job *own, struct err *err)
{
  struct stat st;
  int rc;

  own->what.kind = RESOLVE_SCRIPT;
  if (stat(own->what.path, &st) == 0 && S_ISDIR(st.st_mode))
    return err_set(err, -EISDIR, "'%s' is a folder, not a file of SQL",
                   own->what.path);
  rc = source_read_file(own->what.path, &own->text);
  if (rc < 0)
    return err_set(err, rc, "cannot read '%s': %s", own->what.path,
                   strerror(-rc));
  return own->text.failed ? err_set(err, -ENOMEM, "not enough memory") : 0;
}

/* Process 0 reads the file and shares it. */
static int sqlfile_obtain_text(struct job *job, struct sqlfile_job *own,
                               struct err *err)
{
  struct nodes *ranks = job->p->ranks;
  const char *path = job->typed;
  int rc;

  if (job->member)
    ranks = NULL; /* each process reads the file */
  if (ranks && ranks->rank > 0) {
    own->what = ranks->what;
    ranks->what = (struct resolved){ 0 };
    strbuf_add(&own->text, strbuf_str(&ranks->bundle.script),
               ranks->bundle.script.len);
    return 0;
  }
  own->what.path = mem_strdup(path);
  own->what.script_path = mem_strdup(path);
  own->what.short_name = mem_strdup(sqlfile_base_name(path));
  if (!own->what.path || !own->what.script_path || !own->what.short_name)
    return err_set(err, -ENOMEM, "not enough memory");
  rc = sqlfile_read_text(own, err);
  if (rc == 0 && ranks)
    strbuf_add(&ranks->bundle.script, strbuf_str(&own->text), own->text.len);
  return rc;
}

static int sqlfile_find(struct job *job)
{
  struct sqlfile_job *own = calloc(1, sizeof(*own));
  struct program *p = job->p;
  struct err err = { "" };

  if (!own)
    return EXIT_FAILED;
  job->own = own;
  job->command = p->cmdline.command;
  job->reads_options = true;
  job->needs_driver = true;
  if (sqlfile_obtain_text(job, own, &err) < 0)
    return program_fail(&err);
  job->name = own->what.short_name;
  job->what = &own->what;
  own->test = (struct test){ .name = job->name, .ops = &sqltest_ops };
  own->test_cfg.db = &own->db;
  own->test_cfg.member = job->member;
  own->test_cfg.workers = job->workers;
  job->test = &own->test;
  job->cfg = &own->test_cfg;
  if (job->command)
    return EXIT_OK;
  return program_complain(
    "The file '%s' requires a command argument: '%s %s run'", job->name,
    p->name, job->typed);
}

static int sqlfile_declare(struct job *job, struct cmdline_rules *rules)
{
  struct sqlfile_job *own = job->own;
  struct err err = { "" };

  rules->owner = job->name;
  return optset_add(job->set, OPT_SECTION_TEST, job->name, sqlfile_opts,
                    &own->cfg, &err) < 0
           ? program_fail(&err)
           : EXIT_OK;
}

/* The driver defines quotes and comments, so the file is parsed after the
 * driver is known. An unknown driver is reported later. */
static int sqlfile_take_values(struct job *job, struct err *err)
{
  struct sqlfile_job *own = job->own;
  struct program *p = job->p;
  const struct driver *driver = program_find_driver(p, p->opts.db.driver);
  const struct sqlfile_setup setup = {
    .name = own->what.path,
    .text = strbuf_str(&own->text),
    .len = own->text.len,
    .dialect = driver ? driver->dialect : 0,
    .defines = own->cfg.defines,
  };
  int rc;

  if (*p->opts.script.luajit_cmd)
    log_msg(LOG_WARNING, "--luajit-cmd has no effect on a file of SQL");
  if (!driver || !program_is_run(p))
    return 0;
  rc = sqlfile_parse(&own->file, &setup, err);
  if (rc == 0)
    own->test_cfg.file = own->file;
  return rc;
}

static enum test_command sqlfile_find_command(const struct job *job)
{
  if (strcmp(job->command, "run") == 0)
    return TEST_RUN;
  if (strcmp(job->command, "help") == 0)
    return TEST_OPTIONS;
  if (strcmp(job->command, "prepare") == 0 ||
      strcmp(job->command, "cleanup") == 0)
    return TEST_LACKS;
  return TEST_UNKNOWN;
}

static void sqlfile_list_commands(const struct job *job, struct strbuf *out)
{
  (void)job;
  strbuf_adds(out, "run help");
}

static int sqlfile_start(struct job *job)
{
  struct sqlfile_job *own = job->own;
  struct program *p = job->p;
  struct err err = { "" };

  own->db.in_run = true;
  own->db.in_results = job->plan->report.details;
  own->db.is_known = true;
  own->db.facts.lazy = true;
  own->db.facts.as_sysbench = p->cmdline.identity == IDENTITY_SYSBENCH;
  own->test_cfg.db_line = strcmp(p->opts.db.driver, "sqlite") == 0 ||
                          p->opts.db.rtt_s > 0;
  if (program_start_database(p, job->plan, &own->db, &err) < 0)
    return program_fail(&err);
  job->db = &own->db;
  if (!p->doctor && program_lacks_files(p, job->plan, &own->db))
    return EXIT_FAILED;
  return EXIT_OK;
}

static int sqlfile_end_run(struct job *job)
{
  struct sqlfile_job *own = job->own;

  process_final_messages(&own->db);
  return EXIT_OK;
}

static int sqlfile_look(struct job *job)
{
  struct sqlfile_job *own = job->own;
  const int status = sqlfile_start(job);

  return status == EXIT_OK ? program_doctor_script(job->p, &own->db, job->name)
                           : status;
}

static void sqlfile_end(struct job *job)
{
  struct sqlfile_job *own = job->own;

  if (!own)
    return;
  if (job->db && !process_done(&own->db)) {
    leave_thread(&job->p->leave); /* the memory must stay valid */
    return;
  }
  sqlfile_free(own->file);
  strbuf_done(&own->text);
  resolved_done(&own->what);
  free(own);
}

const struct test_source source_sqlfile = {
  .traits = SOURCE_CLIENTS | SOURCE_IDLE | SOURCE_DATABASE,
  .find = sqlfile_find,
  .declare = sqlfile_declare,
  .take_values = sqlfile_take_values,
  .find_command = sqlfile_find_command,
  .list_commands = sqlfile_list_commands,
  .begin_run = sqlfile_start,
  .end_run = sqlfile_end_run,
  .look = sqlfile_look,
  .end = sqlfile_end,
};
