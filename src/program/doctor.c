/*
 * doctor.c - `bench doctor [TEST] [OPTIONS]`: would a run with these options
 * work?
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "db/env.h"
#include "opt/optset.h"
#include "program/internal.h"
#include "results/kept.h"
#include "results/outfile.h"
#include "results/outname.h"
#include "run/plan.h"
#include "run/runner.h"
#include "run/test.h"
#include "tools/doctor/doctor.h"
#include "tools/tool.h"

enum {
  ROW_BYTES = 250 /* of a bundled table, with indexes */
};

static const char what_it_does[] =
  "Checks the machine and, for a test, its folder or its server: settings and\n"
  "tables. Nothing is changed. The options are those of a run. Each line "
  "begins\n"
  "with ok, warn or fail; --json=FILE writes the same as a document. Exit\n"
  "status: 0, or 1 if something failed.\n";

bool program_take_doctor(struct program *p)
{
  struct cmdline *c = &p->cmdline;

  if (c->action != CMDLINE_TEST || !c->test ||
      strcmp(c->test, tool_doctor.name) != 0)
    return false;
  p->doctor = true;
  c->test = c->command;
  c->command = "run";
  return true;
}

static int doctor_write_document(const struct program *p,
                                 const struct findings *f, struct err *err)
{
  const char *name = p->opts.results.json;
  struct whole_file file = { 0 };
  struct outfile_hold hold;
  json_t *json;
  int rc;

  if (!*name)
    return 0;
  rc = whole_file_probe(&file, name, err);
  if (rc == 0 && !file.stream)
    rc = whole_file_open(&file, name, err);
  if (rc < 0)
    return rc;
  json = findings_json(f);
  whole_file_hold(&file, &hold);
  if (!json)
    rc = err_set(err, -ENOMEM, "not enough memory for the findings");
  else if (json_dumpf(json, file.stream, JSON_INDENT(1)) < 0 ||
           fputs("\n", file.stream) < 0)
    rc = err_sys(err, "cannot write to '%s',", name);
  outfile_release(&hold);
  json_decref(json);
  if (rc == 0)
    return whole_file_commit(&file, err);
  whole_file_abort(&file);
  return rc;
}

/* Returns the exit status. */
static int doctor_conclude(struct program *p, struct findings *f)
{
  const bool on_stdout = outname_is_stdout(p->opts.results.json);
  int status = findings_count(f, FINDING_FAIL) > 0 ? EXIT_FAILED : EXIT_OK;
  struct strbuf out = { 0 };
  struct err err = { "" };

  findings_print(f, &out);
  if (on_stdout)
    (void)fputs(strbuf_str(&out), stderr);
  else
    program_put_text(&out);
  if (on_stdout)
    strbuf_done(&out);
  if (doctor_write_document(p, f, &err) < 0)
    status = program_fail(&err);
  free(f);
  return status;
}

/* NULL: out of memory. */
static struct findings *doctor_begin(const struct machine_needs *needs)
{
  struct findings *f = calloc(1, sizeof(*f));

  if (f)
    doctor_machine(f, needs);
  return f;
}

static void doctor_look_at_kept(struct findings *f)
{
  char folder[PATH_MAX];
  int rc;

  if (!kept_folder(folder))
    return;
  rc = kept_ready(folder, false);
  if (rc < 0)
    findings_add(f, FINDING_WARN, "results",
                 "name a folder with XDG_STATE_HOME, or set BENCH_KEEP=off",
                 "the last results cannot be kept in '%.200s': %s", folder,
                 strerror(-rc));
  else
    findings_add(f, FINDING_OK, "results", NULL,
                 "the last %d are kept in '%.200s'", KEPT_MAX, folder);
}

int program_doctor_machine(struct program *p)
{
  struct strbuf out = { 0 };
  struct findings *f;

  if (p->cmdline.test) { /* doctor help */
    strbuf_addf(&out, "Usage:\n  %s %s %s\n\n%s", p->name, tool_doctor.name,
                tool_doctor.usage, what_it_does);
    program_put_text(&out);
    return EXIT_OK;
  }
  f = doctor_begin(&(struct machine_needs){
    .workers = (unsigned)p->opts.run.threads,
  });
  if (f)
    doctor_look_at_kept(f);
  return f ? doctor_conclude(p, f) : EXIT_FAILED;
}

static void doctor_look_at_folder(struct program *p, struct findings *f)
{
  const char *folder = program_value(&p->set, "file-dir");
  const struct folder_needs needs = {
    .folder = *folder ? folder : ".",
    .files = program_size(&p->set, "file-num"),
    .bytes = program_size(&p->set, "file-total-size"),
    .direct = strstr(program_value(&p->set, "file-extra-flags"), "direct") !=
              NULL,
  };

  doctor_folder(f, &needs);
}

int program_doctor_builtin(struct program *p, const struct test *test,
                           const struct plan *plan)
{
  const bool files = strcmp(test->name, "fileio") == 0;
  struct findings *f = doctor_begin(&(struct machine_needs){
    .workers = plan->threads,
    .files = files ? program_size(&p->set, "file-num") : 0,
  });

  if (!f)
    return EXIT_FAILED;
  if (files && !*program_value(&p->set, "file-device"))
    doctor_look_at_folder(p, f);
  return doctor_conclude(p, f);
}

/* False: the file exists, or the database is on a server. */
static bool doctor_lacks_file(struct program *p, const struct run_facts *facts,
                              struct findings *f)
{
  const char *file = program_value(&p->set, "sqlite-db");
  char folder[PATH_MAX];
  char *slash;

  if (!program_misses_file(p))
    return false;
  findings_add(f, FINDING_FAIL, "server",
               "run the prepare command with the same options",
               "the file '%.200s' does not exist", file);
  (void)snprintf(folder, sizeof(folder), "%s", file);
  slash = strrchr(folder, '/');
  if (slash)
    slash[slash == folder ? 1 : 0] = '\0';
  if (facts->rows > 0)
    doctor_space(f, slash ? folder : ".",
                 facts->tables * facts->rows * ROW_BYTES,
                 "make room, or choose another --sqlite-db or a smaller "
                 "--table-size");
  return true;
}

/* Upper bound of prepared statements per table. */
static unsigned doctor_kinds_of(const char *script)
{
  static const struct {
    const char *script;
    unsigned kinds;
  } known[] = {
    { "oltp_read_only", 5 },        { "oltp_write_only", 4 },
    { "oltp_point_select", 1 },     { "oltp_update_index", 1 },
    { "oltp_update_non_index", 1 }, { "oltp_delete", 1 },
    { "select_random_points", 1 },  { "select_random_ranges", 1 },
  };

  for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
    if (strcmp(script, known[i].script) == 0)
      return known[i].kinds;
  }
  return 9; /* oltp_read_write */
}

int program_doctor_script(struct program *p, struct db_process *db,
                          const char *script)
{
  struct findings *f = doctor_begin(&(struct machine_needs){
    .workers = db->facts.threads,
    .carriers = db->facts.carriers,
    .clients = db->facts.clients,
    .files = db->facts.threads,
  });

  if (!f)
    return EXIT_FAILED;
  db->is_known = false; /* doctor makes the checks of a run */
  if (db->facts.bundled)
    db->facts.classes = doctor_kinds_of(script);
  if (!db->facts.bundled && !optset_find(&p->set, "db-driver")->given)
    findings_add(f, FINDING_WARN, "server",
                 "give --db-driver if the script uses a database",
                 "not checked");
  else if (!doctor_lacks_file(p, &db->facts, f))
    doctor_database(f, db);
  return doctor_conclude(p, f);
}
