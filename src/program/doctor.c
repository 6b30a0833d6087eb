/*
 * doctor.c - `bench doctor [TEST] [OPTIONS]`: what a run with these options
 * would meet, without running it.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/parse.h"
#include "base/strbuf.h"
#include "db/env.h"
#include "doctor/doctor.h"
#include "doctor/findings.h"
#include "opt/optset.h"
#include "program/internal.h"
#include "run/plan.h"
#include "run/runner.h"
#include "run/test.h"

enum {
  ROW_BYTES = 250 /* of a table of the bundled scripts, with its indexes */
};

static const char usage[] =
  "Usage:\n"
  "  %s doctor [TEST] [OPTION]...\n\n"
  "Looks at the machine and, for a test, at the folder or at the server, its\n"
  "settings and its tables; nothing is changed. The options are those of a\n"
  "run. Each line begins with ok, warn or fail. Exit status: 0, or 1 if\n"
  "something failed.\n";

bool program_take_doctor(struct program *p)
{
  struct cmdline *c = &p->cmdline;

  if (c->action != CMDLINE_TEST || !c->test || strcmp(c->test, "doctor") != 0)
    return false;
  p->doctor = true;
  c->test = c->command;
  c->command = "run";
  return true;
}

/* Prints the findings; returns the exit status. */
static int conclude(struct findings *f)
{
  const bool failed = findings_count(f, FINDING_FAIL) > 0;
  struct strbuf out = { 0 };

  findings_print(f, &out);
  free(f);
  program_put_text(&out);
  return failed ? EXIT_FAILED : EXIT_OK;
}

/* With what all runs need; NULL: out of memory. */
static struct findings *begin(unsigned threads, uint64_t files)
{
  const struct machine_needs needs = { .threads = threads, .files = files };
  struct findings *f = calloc(1, sizeof(*f));

  if (f)
    doctor_machine(f, &needs);
  return f;
}

int program_doctor_machine(struct program *p)
{
  struct strbuf out = { 0 };
  struct findings *f;

  if (p->cmdline.test) { /* doctor help */
    strbuf_addf(&out, usage, p->name);
    program_put_text(&out);
    return EXIT_OK;
  }
  f = begin((unsigned)p->opts.run.threads, 0);
  return f ? conclude(f) : EXIT_FAILED;
}

/* The value of an option of the test, as text; "": it has none. */
static const char *value_of(const struct optset *set, const char *name)
{
  const struct opt_entry *e = optset_find(set, name);
  const char *text = e ? opt_get_string(e) : NULL;

  return text ? text : "";
}

static uint64_t size_of(const struct optset *set, const char *name)
{
  uint64_t n = 0;

  return parse_size(value_of(set, name), &n) == 0 ? n : 0;
}

static void look_at_folder(struct program *p, struct findings *f)
{
  const char *folder = value_of(&p->set, "file-dir");
  const struct folder_needs needs = {
    .folder = *folder ? folder : ".",
    .files = size_of(&p->set, "file-num"),
    .bytes = size_of(&p->set, "file-total-size"),
    .direct = strstr(value_of(&p->set, "file-extra-flags"), "direct") != NULL,
  };

  doctor_folder(f, &needs);
}

int program_doctor_builtin(struct program *p, const struct test *test,
                           const struct plan *plan)
{
  const bool files = strcmp(test->name, "fileio") == 0;
  struct findings *f = begin(plan->threads,
                             files ? size_of(&p->set, "file-num") : 0);

  if (!f)
    return EXIT_FAILED;
  if (files && !*value_of(&p->set, "file-device"))
    look_at_folder(p, f);
  return conclude(f);
}

/* A database in a file that does not exist: connecting would create it.  False:
 * there is one, or it is on a server. */
static bool lacks_file(struct program *p, const struct run_facts *facts,
                       struct findings *f)
{
  const char *file = value_of(&p->set, "sqlite-db");
  char folder[PATH_MAX];
  char *slash;

  if (strcmp(p->opts.db.driver, "sqlite") != 0 ||
      strncmp(file, "file:", 5) == 0 || access(file, F_OK) == 0)
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

/* Kinds of statements that a bundled script prepares per table, at most. */
static unsigned kinds_of(const char *script)
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

static void look_at_database(struct program *p, struct db_process *db,
                             struct findings *f)
{
  if (!lacks_file(p, &db->facts, f))
    doctor_database(f, db);
}

int program_doctor_script(struct program *p, struct db_process *db,
                          const char *script)
{
  struct findings *f = begin(db->facts.threads, db->facts.threads);

  if (!f)
    return EXIT_FAILED;
  db->is_known = false; /* the checks before a run are made here */
  if (db->facts.bundled)
    db->facts.classes = kinds_of(script);
  if (db->facts.bundled || optset_find(&p->set, "db-driver")->given)
    look_at_database(p, db, f);
  else
    findings_add(f, FINDING_WARN, "server",
                 "give --db-driver, if the script uses a database",
                 "not looked at");
  return conclude(f);
}
